package sallyport_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestTheOptionsOfAPolicy(t *testing.T) {
	with := func(change func(*ratelimit.Policy)) ratelimit.Policy {
		p := ratelimit.Policy{Name: "perIp", Limit: 5, Interval: time.Minute}
		change(&p)
		return p
	}
	tenant := ratelimit.IPKey(56)
	parts := sallyport.Parts{Keys: map[string]ratelimit.Key{"site": tenant}}
	for _, tc := range []struct {
		options string
		want    ratelimit.Policy
	}{
		{"", with(func(*ratelimit.Policy) {})},                                                                                            // RL-063
		{"name: other", with(func(p *ratelimit.Policy) { p.Name = "other" })},                                                             // RL-063
		{"name: A-b_c.9", with(func(p *ratelimit.Policy) { p.Name = "A-b_c.9" })},                                                         // RL-065
		{"algorithm: slidingWindow", with(func(p *ratelimit.Policy) { p.Algorithm = ratelimit.SlidingWindow })},                           // RL-004
		{"algorithm: fixedWindow", with(func(p *ratelimit.Policy) { p.Algorithm = ratelimit.FixedWindow })},                               // RL-004
		{"algorithm: tokenBucket", with(func(p *ratelimit.Policy) { p.Algorithm = ratelimit.TokenBucket })},                               // RL-004
		{"key: ip", with(func(p *ratelimit.Policy) { p.Key = ratelimit.IP })},                                                             // RL-008, RL-062
		{"key: identity", with(func(p *ratelimit.Policy) { p.Key = ratelimit.Identity })},                                                 // RL-008, RL-062
		{"key: endpoint", with(func(p *ratelimit.Policy) { p.Key = ratelimit.Endpoint })},                                                 // RL-008, RL-062
		{"key: [identity, endpoint]", with(func(p *ratelimit.Policy) { p.Key = ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint) })}, // RL-062
		{"key: site", with(func(p *ratelimit.Policy) { p.Key = tenant })},                                                                 // RL-062, RL-209
		{"key: [site, identity]", with(func(p *ratelimit.Policy) { p.Key = ratelimit.Keys(tenant, ratelimit.Identity) })},                 // RL-062, RL-210
		{"onStorageFailure: open", with(func(*ratelimit.Policy) {})},
		{"onStorageFailure: closed", with(func(p *ratelimit.Policy) { p.OnStorageFailure = ratelimit.FailClosed })},
		{"onStorageFailure: local", with(func(p *ratelimit.Policy) { p.OnStorageFailure = ratelimit.FailLocal })},
		{"algorithm: null, key: null, name: ~", with(func(*ratelimit.Policy) {})},
	} {
		c := parse(t, "rateLimits: {perIp: {limit: 5, interval: 60, "+tc.options+"}}", parts)
		require.Equal(t, []ratelimit.Policy{tc.want}, c.RateLimits, tc.options)
	}
}

func TestPoliciesKeepTheirOrder(t *testing.T) {
	c := parse(t, "rateLimits:\n  z: {limit: 1, interval: 1}\n  a: {limit: 1000000000, interval: 366 days}\n  '10': {limit: 1, interval: 1}", sallyport.Parts{})
	require.Equal(t, []ratelimit.Policy{ // RL-057, RL-060
		{Name: "z", Limit: 1, Interval: time.Second},
		{Name: "a", Limit: 1_000_000_000, Interval: 366 * 24 * time.Hour},
		{Name: "10", Limit: 1, Interval: time.Second},
	}, c.RateLimits)
}

