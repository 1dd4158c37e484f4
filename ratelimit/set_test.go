package ratelimit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

var (
	exportTarget = ratelimit.Target{Endpoint: "POST v1/export", Name: "POST.v1.export"}
	usersTarget  = ratelimit.Target{Endpoint: "GET v1/users", Name: "GET.v1.users"}
)

func newSet(t *testing.T, policies ...ratelimit.Policy) *ratelimit.Set {
	t.Helper()
	s, err := ratelimit.NewSet(policies, ratelimit.Options{Clock: newHeldClock()})
	require.NoError(t, err)
	return s
}

func newPlan(t *testing.T, s *ratelimit.Set, target ratelimit.Target, rules ...ratelimit.Rule) *ratelimit.Plan {
	t.Helper()
	p, err := s.Plan(target, rules...)
	require.NoError(t, err)
	return p
}

// ask is one request to the target at both gates, as long as none refuses.
func ask(t *testing.T, p *ratelimit.Plan, target ratelimit.Target, identity string) []ratelimit.Result {
	t.Helper()
	rc := from("192.0.2.1")
	rc.Endpoint = target.Endpoint
	results := consume(t, p, rc)
	if ratelimit.Refused(results) != nil {
		return results
	}
	rc.Stage, rc.Identity = ratelimit.AfterAuthorization, identity
	return append(results, consume(t, p, rc)...)
}

var (
	perIP   = ratelimit.Policy{Name: "perIp", Limit: 100, Interval: time.Minute}
	perUser = ratelimit.Policy{Name: "perUser", Limit: 50, Interval: time.Minute, Key: ratelimit.Identity}
)

func TestRulesSayWhichLimitsApply(t *testing.T) {
	mine := ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) {
		if rc.Stage != ratelimit.BeforeAuthorization {
			return nil, nil
		}
		return []ratelimit.Result{{Policy: "mine", Accepted: true}}, nil
	})
	inline := ratelimit.Policy{Limit: 2, Interval: time.Hour}
	for _, tc := range []struct {
		name  string
		rules []ratelimit.Rule
		want  []string
	}{
		{"no rules", nil, nil},
		{"off", []ratelimit.Rule{ratelimit.Off}, nil}, // RL-023, RL-034, RL-288
		{"off in a list", []ratelimit.Rule{ratelimit.Rules(ratelimit.Off)}, nil},
		{"a name", []ratelimit.Rule{ratelimit.Named("perIp")}, []string{"perIp"}},                                                  // RL-030
		{"two names", []ratelimit.Rule{ratelimit.Named("perIp", "perUser")}, []string{"perIp", "perUser"}},                         // RL-021, RL-031
		{"names one by one", []ratelimit.Rule{ratelimit.Named("perUser"), ratelimit.Named("perIp")}, []string{"perIp", "perUser"}}, // RL-049
		{"inline", []ratelimit.Rule{inline}, []string{"POST.v1.export"}},                                                           // RL-022, RL-032, RL-038
		{"inline with a name", []ratelimit.Rule{ratelimit.Policy{Name: "quota", Limit: 2, Interval: time.Hour, Algorithm: ratelimit.TokenBucket, Key: ratelimit.Identity}}, []string{"quota"}}, // RL-033, RL-039
		{"a limiter of one's own", []ratelimit.Rule{ratelimit.Use(mine)}, []string{"mine"}},                                                                                                    // RL-241
		{"a limiter of one's own by name", []ratelimit.Rule{ratelimit.Named("mine")}, []string{"mine"}},                                                                                        // RL-067, RL-241
		{"all kinds in a list", []ratelimit.Rule{ratelimit.Rules(ratelimit.Named("perIp"), inline), ratelimit.Use(mine)}, []string{"perIp", "POST.v1.export", "mine"}},                         // RL-025
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSet(t, perIP, perUser, ratelimit.Policy{Name: "mine", Limiter: mine})
			p := newPlan(t, s, exportTarget, tc.rules...)
			require.Equal(t, tc.want, policies(ask(t, p, exportTarget, "bearer:ab12")))
		})
	}
}

func TestEndpointsShareTheCountersOfANamedPolicy(t *testing.T) { // RL-015, RL-035
	s := newSet(t, ratelimit.Policy{Name: "perIp", Limit: 2, Interval: time.Minute})
	users := newPlan(t, s, usersTarget, ratelimit.Named("perIp"))
	export := newPlan(t, s, exportTarget, ratelimit.Named("perIp"))
	require.True(t, ask(t, users, usersTarget, "")[0].Accepted)
	require.True(t, ask(t, export, exportTarget, "")[0].Accepted)
	require.False(t, ask(t, users, usersTarget, "")[0].Accepted)
	require.False(t, ask(t, export, exportTarget, "")[0].Accepted)
}

