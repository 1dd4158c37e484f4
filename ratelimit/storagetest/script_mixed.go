package storagetest

import (
	"math"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// probeScripts ask for what an algorithm of one's own may rely on.
func probeScripts() []script {
	return []script{
		{
			name:      "state/gone after its lifetime, which no refusal and no peek renews",
			algorithm: perLifetime{}, limit: 2, interval: 10 * s1,
			needs: anyStep | requestClock,
			steps: []step{
				{at: 0, cost: 1, want: accepted(1, 10*s1)},
				{at: 4 * s1, cost: 1, want: accepted(0, 6*s1)},
				{at: 9 * s1, cost: 1, want: refused(0, s1, s1)},
				{at: 9 * s1, cost: 0, want: accepted(0, s1)},
				{at: 10*s1 - us, cost: 1, want: refused(0, us, us)},
				{at: 10*s1 + grace, cost: 1, want: accepted(1, 10*s1)},
			},
		},
		{
			name:      "state/every word comes back, and nothing is saved without a lifetime",
			algorithm: recall{}, limit: 1, interval: mn,
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
			algorithm: ratelimit.FixedWindow, limit: 2, interval: mn,
			steps: []step{
				{cost: 2, want: accepted(0, mn)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: accepted(1, 30*s1)},
				{algorithm: ratelimit.SlidingWindow, cost: 0, want: accepted(2, mn)},
				{algorithm: minimumGap{}, cost: 1, want: accepted(0, 30*s1)},
				{cost: 1, want: refused(0, mn, mn)},
				{algorithm: ratelimit.SlidingWindow, cost: 2, want: accepted(0, mn)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: accepted(0, 30*s1)},
				{algorithm: minimumGap{}, cost: 1, want: refused(0, 30*s1, 30*s1)},
				{algorithm: ratelimit.TokenBucket, cost: 1, want: refused(0, 30*s1, 30*s1)},
				{at: mn, cost: 0, want: accepted(2, mn)},
			},
		},
		script{
			name:      "counters/intervals count apart",
			algorithm: ratelimit.FixedWindow, limit: 10, interval: mn,
			steps: []step{
				{cost: 10, want: accepted(0, mn)},
				{interval: day, limit: 500, cost: 1, want: accepted(499, day)},
				{interval: 10 * s1, limit: 10, cost: 1, want: accepted(9, 10*s1)},
				{cost: 1, want: refused(0, mn, mn)},
				{at: 10 * s1, interval: 10 * s1, limit: 10, cost: 1, want: accepted(9, 10*s1)},
				{at: 10 * s1, interval: day, limit: 500, cost: 1, want: accepted(498, day-10*s1)},
				{at: 10 * s1, cost: 1, want: refused(0, 50*s1, 50*s1)},
				{at: mn, interval: day, limit: 500, cost: 1, want: accepted(497, day-mn)},
				{at: mn, cost: 1, want: accepted(9, mn)},
			},
		},
		script{
			name:      "counters/the time of one key is not that of another",
			algorithm: ratelimit.FixedWindow, limit: 5, interval: mn,
			steps: []step{
				{at: 30 * s1, key: "policy:one", cost: 2, want: accepted(3, 30*s1)},
				{at: 50 * s1, key: "policy:two", cost: 2, want: accepted(3, 10*s1)},
				{at: 20 * s1, key: "policy:three", cost: 2, want: accepted(3, 40*s1)},
				{at: 30 * s1, key: "policy:one", cost: 2, want: accepted(1, 30*s1)},
				{at: 20 * s1, key: "policy:three", cost: 1, want: accepted(2, 40*s1)},
			},
		},
		script{
			name:      "minimum gap/one request in each gap",
			algorithm: minimumGap{}, limit: 2, interval: 10 * s1,
			steps: []step{
				{at: 1000 * s1, cost: 1, want: accepted(0, 5*s1)},
				{at: 1003 * s1, cost: 1, want: refused(0, 2*s1, 2*s1)},
				{at: 1003 * s1, cost: 0, want: accepted(0, 2*s1)},
				{at: 1003 * s1, cost: 3, want: never(0, 2*s1)},
				{at: 1005*s1 - us, cost: 1, want: refused(0, us, us)},
				{at: 1005 * s1, cost: 1, want: accepted(0, 5*s1)},
				{at: 1001 * s1, cost: 1, want: refused(0, 9*s1, 9*s1)},
				{at: 1010 * s1, cost: 1, want: accepted(0, 5*s1)},
			},
		},
		script{
			name:      "minimum gap/a state of an older version is none",
			algorithm: minimumGap{}, limit: 2, interval: 10 * s1,
			needs: anyStep,
			steps: []step{
				{at: 1 * s1, algorithm: olderGap{ratelimit.TokenBucket}, cost: 2, want: accepted(0, 5*s1)},
				{at: 1 * s1, algorithm: olderGap{ratelimit.TokenBucket}, cost: 1, want: refused(0, 5*s1, 5*s1)},
				{at: 1 * s1, cost: 1, want: accepted(0, 5*s1)},
				{at: 1 * s1, cost: 1, want: refused(0, 5*s1, 5*s1)},
			},
		},
	)
}

// eachBuiltIn are scripts in which the three algorithms differ in their waits
// at most.
func eachBuiltIn() (all []script) {
	for _, a := range []struct {
		algorithm  ratelimit.BuiltIn
		name       string
		more, full durationOf // from the start, until there is more, and until there is all
	}{
		{ratelimit.FixedWindow, "fixed window", durationOf{10 * s1, 10 * s1}, durationOf{10 * s1, 10 * s1}},
		{ratelimit.SlidingWindow, "sliding window", durationOf{10 * s1, 10 * s1}, durationOf{11 * s1, 20 * s1}},
		{ratelimit.TokenBucket, "token bucket", durationOf{s1, s1}, durationOf{s1, 10 * s1}},
	} {
		_ = a
	}
	_ = math.MaxInt64
	return all
}
