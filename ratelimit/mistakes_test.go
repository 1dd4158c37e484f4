package ratelimit_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// faultyPart panics when it is asked at build, whatever it is used as.
type faultyPart struct{ fakeStorage }

func (*faultyPart) Validate() error { panic("boom") }

// panickingBuild is valid until the build asks more of it.
type panickingBuild struct{ spoilingKey }

func (panickingBuild) NeedsIdentity() bool { panic("boom") }
func (panickingBuild) Name() string        { panic("boom") }
func (panickingBuild) Prepare([]ratelimit.Algorithm) error {
	panic("boom")
}

func (panickingBuild) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome {
	return ratelimit.Outcome{}
}

func (panickingBuild) Consume(context.Context, []byte, ratelimit.Algorithm, ratelimit.Take) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, nil
}

// calledAlgorithm is an algorithm with that name.
type calledAlgorithm struct {
	minimumGap
	name string
}

func (a calledAlgorithm) Name() string { return a.name }

// pointerPart is a pointer that is used as any part.
type pointerPart struct {
	fakeStorage
	minimumGap
	spoilingKey
}

func (*pointerPart) Now() time.Time { return noon }

type pointerLimiter struct{ losingLimiter }

func TestPartsThatAreNilOrPanicAreMistakes(t *testing.T) {
	var none *pointerPart
	policy := func(change func(*ratelimit.Policy)) ratelimit.Policy {
		p := ratelimit.Policy{Limit: 1, Interval: time.Minute}
		change(&p)
		return p
	}
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
		want   string
	}{
		{"a nil algorithm", policy(func(p *ratelimit.Policy) { p.Algorithm = none }), "algorithm: it is a nil *ratelimit_test.pointerPart"},
		{"a nil key", policy(func(p *ratelimit.Policy) { p.Key = none }), "key: it is a nil *ratelimit_test.pointerPart"},
		{"nil keys in a list", policy(func(p *ratelimit.Policy) { p.Key = ratelimit.Keys(nil, none, ratelimit.KeyFunc(nil)) }),
			"key: part 1 is nil\nkey: part 2: it is a nil *ratelimit_test.pointerPart\nkey: part 3: it is a nil ratelimit.KeyFunc"},
		{"a nil storage", policy(func(p *ratelimit.Policy) { p.Storage = (*fakeStorage)(nil) }), "storage: it is a nil *ratelimit_test.fakeStorage"},
		{"a nil key-value store", policy(func(p *ratelimit.Policy) {
			p.Storage = ratelimit.FromKeyValue((*mapStore)(nil), ratelimit.KeyValueOptions{})
		}), "storage: key-value store: it is a nil *ratelimit_test.mapStore"},
		{"a nil limiter", ratelimit.Policy{Limiter: (*pointerLimiter)(nil)}, "limiter: it is a nil *ratelimit_test.pointerLimiter"},
		{"a storage whose Validate panics", policy(func(p *ratelimit.Policy) { p.Storage = &faultyPart{} }), "storage: it panics: boom"},
		{"a key that panics", policy(func(p *ratelimit.Policy) { p.Key = panickingBuild{} }), "key: it panics: boom"},
		{"a key in a list that panics", policy(func(p *ratelimit.Policy) { p.Key = ratelimit.Keys(ratelimit.IP, panickingBuild{}) }), "key: part 2: it panics: boom"},
		{"an algorithm that panics", policy(func(p *ratelimit.Policy) { p.Algorithm = panickingBuild{} }), "algorithm: it panics: boom"},
		{"an algorithm without a name", policy(func(p *ratelimit.Policy) { p.Algorithm = calledAlgorithm{} }), `algorithm: name "": letters and digits only`},
		{"a name with a colon", policy(func(p *ratelimit.Policy) { p.Algorithm = calledAlgorithm{name: "a:b"} }), `algorithm: name "a:b": letters and digits only`},
		{"the name of a built-in one", policy(func(p *ratelimit.Policy) { p.Algorithm = calledAlgorithm{name: "fixedWindow"} }), `algorithm: name "fixedWindow" is that of a built-in one: they would read each other's counters`},
		{"a chain without limiters", ratelimit.Policy{Limiter: ratelimit.Chain()}, "limiter: the chain has no limiter"},
		{"a chain of mistakes", ratelimit.Policy{Limiter: ratelimit.Chain(nil, ratelimit.CheckFunc(nil), losingLimiter{}, ratelimit.Chain(ratelimit.Chain(), (*pointerLimiter)(nil)), (*ratelimit.Plan)(nil))},
			`limiter: limiter 1 of the chain: it is nil
limiter: limiter 2 of the chain: it is a nil ratelimit.CheckFunc
limiter: limiter 4 of the chain: the chain has no limiter
limiter: limiter 5 of the chain: it is a nil *ratelimit_test.pointerLimiter
limiter: limiter 6 of the chain: it is a nil *ratelimit.Plan`},
	} {
		t.Run(tc.name, func(t *testing.T) { require.EqualError(t, tc.policy.Validate(), tc.want) })
	}
	options := ratelimit.Options{Storage: (*fakeStorage)(nil), Clock: (*heldClock)(nil)}
	require.EqualError(t, options.Validate(), "storage: it is a nil *ratelimit_test.fakeStorage\nclock: it is a nil *ratelimit_test.heldClock")
	_, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, Storage: panickingBuild{}}, ratelimit.Options{})
	require.EqualError(t, err, `ratelimit: rate limits ["x"]: it panics: boom`)
}