func TestAnInlineLimitCountsForEachEndpoint(t *testing.T) {
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
		want   []string // the keys that the storage is asked for
	}{
		{"by address", ratelimit.Policy{}, []string{"GET.v1.users:ip:192.0.2.1|endpoint:GET v1/users", "POST.v1.export:ip:192.0.2.1|endpoint:POST v1/export"}},                                                   // RL-036, RL-037
		{"by endpoint", ratelimit.Policy{Key: ratelimit.Endpoint}, []string{"GET.v1.users:endpoint:GET v1/users", "POST.v1.export:endpoint:POST v1/export"}},                                                     // RL-037
		{"by both", ratelimit.Policy{Key: ratelimit.Keys(ratelimit.Endpoint, ratelimit.IP)}, []string{"GET.v1.users:endpoint:GET v1/users|ip:192.0.2.1", "POST.v1.export:endpoint:POST v1/export|ip:192.0.2.1"}}, // RL-037
		{"by identity", ratelimit.Policy{Key: ratelimit.Identity}, []string{"GET.v1.users:identity:bearer:ab12|endpoint:GET v1/users", "POST.v1.export:identity:bearer:ab12|endpoint:POST v1/export"}},           // RL-037
		{"by an own key", ratelimit.Policy{Key: textKey("acme", true, nil)}, []string{"GET.v1.users:acme|endpoint:GET v1/users", "POST.v1.export:acme|endpoint:POST v1/export"}},                                 // RL-037
		{"under one name", ratelimit.Policy{Name: "quota"}, []string{"quota:ip:192.0.2.1|endpoint:GET v1/users", "quota:ip:192.0.2.1|endpoint:POST v1/export"}},                                                  // RL-039
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &fakeStorage{}
			s, err := ratelimit.NewSet(nil, ratelimit.Options{Storage: storage})
			require.NoError(t, err)
			tc.policy.Limit, tc.policy.Interval = 2, time.Hour
			for _, target := range []ratelimit.Target{usersTarget, exportTarget} {
				ask(t, newPlan(t, s, target, tc.policy), target, "bearer:ab12")
			}
			require.Equal(t, tc.want, storage.keys)
		})
	}
}

func TestMistakesOfNamedPolicies(t *testing.T) {
	_, err := ratelimit.NewSet([]ratelimit.Policy{
		{Name: "perIp", Limit: 1, Interval: time.Minute},
		{Name: "perIp", Limit: 2, Interval: time.Minute}, // RL-040, RL-066
		{Name: "PERIP", Limit: 3, Interval: time.Minute},
		{Limit: 4, Interval: time.Minute},
		{Name: "per ip", Limit: 5, Interval: time.Minute}, // RL-065
		{Name: "wrong"}, // RL-056, RL-058
	}, ratelimit.Options{})
	require.EqualError(t, err, `rate limit "perIp": the name is taken by rate limit "perIp": they would share counters or be mixed up in the header fields
rate limit "PERIP": the name is taken by rate limit "perIp": they would share counters or be mixed up in the header fields
rate limit 4 has no name
rate limit "per ip": name "per ip": letters, digits, _, - and . only
rate limit "wrong": limit is required
rate limit "wrong": interval is required`)
}

