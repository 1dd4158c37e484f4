package storagetest

import "github.com/sallyport-go/sallyport/ratelimit"

func windowScripts() []script {
	return []script{
		{
			name:      "fixed window/counts down and starts again",
			algorithm: ratelimit.FixedWindow, limit: 3, interval: 10 * sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(2, 10*sec)},
				{at: 1 * sec, cost: 1, want: accepted(1, 9*sec)},
				{at: 2 * sec, cost: 1, want: accepted(0, 8*sec)},
				{at: 2 * sec, cost: 1, want: refused(0, 8*sec, 8*sec)},
				{at: 10*sec - us, cost: 1, want: refused(0, us, us)},
				{at: 10 * sec, cost: 1, want: accepted(2, 10*sec)},
			},
		},
		{
			name:      "fixed window/two bursts around an edge",
			algorithm: ratelimit.FixedWindow, limit: 6, interval: sec,
			steps: []step{
				{at: 990 * ms, cost: 6, want: accepted(0, 10*ms)},
				{at: 990 * ms, cost: 1, want: refused(0, 10*ms, 10*ms)},
				{at: 1010 * ms, cost: 6, want: accepted(0, 990*ms)},
				{at: 1010 * ms, cost: 1, want: refused(0, 990*ms, 990*ms)},
			},
		},
		{
			name:      "fixed window/a refusal changes nothing",
			algorithm: ratelimit.FixedWindow, limit: 10, interval: 100 * sec,
			steps: []step{
				{cost: 8, want: accepted(2, 100*sec)},
				{cost: 5, want: refused(2, 100*sec, 100*sec)},
				{cost: 1, want: accepted(1, 100*sec)},
				{cost: 1, want: accepted(0, 100*sec)},
				{at: 99 * sec, cost: 1, want: refused(0, sec, sec)},
				{at: 100 * sec, cost: 1, want: accepted(9, 100*sec)},
			},
		},
		{
			name:      "fixed window/the limit changes and the use stays",
			algorithm: ratelimit.FixedWindow, limit: 100, interval: minute,
			steps: []step{
				{cost: 1, want: accepted(99, minute)},
				{limit: 10, want: accepted(9, minute)},
				{limit: 200, want: accepted(199, minute)},
				{cost: 7, want: accepted(92, minute)},
				{limit: 3, cost: 1, want: refused(0, minute, minute)},
				{limit: 3, want: accepted(0, minute)},
				{limit: 9, cost: 1, want: accepted(0, minute)},
				{cost: 0, want: accepted(91, minute)},
			},
		},
		{
			name:      "fixed window/a clock that is behind counts in the newer window",
			algorithm: ratelimit.FixedWindow, limit: 2, interval: 10 * sec,
			steps: []step{
				{at: 25 * sec, cost: 1, want: accepted(1, 5*sec)},
				{at: 5 * sec, cost: 1, want: accepted(0, 25*sec)},
				{at: 5 * sec, cost: 1, want: refused(0, 25*sec, 25*sec)},
				{at: 19 * sec, cost: 0, want: accepted(0, 11*sec)},
				{at: 25 * sec, cost: 1, want: refused(0, 5*sec, 5*sec)},
				{at: 30 * sec, cost: 1, want: accepted(1, 10*sec)},
			},
		},
		{
			name:      "fixed window/a billion in 366 days",
			algorithm: ratelimit.FixedWindow, limit: ratelimit.MaxLimit, interval: ratelimit.MaxInterval,
			steps: []step{
				{at: 5 * sec, cost: 1, want: accepted(999_999_999, 366*day-5*sec)},
				{at: 6 * sec, cost: 1_000_000_000, want: refused(999_999_999, 366*day-6*sec, 366*day-6*sec)},
				{at: 7 * sec, cost: 999_999_999, want: accepted(0, 366*day-7*sec)},
				{at: 366*day - us, cost: 1, want: refused(0, us, us)},
				{at: 366 * day, cost: 1, want: accepted(999_999_999, 366*day)},
			},
		},
		{
			name:      "fixed window/one in a second",
			algorithm: ratelimit.FixedWindow, limit: 1, interval: sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(0, sec)},
				{at: sec - us, cost: 1, want: refused(0, us, us)},
				{at: sec, cost: 1, want: accepted(0, sec)},
				{at: 3*sec - us, cost: 1, want: accepted(0, us)},
				{at: 3*sec - us, cost: 1, want: refused(0, us, us)},
				{at: 3 * sec, cost: 1, want: accepted(0, sec)},
			},
		},
		{
			name:      "sliding window/the window before fades",
			algorithm: ratelimit.SlidingWindow, limit: 60, interval: minute,
			steps: []step{
				{at: 59 * sec, cost: 60, want: accepted(0, sec)},
				{at: 60 * sec, cost: 1, want: refused(0, minute, sec)},
				{at: 72 * sec, cost: 12, want: accepted(0, 48*sec)},
				{at: 72 * sec, cost: 1, want: refused(0, 48*sec, sec)},
				{at: 73*sec - us, cost: 1, want: refused(0, 47*sec+us, us)},
				{at: 73 * sec, cost: 1, want: accepted(0, 47*sec)},
				{at: 119 * sec, cost: 0, want: accepted(46, sec)},
				{at: 120 * sec, cost: 0, want: accepted(47, minute)},
				{at: 180 * sec, cost: 0, want: accepted(60, minute)},
			},
		},
		{
			name:      "sliding window/no burst around an edge",
			algorithm: ratelimit.SlidingWindow, limit: 6, interval: sec,
			steps: []step{
				{at: 990 * ms, cost: 6, want: accepted(0, 10*ms)},
				{at: 1010 * ms, cost: 1, want: refused(0, 990*ms, 156_667*us)},
				{at: 1_166_666 * us, cost: 1, want: refused(0, 833_334*us, us)},
				{at: 1_166_667 * us, cost: 1, want: accepted(0, 833_333*us)},
			},
		},
		{
			name:      "sliding window/a state outlives its window by one",
			algorithm: ratelimit.SlidingWindow, limit: 10, interval: minute,
			steps: []step{
				{at: 59 * sec, cost: 10, want: accepted(0, sec)},
				{at: 61 * sec, cost: 1, want: refused(0, 59*sec, 5*sec)},
				{at: 2*minute - us, cost: 10, want: refused(9, us, us)},
				{at: 2*minute - us, cost: 9, want: accepted(0, us)},
				{at: 3*minute - us, cost: 9, want: accepted(0, us)},
			},
		},
		{
			name:      "sliding window/one at exactly its rate",
			algorithm: ratelimit.SlidingWindow, limit: 1, interval: 10 * sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(0, 10*sec)},
				{at: 10500 * ms, cost: 1, want: refused(0, 9500*ms, 9500*ms)},
				{at: 20500 * ms, cost: 1, want: accepted(0, 9500*ms)},
				{at: 31 * sec, cost: 1, want: refused(0, 9*sec, 9*sec)},
			},
		},
		{
			name:      "sliding window/a wait that reaches into the next window",
			algorithm: ratelimit.SlidingWindow, limit: 10, interval: 10 * sec,
			steps: []step{
				{at: 5 * sec, cost: 10, want: accepted(0, 5*sec)},
				{at: 6 * sec, cost: 1, want: refused(0, 4*sec, 5*sec)},
				{at: 6 * sec, cost: 10, want: refused(0, 4*sec, 14*sec)},
				{at: 11*sec - us, cost: 1, want: refused(0, 9*sec+us, us)},
				{at: 11 * sec, cost: 1, want: accepted(0, 9*sec)},
			},
		},
		{
			name:      "sliding window/the limit changes and the use stays",
			algorithm: ratelimit.SlidingWindow, limit: 100, interval: minute,
			steps: []step{
				{cost: 1, want: accepted(99, minute)},
				{limit: 10, want: accepted(9, minute)},
				{limit: 200, want: accepted(199, minute)},
				{cost: 7, want: accepted(92, minute)},
				{limit: 3, cost: 1, want: refused(0, minute, 105*sec)},
				{cost: 0, want: accepted(92, minute)},
				{at: 105 * sec, limit: 3, cost: 1, want: accepted(0, 15*sec)},
			},
		},
		{
			name:      "sliding window/a clock that is behind counts in the newer window",
			algorithm: ratelimit.SlidingWindow, limit: 4, interval: 10 * sec,
			steps: []step{
				{at: 25 * sec, cost: 2, want: accepted(2, 5*sec)},
				{at: 5 * sec, cost: 1, want: accepted(1, 25*sec)},
				{at: 5 * sec, cost: 2, want: refused(1, 25*sec, 28_333_334*us)},
				{at: 31 * sec, cost: 1, want: accepted(0, 9*sec)},
				{at: 25 * sec, cost: 1, want: refused(0, 15*sec, 8_333_334*us)},
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