func TestALimiterIsCheckedWhereverItIsTaken(t *testing.T) {
	for _, tc := range []struct {
		name    string
		limiter ratelimit.Limiter
		want    string
	}{
		{"a nil one", (*pointerLimiter)(nil), "limiter: it is a nil *ratelimit_test.pointerLimiter"},
		{"a nil function", ratelimit.CheckFunc(nil), "limiter: it is a nil ratelimit.CheckFunc"},
		{"an empty chain", ratelimit.Chain(), "limiter: the chain has no limiter"},
		{"nil in a chain", ratelimit.Chain(nil), "limiter: limiter 1 of the chain: it is nil"},
		{"a nil function in a chain", ratelimit.Chain(losingLimiter{}, ratelimit.CheckFunc(nil)), "limiter: limiter 2 of the chain: it is a nil ratelimit.CheckFunc"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := newSet(t).Plan(usersTarget, ratelimit.Use(tc.limiter))
			require.EqualError(t, err, tc.want)
			_, err = ratelimit.Middleware(tc.limiter, ratelimit.MiddlewareOptions{})
			require.EqualError(t, err, "ratelimit: middleware: "+tc.want)
		})
	}
}

func TestTheLimitsOfAPlanAreSeenInAChain(t *testing.T) {
	p := newPlan(t, newSet(t, perIP), usersTarget, ratelimit.Named("perIp"))
	_, err := newSet(t).Plan(usersTarget, ratelimit.Use(p), ratelimit.Use(ratelimit.Chain(p)))
	require.EqualError(t, err, `the rate limit "perIp" stands twice in the list: it would count double`)
}

func TestOnlyTheRulesOfThePackageAreRules(t *testing.T) {
	policy := ratelimit.Policy{Limit: 1, Interval: time.Minute}
	type embedded struct{ ratelimit.Rule }
	for name, rule := range map[string]ratelimit.Rule{
		"*ratelimit.Policy":                   &policy,
		"struct { ratelimit.Policy }":         struct{ ratelimit.Policy }{policy},
		"ratelimit_test.embedded":             embedded{},
		"*ratelimit_test.embedded":            &embedded{policy},
		"struct { *ratelimit_test.embedded }": struct{ *embedded }{&embedded{ratelimit.Named("perIp")}},
		"struct { ratelimit.Rule }":           struct{ ratelimit.Rule }{ratelimit.Rules(policy)},
		"struct { ratelimit.Rule; off bool }": struct {
			ratelimit.Rule
			off bool
		}{Rule: ratelimit.Off},
		"struct { used bool; ratelimit.Rule }": struct {
			used bool
			ratelimit.Rule
		}{Rule: ratelimit.Use(losingLimiter{})},
	} {
		for _, rules := range [][]ratelimit.Rule{{rule}, {ratelimit.Rules(rule)}} {
			_, err := newSet(t, perIP).Plan(usersTarget, rules...)
			require.EqualError(t, err, name+" is no rate limit rule: write the Policy, Named, Use, Rules or Off itself")
		}
	}
	_, err := newSet(t).Plan(usersTarget, (*ratelimit.Policy)(nil))
	require.EqualError(t, err, "*ratelimit.Policy is no rate limit rule: write the Policy, Named, Use, Rules or Off itself")
}

func TestAPartThatSeveralPoliciesShareIsReportedOnce(t *testing.T) {
	storage := &faultyStorage{}
	policy := func(name string) ratelimit.Policy {
		return ratelimit.Policy{Name: name, Limit: 1, Interval: time.Minute, Storage: storage}
	}
	s, err := ratelimit.NewSet([]ratelimit.Policy{policy("a"), policy("b")}, ratelimit.Options{Storage: storage})
	require.EqualError(t, err, "storage: no address")
	_, err = s.Plan(usersTarget, ratelimit.Named("a", "b"), policy("c"), ratelimit.Policy{Limit: 1, Interval: time.Minute})
	require.NoError(t, err, "it was reported")

	_, err = ratelimit.NewSet([]ratelimit.Policy{policy("a"), policy("b")}, ratelimit.Options{})
	require.EqualError(t, err, `rate limit "a": storage: no address`)
	for range 2 { // a plan of its own is never made of a faulty part in silence
		_, err = newSet(t).Plan(usersTarget, policy("a"), policy("b"))
		require.EqualError(t, err, `inline rate limit "a": storage: no address`)
	}
}

func TestInlineLimitsThatHaveNoNameYet(t *testing.T) {
	inline := ratelimit.Policy{Limit: 1, Interval: time.Minute}
	for _, tc := range []struct {
		name  string
		rules []ratelimit.Rule
		want  string
	}{
		{"one", []ratelimit.Rule{inline, ratelimit.Named("perIp")}, ""},
		{"two", []ratelimit.Rule{inline, inline}, "2 inline rate limits of the list have no name, so all would be called alike: give them a Name"},
		{"a faulty one", []ratelimit.Rule{ratelimit.Policy{Limit: 1}}, "inline rate limit: interval is required"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := newSet(t, perIP).Plan(ratelimit.Target{}, tc.rules...)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
		})
	}
}
