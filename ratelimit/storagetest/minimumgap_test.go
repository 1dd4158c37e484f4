package storagetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestMinimumGap(t *testing.T) {
	const second = 1_000_000
	saved := func(at, gap int64) ratelimit.Outcome {
		return ratelimit.Outcome{
			Decision: ratelimit.Decision{Accepted: true, ResetAfter: gap, RetryAfter: ratelimit.NoRetryMicros},
			State:    ratelimit.State{at, gapMark},
			TTL:      gap + second,
		}
	}
	told := func(d ratelimit.Decision) ratelimit.Outcome { return ratelimit.Outcome{Decision: d} }
	for _, tc := range []struct {
		name  string
		state ratelimit.State
		take  ratelimit.Take
		want  ratelimit.Outcome
	}{
		{"the first one", ratelimit.State{}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 1000 * second}, saved(1000*second, 5*second)},                                                                       // RL-249, RL-251, RL-253, RL-264, RL-276
		{"one that is early", ratelimit.State{1000 * second, gapMark}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 1003 * second}, told(ratelimit.Decision{ResetAfter: 2 * second, RetryAfter: 2 * second})}, // RL-263, RL-276
		{"one after the gap", ratelimit.State{1000 * second, gapMark}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 1005 * second}, saved(1005*second, 5*second)},                                             // RL-276
		{"60 in a minute are one each second", ratelimit.State{0, gapMark}, ratelimit.Take{Limit: 60, Cost: 1, Interval: 60 * second, Now: second - 1}, told(ratelimit.Decision{ResetAfter: 1, RetryAfter: 1})},                // RL-261
		{"a gap is rounded up", ratelimit.State{}, ratelimit.Take{Limit: 3, Cost: 1, Interval: 10 * second}, saved(0, 3_333_334)},                                                                                              // RL-264
		{"a bucket's state is none", ratelimit.State{1000 * second, 1, 1}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 1000 * second}, saved(1000*second, 5*second)},                                         // RL-262
		{"a window's state is none", ratelimit.State{1000 * second, 1}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second, Now: 1000 * second}, saved(1000*second, 5*second)},                                            // RL-262
		{"a time before the epoch is none", ratelimit.State{-1, gapMark}, ratelimit.Take{Limit: 2, Cost: 1, Interval: 10 * second}, saved(0, 5*second)},
		{"a peek", ratelimit.State{1000 * second, gapMark}, ratelimit.Take{Limit: 2, Interval: 10 * second, Now: 1003 * second}, told(ratelimit.Decision{Accepted: true, ResetAfter: 2 * second, RetryAfter: ratelimit.NoRetryMicros})},
		{"more than the limit", ratelimit.State{}, ratelimit.Take{Limit: 2, Cost: 3, Interval: 10 * second}, told(ratelimit.Decision{RetryAfter: ratelimit.NeverMicros})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.NoError(t, tc.take.Validate())
			require.Equal(t, tc.want, minimumGap{}.Step(tc.state, tc.take))
		})
	}
}
