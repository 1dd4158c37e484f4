package ratelimit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestCheckStyleLimiters(t *testing.T) {
	for _, tc := range []struct {
		name          string
		check         *ratelimit.Check
		want          []ratelimit.Result
		policy, limit string
	}{
		{"no limit applies", nil, nil, "", ""}, // FW-358, TC-231
		{"some are left", &ratelimit.Check{Limit: 60, Remaining: 50}, // RL-296, RL-299, FW-358, FW-359, TC-114
			[]ratelimit.Result{{Policy: "legacy", Limit: 60, Accepted: true, Remaining: 50, ResetAfter: ratelimit.Unknown, RetryAfter: ratelimit.Unknown}},
			`"legacy";q=60`, `"legacy";r=50`},
		{"none are left for a time", &ratelimit.Check{Limit: 60, RetryAfter: time.Hour}, // RL-302, TC-115
			[]ratelimit.Result{{Policy: "legacy", Limit: 60, ResetAfter: time.Hour, RetryAfter: time.Hour}},
			`"legacy";q=60`, `"legacy";r=0;t=3600`},
		{"fewer than none are left", &ratelimit.Check{Policy: "old", Limit: 60, Remaining: -1}, // RL-302, FW-361
			[]ratelimit.Result{{Policy: "old", Limit: 60, Remaining: -1, ResetAfter: ratelimit.Unknown, RetryAfter: ratelimit.Unknown}},
			`"old";q=60`, `"old";r=0`},
		{"the time until more is left has passed", &ratelimit.Check{Limit: 60, RetryAfter: -time.Second},
			[]ratelimit.Result{{Policy: "legacy", Limit: 60, ResetAfter: ratelimit.Unknown, RetryAfter: ratelimit.Unknown}},
			`"legacy";q=60`, `"legacy";r=0`},
		{"some are left, and that time has passed", &ratelimit.Check{Limit: 60, Remaining: 1, RetryAfter: -1},
			[]ratelimit.Result{{Policy: "legacy", Limit: 60, Accepted: true, Remaining: 1, ResetAfter: ratelimit.Unknown, RetryAfter: ratelimit.Unknown}},
			`"legacy";q=60`, `"legacy";r=1`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) { return tc.check, nil })
			results := consume(t, l, from("192.0.2.1"))
			require.Equal(t, tc.want, results)
			require.Equal(t, tc.policy, ratelimit.PolicyField(results))
			require.Equal(t, tc.limit, string(ratelimit.AppendLimitField(nil, results)))
			require.Empty(t, consume(t, l, by("bearer:ab12")), "it is asked once, at the first gate") // RL-304
		})
	}
	down := errors.New("db")
	_, err := ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) { return nil, down }).Consume(t.Context(), from(""), 1, nil)
	require.ErrorIs(t, err, down)
	require.EqualError(t, ratelimit.CheckFunc(nil).Validate(), "the function is nil")
}
