package ratelimit_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

type faultyStorage struct{ fakeStorage }

func (*faultyStorage) Validate() error { return errors.New("no address") }

func TestMistakesOfPolicies(t *testing.T) {
	day := 24 * time.Hour
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
		want   string // "": none
	}{
		{"limit and interval are enough", ratelimit.Policy{Limit: 1, Interval: time.Second}, ""},                                                      // RL-022
		{"the smallest", ratelimit.Policy{Limit: 1, Interval: time.Second}, ""},                                                                       // RL-057, RL-060
		{"the largest", ratelimit.Policy{Limit: 1_000_000_000, Interval: 366 * day}, ""},                                                              // RL-057, RL-060
		{"no limit", ratelimit.Policy{Interval: time.Second}, "limit is required"},                                                                    // RL-056
		{"a negative limit", ratelimit.Policy{Limit: -1, Interval: time.Second}, "limit -1: 1 to 1000000000"},                                         // RL-057
		{"a limit too large", ratelimit.Policy{Limit: 1_000_000_001, Interval: time.Second}, "limit 1000000001: 1 to 1000000000"},                     // RL-057
		{"no interval", ratelimit.Policy{Limit: 1}, "interval is required"},                                                                           // RL-058
		{"an interval too short", ratelimit.Policy{Limit: 1, Interval: 999 * time.Millisecond}, "interval 999ms: 1s to 366 days"},                     // RL-060
		{"a negative interval", ratelimit.Policy{Limit: 1, Interval: -time.Second}, "interval -1s: 1s to 366 days"},                                   // RL-060
		{"an interval too long", ratelimit.Policy{Limit: 1, Interval: 367 * day}, "interval 8808h0m0s: 1s to 366 days"},                               // RL-060, peer 82
		{"a part of a second", ratelimit.Policy{Limit: 1, Interval: 1500 * time.Millisecond}, "interval 1.5s: whole seconds only"},                    // RL-060
		{"a name of all characters", ratelimit.Policy{Name: "aZ09_-.", Limit: 1, Interval: time.Second}, ""},                                          // RL-065
		{"a name with a space", ratelimit.Policy{Name: "per ip", Limit: 1, Interval: time.Second}, `name "per ip": letters, digits, _, - and . only`}, // RL-065
		{"a name with braces", ratelimit.Policy{Name: "a{b}", Limit: 1, Interval: time.Second}, `name "a{b}": letters, digits, _, - and . only`},      // RL-065
		{"a name with a colon", ratelimit.Policy{Name: "x:y", Limit: 1, Interval: time.Second}, `name "x:y": letters, digits, _, - and . only`},       // RL-065
		{"a name that is not ASCII", ratelimit.Policy{Name: "é", Limit: 1, Interval: time.Second}, `name "é": letters, digits, _, - and . only`},      // RL-065
		{"an unknown algorithm", ratelimit.Policy{Limit: 1, Interval: time.Second, Algorithm: ratelimit.BuiltIn(9)}, "algorithm: unknown built-in algorithm"},
		{"an unknown failure mode", ratelimit.Policy{Limit: 1, Interval: time.Second, OnStorageFailure: 9}, "failure mode 9 is unknown"},
		{"a storage that knows its mistakes", ratelimit.Policy{Limit: 1, Interval: time.Second, Storage: &faultyStorage{}}, "storage: no address"},
		{"a limiter of one's own", ratelimit.Policy{Name: "mine", Limiter: losingLimiter{}}, ""},
		{"a limiter of one's own with a limit", ratelimit.Policy{Limiter: losingLimiter{}, Limit: 1}, "a policy with a Limiter has no other fields than Name"},
		{"all at once", ratelimit.Policy{Name: " ", Limit: -1, Interval: 1}, "name \" \": letters, digits, _, - and . only\nlimit -1: 1 to 1000000000\ninterval 1ns: 1s to 366 days"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want == "" {
				require.NoError(t, tc.policy.Validate())
				return
			}
			require.EqualError(t, tc.policy.Validate(), tc.want)
		})
	}
}

func TestLimitersAreCheckedWhenTheyAreMade(t *testing.T) {
	_, err := ratelimit.NewLimiter(ratelimit.Policy{Limit: -1, Interval: time.Second}, ratelimit.Options{Budget: -1})
	require.EqualError(t, err, `ratelimit: policy "": a name is required
ratelimit: policy "": limit -1: 1 to 1000000000
ratelimit: policy "": budget -1ns is negative`)
}
