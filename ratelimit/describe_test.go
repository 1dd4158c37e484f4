package ratelimit_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestAPlanDescribesItsPolicies(t *testing.T) {
	byTenant := ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "t", true, nil })
	own := ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return nil, nil })
	set := newSet(t, perIP,
		ratelimit.Policy{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 50, Interval: time.Hour,
			Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint), OnStorageFailure: ratelimit.FailClosed,
			LimitFor: func(*ratelimit.Context) int64 { return 0 }},
		ratelimit.Policy{Name: "own", Limiter: own})
	minute, hour := time.Minute, time.Hour
	for _, tc := range []struct {
		name  string
		rules []ratelimit.Rule
		want  []ratelimit.PolicyInfo
	}{
		{"none", []ratelimit.Rule{ratelimit.Off}, nil},
		{"the defaults of a policy", []ratelimit.Rule{ratelimit.Named("perIp")},
			[]ratelimit.PolicyInfo{{Name: "perIp", Algorithm: "slidingWindow", Limit: 100, Interval: minute, Keys: []string{"ip"}}}},
		{"an inline one is called after its endpoint", []ratelimit.Rule{ratelimit.Policy{Algorithm: ratelimit.FixedWindow, Limit: 2, Interval: hour, Key: byTenant}},
			[]ratelimit.PolicyInfo{{Name: "GET.v1.users", Algorithm: "fixedWindow", Limit: 2, Interval: hour, Keys: []string{"custom", "endpoint"}}}},
		{"the order of the gates", []ratelimit.Rule{ratelimit.Named("perUser", "own", "perIp")},
			[]ratelimit.PolicyInfo{
				{Name: "own"},
				{Name: "perIp", Algorithm: "slidingWindow", Limit: 100, Interval: minute, Keys: []string{"ip"}},
				{Name: "perUser", Algorithm: "tokenBucket", Limit: 50, Interval: hour, PerCaller: true, Keys: []string{"identity", "endpoint"},
					Stage: ratelimit.AfterAuthorization, Closed: true},
			}},
		{"a limiter without a name", []ratelimit.Rule{ratelimit.Use(own)}, []ratelimit.PolicyInfo{{}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, newPlan(t, set, usersTarget, tc.rules...).Policies())
		})
	}
}
