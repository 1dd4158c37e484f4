package storagetest

import "github.com/sallyport-go/sallyport/ratelimit"

func bucketScripts() []script {
	return []script{
		{
			name:      "token bucket/a token at a time",
			algorithm: ratelimit.TokenBucket, limit: 10, interval: 100 * sec,
			steps: []step{
				{cost: 8, want: accepted(2, 10*sec)},
				{cost: 5, want: refused(2, 10*sec, 30*sec)},
				{cost: 1, want: accepted(1, 10*sec)},
				{cost: 1, want: accepted(0, 10*sec)},
				{at: 4 * sec, cost: 1, want: refused(0, 6*sec, 6*sec)},
				{at: 10*sec - us, cost: 1, want: refused(0, us, us)},
				{at: 10 * sec, cost: 1, want: accepted(0, 10*sec)},
				{at: 25 * sec, cost: 2, want: refused(1, 5*sec, 5*sec)},
			},
		},
		{
			name:      "token bucket/it refills evenly, not by the interval",
			algorithm: ratelimit.TokenBucket, limit: 10, interval: 5 * sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(9, 500*ms)},
				{at: 500*ms - us, cost: 10, want: refused(9, us, us)},
				{at: 600 * ms, cost: 10, want: accepted(0, 500*ms)},
			},
		},
		{
			name:      "token bucket/the wait counts what has come already",
			algorithm: ratelimit.TokenBucket, limit: 5, interval: 5 * minute,
			steps: []step{
				{at: 0, cost: 5, want: accepted(0, minute)},
				{at: 59 * sec, cost: 1, want: refused(0, sec, sec)},
				{at: 59 * sec, cost: 3, want: refused(0, sec, 121*sec)},
				{at: minute, cost: 1, want: accepted(0, minute)},
			},
		},
		{
			name:      "token bucket/parts of a token are carried",
			algorithm: ratelimit.TokenBucket, limit: 3, interval: 10 * sec,
			steps: []step{
				{at: 0, cost: 3, want: accepted(0, 3_333_334*us)},
				{at: 3_333_333 * us, cost: 1, want: refused(0, us, us)},
				{at: 3_333_334 * us, cost: 1, want: accepted(0, 3_333_333*us)},
				{at: 6_666_667 * us, cost: 1, want: accepted(0, 3_333_333*us)},
				{at: 10 * sec, cost: 1, want: accepted(0, 3_333_334*us)},
				{at: 15 * sec, cost: 1, want: accepted(0, 1_666_667*us)},
				{at: 16_666_666 * us, cost: 1, want: refused(0, us, us)},
			},
		},
		{
			name:      "token bucket/never more than full",
			algorithm: ratelimit.TokenBucket, limit: 10, interval: 10 * sec,
			steps: []step{
				{at: 0, cost: 10, want: accepted(0, sec)},
				{at: 100 * sec, cost: 0, want: accepted(10, 0)},
				{at: 100 * sec, cost: 10, want: accepted(0, sec)},
				{at: 100 * sec, cost: 1, want: refused(0, sec, sec)},
				{at: 105500 * ms, cost: 0, want: accepted(5, 500*ms)},
			},
		},
		{
			name:      "token bucket/a clock that is behind refills nothing",
			algorithm: ratelimit.TokenBucket, limit: 5, interval: 5 * sec,
			steps: []step{
				{at: 10 * sec, cost: 4, want: accepted(1, sec)},
				{at: 0, cost: 1, want: accepted(0, 11*sec)},
				{at: 0, cost: 1, want: refused(0, 11*sec, 11*sec)},
				{at: 10 * sec, cost: 1, want: refused(0, sec, sec)},
				{at: 11 * sec, cost: 1, want: accepted(0, sec)},
				{at: 10500 * ms, cost: 1, want: refused(0, 1500*ms, 1500*ms)},
				{at: 12 * sec, cost: 1, want: accepted(0, sec)},
			},
		},
		{
			name:      "token bucket/lifetimes of a millisecond",
			algorithm: ratelimit.TokenBucket, limit: 1000, interval: sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(999, ms)},
				{at: 0, cost: 1, want: accepted(998, ms)},
				{at: 999 * us, cost: 0, want: accepted(998, us)},
				{at: 1999 * us, cost: 1, want: accepted(998, us)},
			},
		},
		{
			name:      "token bucket/the limit changes and the use stays",
			algorithm: ratelimit.TokenBucket, limit: 100, interval: 100 * sec,
			steps: []step{
				{at: 0, cost: 1, want: accepted(99, sec)},
				{at: 0, limit: 10, want: accepted(9, 10*sec)},
				{at: 0, limit: 200, want: accepted(199, 500*ms)},
				{at: 0, cost: 49, want: accepted(50, sec)},
				{at: 0, limit: 10, cost: 1, want: refused(0, 10*sec, 100*sec)},
				{at: 20 * sec, limit: 40, cost: 1, want: refused(0, 2500*ms, 7500*ms)},
				{at: 20 * sec, limit: 50, cost: 1, want: accepted(9, 2*sec)},
			},
		},
		{
			name:      "token bucket/a billion in ten seconds, and a month of rest",
			algorithm: ratelimit.TokenBucket, limit: ratelimit.MaxLimit, interval: 10 * sec,
			steps: []step{
				{at: 0, cost: 1_000_000_000, want: accepted(0, us)},
				{at: us, cost: 100, want: accepted(0, us)},
				{at: 2 * us, cost: 101, want: refused(100, us, us)},
				{at: 30 * day, cost: 1_000_000_000, want: accepted(0, us)},
			},
		},
		{
			name:      "token bucket/a billion in 366 days",
			algorithm: ratelimit.TokenBucket, limit: ratelimit.MaxLimit, interval: ratelimit.MaxInterval,
			steps: []step{
				{at: 0, cost: 1_000_000_000, want: accepted(0, 31_623*us)},
				{at: 31_622 * us, cost: 1, want: refused(0, us, us)},
				{at: 31_623 * us, cost: 1, want: accepted(0, 31_622*us)},
				{at: 31_623 * us, cost: 1_000_000_000, want: refused(0, 31_622*us, 366*day)},
				{at: 366 * day, cost: 0, want: accepted(999_999_999, 31_623*us)},
			},
		},
	}
}
