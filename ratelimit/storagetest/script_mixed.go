package storagetest

import (
	"math"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// probeScripts ask for what an algorithm of one's own may rely on.
func probeScripts() []script {
	return []script{
		{
			name:      "state/gone after its lifetime, which no refusal and no peek renews",
			algorithm: perLifetime{}, limit: 2, interval: 10 * sec,
			needs: anyStep,
			steps: []step{
				{at: 0, cost: 1, want: accepted(1, 10*sec)},
				{at: 4 * sec, cost: 1, want: accepted(0, 6*sec)},
				{at: 9 * sec, cost: 1, want: refused(0, sec, sec)},
				{at: 9 * sec, cost: 0, want: accepted(0, sec)},
				{at: 10*sec - us, cost: 1, want: refused(0, us, us)},
				{at: 10*sec + grace, cost: 1, want: accepted(1, 10*sec)},
			},
		},
		{
			name:      "state/every word comes back, and nothing is saved without a lifetime",
			algorithm: recall{}, limit: 1, interval: minute,
			needs: anyStep,
			steps: []step{
				{cost: 0, want: accepted(0, 0)},
				{cost: 1, want: accepted(0, 0)},
				{cost: 1, want: accepted(1, 0)},
				{cost: 0, want: accepted(2, 0)},
				{cost: 1, want: accepted(2, 0)},
				{cost: 1, want: accepted(3, 0)},
				{cost: 1, want: accepted(4, 0)},
				{cost: 0, want: accepted(5, 0)},
				{cost: 1, want: accepted(5, 0)},
				{cost: 1, want: accepted(6, 0)},
			},
		},
	}
}

// mixedScripts use several algorithms, intervals or keys.
func mixedScripts() []script {
	return append(eachBuiltIn(),
		script{
			name:      "counters/algorithms count apart",
			algorithm: ratelimit.FixedWindow, limit: 2, interval: minute,
			steps: []step{
				{cost: 2, want: accepted(0, minute)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: accepted(1, 30*sec)},
				{algorithm: ratelimit.SlidingWindow, cost: 0, want: accepted(2, minute)},
				{algorithm: minimumGap{}, cost: 1, want: accepted(0, 30*sec)},
				{cost: 1, want: refused(0, minute, minute)},
				{algorithm: ratelimit.SlidingWindow, cost: 2, want: accepted(0, minute)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: accepted(0, 30*sec)},
				{algorithm: minimumGap{}, cost: 1, want: refused(0, 30*sec, 30*sec)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: refused(0, 30*sec, 30*sec)},
				{at: minute, cost: 0, want: accepted(2, minute)},
			},
		},
		script{
			name:      "counters/intervals count apart",
			algorithm: ratelimit.FixedWindow, limit: 10, interval: minute,
			steps: []step{
				{cost: 10, want: accepted(0, minute)},
				{interval: day, limit: 500, cost: 1, want: accepted(499, day)},
				{interval: 10 * sec, limit: 10, cost: 1, want: accepted(9, 10*sec)},
				{cost: 1, want: refused(0, minute, minute)},
				{at: 10 * sec, interval: 10 * sec, limit: 10, cost: 1, want: accepted(9, 10*sec)},
				{at: 10 * sec, interval: day, limit: 500, cost: 1, want: accepted(498, day-10*sec)},
				{at: 10 * sec, cost: 1, want: refused(0, 50*sec, 50*sec)},
				{at: minute, interval: day, limit: 500, cost: 1, want: accepted(497, day-minute)},
				{at: minute, cost: 1, want: accepted(9, minute)},
			},
		},
		script{
			name:      "counters/the time of one key is not that of another",
			algorithm: ratelimit.FixedWindow, limit: 5, interval: minute,
			steps: []step{
				{at: 30 * sec, key: "policy:one", cost: 2, want: accepted(3, 30*sec)},
				{at: 50 * sec, key: "policy:two", cost: 2, want: accepted(3, 10*sec)},
				{at: 20 * sec, key: "policy:three", cost: 2, want: accepted(3, 40*sec)},
				{at: 30 * sec, key: "policy:one", cost: 2, want: accepted(1, 30*sec)},
				{at: 20 * sec, key: "policy:three", cost: 1, want: accepted(2, 40*sec)},
			},
		},
		script{
			name:      "minimum gap/one request in each gap",
			algorithm: minimumGap{}, limit: 2, interval: 10 * sec,
			steps: []step{
				{at: 1000 * sec, cost: 1, want: accepted(0, 5*sec)},
				{at: 1003 * sec, cost: 1, want: refused(0, 2*sec, 2*sec)},
				{at: 1003 * sec, cost: 0, want: accepted(0, 2*sec)},
				{at: 1003 * sec, cost: 3, want: never(0, 2*sec)},
				{at: 1005*sec - us, cost: 1, want: refused(0, us, us)},
				{at: 1005 * sec, cost: 1, want: accepted(0, 5*sec)},
				{at: 1001 * sec, cost: 1, want: refused(0, 9*sec, 9*sec)},
				{at: 1010 * sec, cost: 1, want: accepted(0, 5*sec)},
			},
		},
		script{
			name:      "minimum gap/a state of an older version is none",
			algorithm: minimumGap{}, limit: 2, interval: 10 * sec,
			needs: anyStep,
			steps: []step{
				{at: 1 * sec, algorithm: olderGap{ratelimit.TokenBucket}, cost: 2, want: accepted(0, 5*sec)},
				{at: 1 * sec, algorithm: olderGap{ratelimit.TokenBucket}, cost: 1, want: refused(0, 5*sec, 5*sec)},
				{at: 1 * sec, cost: 1, want: accepted(0, 5*sec)},
				{at: 1 * sec, cost: 1, want: refused(0, 5*sec, 5*sec)},
			},
		},
	)
}

// eachBuiltIn are scripts that the three algorithms decide alike, but for the
// times.
func eachBuiltIn() (all []script) {
	for _, a := range []struct {
		name      string
		algorithm ratelimit.Algorithm
		fresh     time.Duration // until there is more than nothing used
		more      time.Duration // until there is more after some use
		one       time.Duration // until there is one after all is used
	}{
		{"fixed window", ratelimit.FixedWindow, 10 * sec, 10 * sec, 10 * sec},
		{"sliding window", ratelimit.SlidingWindow, 10 * sec, 10 * sec, 11 * sec},
		{"token bucket", ratelimit.TokenBucket, 0, sec, sec},
	} {
		all = append(all,
			script{
				name:      a.name + "/costs of all sizes",
				algorithm: a.algorithm, limit: 10, interval: 10 * sec,
				steps: []step{
					{cost: 8, want: accepted(2, a.more)},
					{cost: 2, want: accepted(0, a.more)},
					{cost: 1, want: refused(0, a.more, a.one)},
				},
			},
			script{
				name:      a.name + "/a peek changes nothing",
				algorithm: a.algorithm, limit: 10, interval: 10 * sec,
				steps: []step{
					{cost: 0, want: accepted(10, a.fresh)},
					{cost: 0, want: accepted(10, a.fresh)},
					{cost: 10, want: accepted(0, a.more)},
					{cost: 0, want: accepted(0, a.more)},
					{cost: 1, want: refused(0, a.more, a.one)},
				},
			},
			script{
				name:      a.name + "/more than the limit is refused for ever",
				algorithm: a.algorithm, limit: 10, interval: 10 * sec,
				steps: []step{
					{cost: 11, want: never(10, a.fresh)},
					{cost: math.MaxInt64, want: never(10, a.fresh)},
					{cost: 10, want: accepted(0, a.more)},
					{cost: 11, want: never(0, a.more)},
				},
			})
	}
	return all
}