func TestMistakesOfPolicies(t *testing.T) {
	const number = ": write a whole number of requests, 1 to 1000000000"
	for _, tc := range []struct {
		policies string
		want     []string
	}{
		{"a: {limit: 5}", []string{"a.interval: line 2, column 6: it is required"}},                                      // RL-058
		{"a: {interval: 60}", []string{"a.limit: line 2, column 6: it is required"}},                                     // RL-056
		{"a: {}", []string{"a.limit: line 2, column 6: it is required", "a.interval: line 2, column 6: it is required"}}, // RL-056, RL-058
		{"a: {limit: null, interval: 60}", []string{"a.limit: line 2, column 6: it is required"}},                        // RL-056
		{"a: {limit: 0, interval: 60}", []string{"a.limit: line 2, column 14: 0" + number}},                              // RL-057
		{"a: {limit: -1, interval: 60}", []string{"a.limit: line 2, column 14: -1" + number}},                            // RL-057
		{"a: {limit: 1000000001, interval: 60}", []string{"a.limit: line 2, column 14: 1000000001" + number}},            // RL-057
		{"a: {limit: 1.5, interval: 60}", []string{"a.limit: line 2, column 14: 1.5" + number}},                          // RL-057
		{"a: {limit: 1e3, interval: 60}", []string{"a.limit: line 2, column 14: 1e3" + number}},                          // RL-057
		{"a: {limit: .inf, interval: 60}", []string{"a.limit: line 2, column 14: .inf" + number}},
		{`a: {limit: "100", interval: 60}`, []string{`a.limit: line 2, column 14: the text "100"` + number}}, // RL-029
		{"a: {limit: [5], interval: 60}", []string{"a.limit: line 2, column 14: a list" + number}},           // RL-029
		{"a: {limit: " + strings.Repeat("9", 100) + ", interval: 60}", []string{"a.limit: line 2, column 14: " + strings.Repeat("9", 60) + "…" + number}},
		{"a: {limt: 5, interval: 60}", []string{`a.limt: line 2, column 7: there is no field "limt"; did you mean limit? known: algorithm, limit, interval, key, name, onStorageFailure`}}, // RL-029
		{"a: 5", []string{"a: line 2, column 6: 5: write a map of limit and interval, or the name of a limiter of the program"}},
		{"a: [b]", []string{"a: line 2, column 6: a list: write a map of limit and interval, or the name of a limiter of the program"}},
		{"a: null", []string{"a: line 2, column 6: nothing: write a map of limit and interval, or the name of a limiter of the program"}},
		{"a:", []string{"a: line 2, column 5: nothing: write a map of limit and interval, or the name of a limiter of the program"}},
		{"a: fast", []string{`a: line 2, column 6: there is no limiter "fast"; known: none`}},

		{"a: {limit: 5, interval: 60, algorithm: gcra}", []string{`a.algorithm: line 2, column 42: there is no algorithm "gcra"; known: fixedWindow, slidingWindow, tokenBucket`}},
		{"a: {limit: 5, interval: 60, algorithm: 1}", []string{"a.algorithm: line 2, column 42: 1: write a text"}},
		{"a: {limit: 5, interval: 60, key: user}", []string{`a.key: line 2, column 36: there is no key "user"; known: endpoint, identity, ip`}},
		{"a: {limit: 5, interval: 60, key: [ip, user]}", []string{`a.key[1]: line 2, column 41: there is no key "user"; known: endpoint, identity, ip`}},
		{"a: {limit: 5, interval: 60, key: [ip, ip]}", []string{`a.key[1]: line 2, column 41: the text "ip" stands twice in the list`}},
		{"a: {limit: 5, interval: 60, key: [[x], {}, {}, null]}", []string{
			"a.key[0]: line 2, column 37: a list: write a text", "a.key[1]: line 2, column 42: a map: write a text",
			"a.key[2]: line 2, column 46: a map: write a text", "a.key[3]: line 2, column 50: nothing: write a text"}},
		{"a: {limit: 5, interval: 60, key: []}", []string{"a.key: line 2, column 36: the list is empty"}},
		{"a: {limit: 5, interval: 60, onStorageFailure: pass}", []string{`a.onStorageFailure: line 2, column 49: there is no failure mode "pass"; known: closed, local, open`}},

		{"per ip: {limit: 5, interval: 60}", []string{`"per ip": line 2, column 3: "per ip" is no name: letters, digits, _, - and . only`}},                                                                                          // RL-065
		{"'': {limit: 5, interval: 60}", []string{`"": line 2, column 3: "" is no name: letters, digits, _, - and . only`}},                                                                                                          // RL-065
		{"a: {limit: 5, interval: 60, name: 'x:y'}", []string{`a.name: line 2, column 37: "x:y" is no name: letters, digits, _, - and . only`}},                                                                                      // RL-065
		{"a: {limit: 5, interval: 60, name: ''}", []string{"a.name: line 2, column 37: the text is empty"}},                                                                                                                          // RL-065
		{"a: {limit: 5, interval: 60, name: b}\n  b: {limit: 5, interval: 60}", []string{"b: line 3, column 3: the name is that of the rate limit a: they would share counters or be mixed up in the header fields"}},                // RL-040, RL-066
		{"a: {limit: 5, interval: 60, name: x}\n  b: {limit: 5, interval: 60, name: X}", []string{"b.name: line 3, column 37: the name is that of the rate limit a: they would share counters or be mixed up in the header fields"}}, // RL-040, RL-066
		{"a: {limit: 5, interval: 60}\n  a: {limit: 5, interval: 60}", []string{"a: line 3, column 3: it stands in line 2 already"}},                                                                                                 // RL-066
	} {
		var want []string
		for _, w := range tc.want {
			want = append(want, "rateLimits."+w)
		}
		require.Equal(t, want, mistakes(t, "rateLimits:\n  "+tc.policies, sallyport.Parts{}), tc.policies)
	}
}

