package sallyport_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// own is a limiter of the program.
var own = ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) {
	if rc.Stage != ratelimit.BeforeAuthorization {
		return nil, nil
	}
	return []ratelimit.Result{{Policy: "own", Limit: 7, Window: time.Minute, Accepted: true, Remaining: 6, ResetAfter: time.Minute}}, nil
})

// Every form of a rate limit means the same wherever it is written.
func TestTheFormsOfARateLimit(t *testing.T) { // RL-002, RL-025
	const (
		policies = "rateLimits:\n  perIp: {limit: 3, interval: 1 minute}\n  perAll: {limit: 9, interval: 1 hour, key: endpoint}\n  mine: own\n"
		asJSON   = `{"rateLimits": {"perIp": {"limit": 3, "interval": "1 minute"}, "perAll": {"limit": 9, "interval": "1 hour", "key": "endpoint"}, "mine": "own"}`
	)
	parts := sallyport.Parts{Limiters: map[string]ratelimit.Limiter{"own": own}}
	inline := ratelimit.Policy{Limit: 2, Interval: time.Hour}
	full := ratelimit.Policy{Name: "quota", Limit: 2, Interval: 48 * time.Hour, Algorithm: ratelimit.TokenBucket, Key: ratelimit.Endpoint, OnStorageFailure: ratelimit.FailClosed}
	for _, tc := range []struct {
		name       string
		yaml, json string
		rules      []ratelimit.Rule
		policy     string
	}{
		{"a name", "perIp", `"perIp"`,
			[]ratelimit.Rule{ratelimit.Named("perIp")}, `"perIp";q=3;w=60`},
		{"a list", "[perAll, perIp]", `["perAll", "perIp"]`,
			[]ratelimit.Rule{ratelimit.Named("perAll", "perIp")}, `"perAll";q=9;w=3600, "perIp";q=3;w=60`},
		{"a list in lines of its own", "\n    - perAll\n    - perIp", `["perAll", "perIp"]`,
			[]ratelimit.Rule{ratelimit.Named("perAll", "perIp")}, `"perAll";q=9;w=3600, "perIp";q=3;w=60`},
		{"a list of one", "[perIp]", `["perIp"]`,
			[]ratelimit.Rule{ratelimit.Named("perIp")}, `"perIp";q=3;w=60`},
		{"an inline limit", "{limit: 2, interval: 1 hour}", `{"limit": 2, "interval": "1 hour"}`,
			[]ratelimit.Rule{inline}, `"GET.v1.users";q=2;w=3600`},
		{"one with all its options", "{name: quota, limit: 2, interval: 2 days, algorithm: tokenBucket, key: endpoint, onStorageFailure: closed}",
			`{"name": "quota", "limit": 2, "interval": "2 days", "algorithm": "tokenBucket", "key": "endpoint", "onStorageFailure": "closed"}`,
			[]ratelimit.Rule{full}, `"quota";q=2;w=172800`},
		{"none", "false", "false",
			[]ratelimit.Rule{ratelimit.Off}, ""},
		{"a limiter of the program", "own", `"own"`,
			[]ratelimit.Rule{ratelimit.Use(own)}, `"own";q=7;w=60`},
		{"one behind a name", "mine", `"mine"`,
			[]ratelimit.Rule{ratelimit.Named("mine")}, `"own";q=7;w=60`},
		{"a list of all kinds", "[perIp, {limit: 2, interval: 1 hour}, own]", `["perIp", {"limit": 2, "interval": "1 hour"}, "own"]`, // AMB-06
			[]ratelimit.Rule{ratelimit.Named("perIp"), inline, ratelimit.Use(own)}, `"perIp";q=3;w=60, "GET.v1.users";q=2;w=3600, "own";q=7;w=60`},
		{"null, which says nothing", "null", "null", nil, ""},
		{"nothing", "", "null", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			serve := func(c sallyport.Config, h api.Handler, rules ...ratelimit.Rule) string {
				p := newProgram(c)
				p.AddApi(api.GET("1", "users"), h, open, rules...)
				policy, _ := limitsOf(get(p.build(t), "/api/v1/users"))
				return policy
			}
			bare := parse(t, policies, parts)
			require.Equal(t, tc.policy, serve(parse(t, policies+"endpoints:\n  GET.v1.users:\n    rateLimit: "+tc.yaml, parts), ok))
			require.Equal(t, tc.policy, serve(parse(t, policies+"defaults:\n  rateLimit: "+tc.yaml, parts), ok)) // AMB-05
			require.Equal(t, tc.policy, serve(parse(t, asJSON+`, "endpoints": {"GET.v1.users": {"rateLimit": `+tc.json+"}}}", parts), ok))
			require.Equal(t, tc.policy, serve(parse(t, asJSON+`, "defaults": {"rateLimit": `+tc.json+"}}", parts), ok))
			require.Equal(t, tc.policy, serve(bare, ok, tc.rules...))
			require.Equal(t, tc.policy, serve(bare, limitedHandler{ok, tc.rules}))
		})
	}
}

