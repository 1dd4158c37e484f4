package storagetest

import (
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
	s1 = time.Second
	mn = time.Minute
)

func windowScripts() []script {
	return []script{
		{
			name:      "fixed window/counts down and starts again",
			algorithm: ratelimit.FixedWindow, limit: 3, interval: 10 * s1,
			steps: []step{
				{at: 0, cost: 1, want: accepted(2, 10*s1)},
				{at: 1 * s1, cost: 1, want: accepted(1, 9*s1)},
				{at: 2 * s1, cost: 1, want: accepted(0, 8*s1)},
				{at: 2 * s1, cost: 1, want: refused(0, 8*s1, 8*s1)},
				{at: 10*s1 - us, cost: 1, want: refused(0, us, us)},
				{at: 10 * s1, cost: 1, want: accepted(2, 10*s1)},
			},
		},
		{
			name:      "fixed window/two bursts around an edge",
			algorithm: ratelimit.FixedWindow, limit: 6, interval: s1,
			needs: requestClock, // lifetimes of 10 ms
			steps: []step{
				{at: 990 * ms, cost: 6, want: accepted(0, 10*ms)},
				{at: 990 * ms, cost: 1, want: refused(0, 10*ms, 10*ms)},
				{at: 1010 * ms, cost: 6, want: accepted(0, 990*ms)},
				{at: 1010 * ms, cost: 1, want: refused(0, 990*ms, 990*ms)},
			},
		},
		{
			name:      "fixed window/a refusal changes nothing",
			algorithm: ratelimit.FixedWindow, limit: 10, interval: 100 * s1,
			steps: []step{
				{cost: 8, want: accepted(2, 100*s1)},
				{cost: 5, want: refused(2, 100*s1, 100*s1)},
				{cost: 1, want: accepted(1, 100*s1)},
				{cost: 1, want: accepted(0, 100*s1)},
				{at: 99 * s1, cost: 1, want: refused(0, s1, s1)},
				{at: 100 * s1, cost: 1, want: accepted(9, 100*s1)},
			},
		},
		{
			name:      "fixed window/the limit changes and the use stays",
			algorithm: ratelimit.FixedWindow, limit: 100, interval: mn,
			steps: []step{
				{cost: 1, want: accepted(99, mn)},
				{limit: 10, want: accepted(9, mn)},
				{limit: 200, want: accepted(199, mn)},
				{cost: 7, want: accepted(92, mn)},
				{limit: 3, cost: 1, want: refused(0, mn, mn)},
				{limit: 3, want: accepted(0, mn)},
				{limit: 9, cost: 1, want: accepted(0, mn)},
				{cost: 0, want: accepted(91, mn)},
			},
		},
		{
			name:      "fixed window/a clock that is behind counts in the newer window",
			algorithm: ratelimit.FixedWindow, limit: 2, interval: 10 * s1,
			steps: []step{
				{at: 25 * s1, cost: 1, want: accepted(1, 5*s1)},
				{at: 5 * s1, cost: 1, want: accepted(0, 25*s1)},
				{at: 5 * s1, cost: 1, want: refused(0, 25*s1, 25*s1)},
				{at: 19 * s1, cost: 0, want: accepted(0, 11*s1)},
				{at: 25 * s1, cost: 1, want: refused(0, 5*s1, 5*s1)},
				{at: 30 * s1, cost: 1, want: accepted(1, 10*s1)},
			},
		},
		{
			name:      "fixed window/a billion in 366 days",
			algorithm: ratelimit.FixedWindow, limit: ratelimit.MaxLimit, interval: ratelimit.MaxInterval,
			steps: []step{
				{at: 5 * s1, cost: 1, want: accepted(999_999_999, 366*day-5*s1)},
				{at: 6 * s1, cost: 1_000_000_000, want: refused(999_999_999, 366*day-6*s1, 366*day-6*s1)},
				{at: 7 * s1, cost: 999_999_999, want: accepted(0, 366*day-7*s1)},
				{at: 366*day - us, cost: 1, want: refused(0, us, us)},
				{at: 366 * day, cost: 1, want: accepted(999_999_999, 366*day)},
			},
		},
		{
			name:      "fixed window/one in a second",
			algorithm: ratelimit.FixedWindow, limit: 1, interval: s1,
			needs: requestClock,
			steps: []step{
				{at: 0, cost: 1, want: accepted(0, s1)},
				{at: s1 - us, cost: 1, want: refused(0, us, us)},
				{at: s1, cost: 1, want: accepted(0, s1)},
				{at: 3*s1 - us, cost: 1, want: accepted(0, us)},
				{at: 3*s1 - us, cost: 1, want: refused(0, us, us)},
				{at: 3 * s1, cost: 1, want: accepted(0, s1)},
			},
		},
		{
			name:      "sliding window/the window before fades",
			algorithm: ratelimit.SlidingWindow, limit: 60, interval: mn,
			steps: []step{
				{at: 59 * s1, cost: 60, want: accepted(0, s1)},
				{at: 60 * s1, cost: 1, want: refused(0, mn, s1)},
				{at: 72 * s1, cost: 12, want: accepted(0, 48*s1)},
				{at: 72 * s1, cost: 1, want: refused(0, 48*s1, s1)},
				{at: 73*s1 - us, cost: 1, want: refused(0, 47*s1+us, us)},
				{at: 73 * s1, cost: 1, want: accepted(0, 47*s1)},
				{at: 119 * s1, cost: 0, want: accepted(46, s1)},
				{at: 120 * s1, cost: 0, want: accepted(47, mn)},
				{at: 180 * s1, cost: 0, want: accepted(60, mn)},
			},
		},
		{
			name:      "sliding window/no burst around an edge",
			algorithm: ratelimit.SlidingWindow, limit: 6, interval: s1,
			needs: requestClock,
			steps: []step{
				{at: 990 * ms, cost: 6, want: accepted(0, 10*ms)},
				{at: 1010 * ms, cost: 1, want: refused(0, 990*ms, 156_667*us)},
				{at: 1_166_666 * us, cost: 1, want: refused(0, 833_334*us, us)},
				{at: 1_166_667 * us, cost: 1, want: accepted(0, 833_333*us)},
			},
		},
		{
			name:      "sliding window/a state outlives its window by one",
			algorithm: ratelimit.SlidingWindow, limit: 10, interval: mn,
			steps: []step{
				{at: 59 * s1, cost: 10, want: accepted(0, s1)},
				{at: 61 * s1, cost: 1, want: refused(0, 59*s1, 5*s1)},
				{at: 2*mn - us, cost: 10, want: refused(9, us, us)},
				{at: 2*mn - us, cost: 9, want: accepted(0, us)},
				{at: 3*mn - us, cost: 9, want: accepted(0, us)},
			},
		},
		{
			name:      "sliding window/one at exactly its rate",
			algorithm: ratelimit.SlidingWindow, limit: 1, interval: 10 * s1,
			steps: []step{
				{at: 0, cost: 1, want: accepted(0, 10*s1)},
				{at: 10500 * ms, cost: 1, want: refused(0, 9500*ms, 9500*ms)},
				{at: 20500 * ms, cost: 1, want: accepted(0, 9500*ms)},
				{at: 31 * s1, cost: 1, want: refused(0, 9*s1, 9*s1)},
			},
		},
		{
			name:      "sliding window/a wait that reaches into the next window",
			algorithm: ratelimit.SlidingWindow, limit: 10, interval: 10 * s1,
			steps: []step{
				{at: 5 * s1, cost: 10, want: accepted(0, 5*s1)},
				{at: 6 * s1, cost: 1, want: refused(0, 4*s1, 5*s1)},
				{at: 6 * s1, cost: 10, want: refused(0, 4*s1, 14*s1)},
				{at: 11*s1 - us, cost: 1, want: refused(0, 9*s1+us, us)},
				{at: 11 * s1, cost: 1, want: accepted(0, 9*s1)},
			},
		},
		{
			name:      "sliding window/the limit changes and the use stays",
			algorithm: ratelimit.SlidingWindow, limit: 100, interval: mn,
			steps: []step{
				{cost: 1, want: accepted(99, mn)},
				{limit: 10, want: accepted(9, mn)},
				{limit: 200, want: accepted(199, mn)},
				{cost: 7, want: accepted(92, mn)},
				{limit: 3, cost: 1, want: refused(0, mn, 105*s1)},
				{cost: 0, want: accepted(92, mn)},
				{at: 105 * s1, limit: 3, cost: 1, want: accepted(0, 15*s1)},
			},
		},
		{
			name:      "sliding window/a clock that is behind counts in the newer window",
			algorithm: ratelimit.SlidingWindow, limit: 4, interval: 10 * s1,
			steps: []step{
				{at: 25 * s1, cost: 2, want: accepted(2, 5*s1)},
				{at: 5 * s1, cost: 1, want: accepted(1, 25*s1)},
				{at: 5 * s1, cost: 2, want: refused(1, 25*s1, 28_333_334*us)},
				{at: 31 * s1, cost: 1, want: accepted(0, 9*s1)},
				{at: 25 * s1, cost: 1, want: refused(0, 15*s1, 8_333_334*us)},
			},
		},
		{
			name:      "sliding window/a billion in 366 days",
			algorithm: ratelimit.SlidingWindow, limit: ratelimit.MaxLimit, interval: ratelimit.MaxInterval,
			steps: []step{
				{at: 366*day - us, cost: 1_000_000_000, want: accepted(0, us)},
				{at: 366 * day, cost: 1, want: refused(0, 366*day, 31_623*us)},
				{at: 366*day + 31_622*us, cost: 1, want: refused(0, 366*day-31_622*us, us)},
				{at: 366*day + 31_623*us, cost: 1, want: accepted(0, 366*day-31_623*us)},
				{at: 732*day - us, cost: 0, want: accepted(999_999_998, us)},
			},
		},
	}
}