func TestMistakesOfRules(t *testing.T) {
	inline := ratelimit.Policy{Limit: 2, Interval: time.Hour}
	own := newLimiter(t, ratelimit.Policy{Name: "own", Limit: 1, Interval: time.Minute}, ratelimit.Options{})
	for _, tc := range []struct {
		name  string
		rules []ratelimit.Rule
		want  string
	}{
		{"an unknown name", []ratelimit.Rule{ratelimit.Named("perIpp")}, `there is no rate limit "perIpp"; known: perIp, perUser`}, // RL-028
		{"a nil rule", []ratelimit.Rule{nil}, "a rate limit rule is nil: leave it out for the default, or write ratelimit.Off for none"},
		{"no name", []ratelimit.Rule{ratelimit.Named()}, "Named has no name: write ratelimit.Off for no limit"},                // AMB-06
		{"an empty list", []ratelimit.Rule{ratelimit.Rules()}, "a list of rate limits is empty: write ratelimit.Off for none"}, // AMB-06
		{"no limiter", []ratelimit.Rule{ratelimit.Use(nil)}, "Use has no limiter"},
		{"off and more", []ratelimit.Rule{ratelimit.Off, ratelimit.Named("perIp")}, "Off stands beside other limits: it is no limit at all"},                               // AMB-06
		{"off in a list and more", []ratelimit.Rule{ratelimit.Rules(ratelimit.Named("perIp"), ratelimit.Off)}, "Off stands beside other limits: it is no limit at all"},    // AMB-06
		{"a policy twice", []ratelimit.Rule{ratelimit.Named("perIp"), ratelimit.Named("perIp")}, `the rate limit "perIp" stands twice in the list: it would count double`}, // AMB-06
		{"a policy twice through a chain", []ratelimit.Rule{ratelimit.Use(own), ratelimit.Use(ratelimit.Chain(own))}, `the rate limit "own" stands twice in the list: it would count double`},
		{"inline twice", []ratelimit.Rule{inline, inline}, `two rate limits of the list are called "POST.v1.export" and "POST.v1.export": give one another Name`}, // RL-043, AMB-03
		{"names that differ in case", []ratelimit.Rule{ratelimit.Policy{Name: "a", Limit: 1, Interval: time.Hour}, ratelimit.Policy{Name: "A", Limit: 1, Interval: time.Hour}}, `two rate limits of the list are called "a" and "A": give one another Name`},
		{"inline called like a named one", []ratelimit.Rule{ratelimit.Policy{Name: "perIp", Limit: 2, Interval: time.Hour}}, `the inline rate limit is called "perIp" like the named one: write ratelimit.Named("perIp") to share its counters, or give it another Name`}, // RL-041
		{"inline called like a named one but for case", []ratelimit.Rule{ratelimit.Policy{Name: "PERIP", Limit: 2, Interval: time.Hour}}, `the inline rate limit is called "PERIP" like the named one: write ratelimit.Named("perIp") to share its counters, or give it another Name`},
		{"a faulty inline limit", []ratelimit.Rule{ratelimit.Policy{Limit: -2, Interval: time.Millisecond}}, "inline rate limit \"POST.v1.export\": limit -2: 1 to 1000000000\ninline rate limit \"POST.v1.export\": interval 1ms: 1s to 366 days"},
		{"all at once", []ratelimit.Rule{ratelimit.Named("x", "y"), nil}, "there is no rate limit \"x\"; known: perIp, perUser\nthere is no rate limit \"y\"; known: perIp, perUser\na rate limit rule is nil: leave it out for the default, or write ratelimit.Off for none"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := newSet(t, perIP, perUser).Plan(exportTarget, tc.rules...)
			require.EqualError(t, err, tc.want)
		})
	}
}

func TestADerivedNameMayNotBeThatOfANamedPolicy(t *testing.T) { // RL-042, AMB-04
	s := newSet(t, ratelimit.Policy{Name: "POST.v1.export", Limit: 1, Interval: time.Minute})
	_, err := s.Plan(exportTarget, ratelimit.Policy{Limit: 2, Interval: time.Hour})
	require.ErrorContains(t, err, `the inline rate limit is called "POST.v1.export" like the named one`)
}

func TestAFaultyNamedPolicyIsReportedOnce(t *testing.T) {
	s, err := ratelimit.NewSet([]ratelimit.Policy{{Name: "wrong"}}, ratelimit.Options{})
	require.Error(t, err)
	_, err = s.Plan(usersTarget, ratelimit.Named("wrong"))
	require.NoError(t, err)
}

func TestUnusedPoliciesAreKnown(t *testing.T) {
	s := newSet(t, perIP, perUser)
	newPlan(t, s, usersTarget, ratelimit.Named("perUser"))
	require.Equal(t, []string{"perIp"}, s.Unused())
}

func TestAPlanKnowsItsLimitsByIdentity(t *testing.T) {
	s := newSet(t, perIP, perUser)
	p := newPlan(t, s, usersTarget,
		ratelimit.Named("perIp", "perUser"), // RL-093, RL-094
		ratelimit.Policy{Name: "list", Limit: 1, Interval: time.Minute, Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint)}, // RL-095
		ratelimit.Policy{Name: "own", Limit: 1, Interval: time.Minute, Key: ratelimit.IdentityKeyFunc(textKey("a", true, nil))})      // AMB-20
	require.Equal(t, []string{"perUser", "list"}, p.ByIdentity())
	require.True(t, p.At(ratelimit.BeforeAuthorization))
	require.True(t, p.At(ratelimit.AfterAuthorization))
}