func TestIntervals(t *testing.T) { // RL-059, RL-060, AMB-19
	for _, tc := range []struct {
		text string
		want time.Duration // 0: a mistake
	}{
		{"1", time.Second},
		{"90", 90 * time.Second},
		{`"90"`, 90 * time.Second},
		{"1 second", time.Second},
		{"30 seconds", 30 * time.Second},
		{"1 minute", time.Minute},
		{"15 minutes", 15 * time.Minute},
		{"2 minute", 2 * time.Minute},
		{"1 minutes", time.Minute},
		{"2 hours", 2 * time.Hour},
		{"1 day", 24 * time.Hour},
		{"366 days", 366 * 24 * time.Hour},
		{"31622400", 366 * 24 * time.Hour},
		{"52 weeks", 52 * 7 * 24 * time.Hour},
		{`"1 week"`, 7 * 24 * time.Hour},

		{"0", 0},
		{"-60", 0},
		{"+60", 0},
		{"060", 0},
		{"1.5", 0},
		{"6e1", 0},
		{"0x3c", 0},
		{"1_000", 0},
		{"1:30", 0},
		{"31622401", 0},
		{"367 days", 0},
		{"53 weeks", 0},
		{"9223372036854775807 weeks", 0},
		{"99999999999999999999 seconds", 0},
		{"0 minutes", 0},
		{"-1 minute", 0},
		{"1.5 minutes", 0},
		{"one minute", 0},
		{"minute", 0},
		{"1 Minute", 0},
		{"1  minute", 0},
		{`" 1 minute"`, 0},
		{`"1 minute "`, 0},
		{"1minute", 0},
		{"1m", 0},
		{"1m0s", 0},
		{"1 minutess", 0},
		{"1 fortnight", 0},
		{"1 month", 0},
		{"1500 milliseconds", 0},
		{"1 hour 30 minutes", 0},
		{`""`, 0},
		{"true", 0},
		{"[60]", 0},
		{"2026-11-30", 0},
	} {
		file := []byte("timeout: " + tc.text)
		c, err := sallyport.ParseConfig(file, sallyport.Parts{})
		require.Equal(t, tc.want, c.Timeout, tc.text)
		require.Equal(t, tc.want == 0, err != nil, tc.text)
	}
}