func TestMistakesOfARateLimit(t *testing.T) {
	const (
		policies = "rateLimits: {perIp: {limit: 3, interval: 60}, quick: {limit: 1, interval: 1, name: slow}}\nendpoints:\n  GET.v1.users:\n    rateLimit: "
		at       = "endpoints.GET.v1.users.rateLimit: line 4, column 16: "
		known    = "known: perIp, quick; for none write false"
	)
	for _, tc := range []struct{ rule, want string }{
		{"true", at + "true: write a name, or a map of limit and interval, a list of these, or false for none"},
		{"7", at + "7: write a name, or a map of limit and interval, a list of these, or false for none"},
		{"''", at + "the text is empty"},
		{"[]", at + "the list is empty"},
		{"perIpp", at + `there is no rate limit "perIpp"; did you mean perIp? ` + known}, // RL-028
		{"PERIP", at + `there is no rate limit "PERIP"; did you mean perIp? ` + known},
		{"off", at + `there is no rate limit "off"; ` + known},
		{"slow", at + `there is no rate limit "slow"; ` + known},
		{"[perIp, false]", "endpoints.GET.v1.users.rateLimit[1]: line 4, column 24: false: write a name, or a map of limit and interval"}, // AMB-06
		{"[null]", "endpoints.GET.v1.users.rateLimit[0]: line 4, column 17: nothing: write a name, or a map of limit and interval"},
		{"[[perIp]]", "endpoints.GET.v1.users.rateLimit[0]: line 4, column 17: a list: write a name, or a map of limit and interval"}, // AMB-06
		{"[perIp, perIp]", at + `the rate limit "perIp" stands twice in the list: it would count double`},
		{"{name: PerIp, limit: 2, interval: 60}", "endpoints.GET.v1.users.rateLimit.name: line 4, column 23: " +
			`the inline rate limit is called "PerIp" like a named one: write perIp to share its counters, or give it another name`}, // RL-041
		{"{name: slow, limit: 2, interval: 60}", "endpoints.GET.v1.users.rateLimit.name: line 4, column 23: " +
			`the inline rate limit is called "slow" like a named one: write quick to share its counters, or give it another name`}, // RL-041
		{"[{limit: 2, interval: 60}, {limit: 3, interval: 1}]", at +
			`two rate limits of the list are called "GET.v1.users" and "GET.v1.users": give one another Name`}, // RL-043, AMB-03
		{"{limit: 2, interval: 60, rate: 5}", "endpoints.GET.v1.users.rateLimit.rate: line 4, column 41: " +
			`there is no field "rate"; known: algorithm, limit, interval, key, name, onStorageFailure`}, // RL-029
	} {
		require.Equal(t, []string{tc.want}, mistakes(t, policies+tc.rule, sallyport.Parts{}), tc.rule)
	}
}

func TestMistakesOfEntries(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{"rateLimits: {GET.v1.users: {limit: 3, interval: 60}}\nendpoints: {GET.v1.users: {rateLimit: {limit: 1, interval: 1}}}", // RL-042, AMB-04
			`endpoints.GET.v1.users.rateLimit: line 2, column 39: the inline rate limit is called "GET.v1.users" like a named one: write GET.v1.users to share its counters, or give it another name`},
		{"defaults: {rateLimit: [{limit: 1, interval: 1}, {limit: 2, interval: 60}]}",
			"defaults.rateLimit: line 1, column 23: 2 inline rate limits of the list have no name, so all would be called alike: give them a Name"},
		{"endpoints: {GET v1/users: {rateLimit: false}}", `endpoints."GET v1/users": line 1, column 13: write the derived name of the endpoint, such as POST.v1.login for "POST v1/login"`},
		{"endpoints: {GET.v1.users: false}", "endpoints.GET.v1.users: line 1, column 27: false: write a map of rateLimit"},
		{"endpoints: {GET.v1.users: {ratelimit: false}}", `endpoints.GET.v1.users.ratelimit: line 1, column 28: there is no field "ratelimit"; did you mean rateLimit? known: rateLimit`},
		{"endpoints: {GET.v1.users: }", "endpoints.GET.v1.users: line 1, column 27: nothing: write a map of rateLimit"},
		{"endpoints: {GET.v1.users: {}}", "endpoints.GET.v1.users: line 1, column 27: the map is empty: leave the endpoint out, or write its rateLimit"},
		{"endpoints: [GET.v1.users]", "endpoints: line 1, column 12: a list: write a map of endpoints, such as POST.v1.login"},
		{"endpoints:\n  GET.v1.users: {rateLimit: false}\n  GET.v1.users:\n", "endpoints.GET.v1.users: line 3, column 3: it stands in line 2 already"},
	} {
		require.Equal(t, []string{tc.want}, mistakes(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

func TestADefaultMayBeBesideALimitCalledDefault(t *testing.T) {
	for _, file := range []string{
		"rateLimits: {default: {limit: 3, interval: 60}}\ndefaults: {rateLimit: {limit: 1, interval: 60}}",
		"rateLimits: {default: {limit: 3, interval: 60}}\ndefaults: {rateLimit: [default, {limit: 1, interval: 60}]}",
		"defaults: {rateLimit: [{limit: 1, interval: 60}, {name: default, limit: 3, interval: 60}]}",
	} {
		require.NotNil(t, parse(t, file, sallyport.Parts{}).Defaults.RateLimit, file)
	}
}
