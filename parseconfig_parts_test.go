package sallyport_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// minimumGap admits a request every interval / limit, without bursts. Its state
// is the time of the last one.
type minimumGap struct{}

func (minimumGap) Name() string { return "minimumGap" }

func (minimumGap) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	gap := t.Interval / t.Limit
	if wait := s[0] + gap - t.Now; s[0] > 0 && wait > 0 {
		return ratelimit.Outcome{Decision: ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}}
	}
	return ratelimit.Outcome{
		Decision: ratelimit.Decision{Accepted: true, ResetAfter: gap, RetryAfter: ratelimit.NoRetryMicros},
		State:    ratelimit.State{t.Now},
		TTL:      gap,
	}
}

func TestAnAlgorithmOfTheProgram(t *testing.T) {
	parts := sallyport.Parts{Algorithms: map[string]ratelimit.Algorithm{"minimumGap": minimumGap{}}}
	p := newProgram(parse(t, `
rateLimits:
  steady: {algorithm: minimumGap, limit: 60, interval: 1 minute}
endpoints:
  GET.v1.named: {rateLimit: steady}
  GET.v1.inline: {rateLimit: {algorithm: minimumGap, limit: 30, interval: 1 minute}}
`, parts))
	p.AddApi(api.GET("1", "named"), ok, open)
	p.AddApi(api.GET("1", "inline"), ok, open)
	p.AddApi(api.GET("1", "handler"), limitedHandler{ok, []ratelimit.Rule{ratelimit.Policy{Algorithm: minimumGap{}, Limit: 20, Interval: time.Minute}}}, open)
	h := p.build(t)
	paths := []string{"/api/v1/named", "/api/v1/inline", "/api/v1/handler"}
	all := func() (list []int) {
		for _, path := range paths {
			list = append(list, get(h, path).StatusCode)
		}
		return list
	}
	require.Equal(t, []int{200, 200, 200}, all()) // RL-055, RL-266
	require.Equal(t, []int{429, 429, 429}, all())
	p.clock.Advance(time.Second)
	require.Equal(t, []int{200, 429, 429}, all()) // RL-267
	p.clock.Advance(time.Second)
	require.Equal(t, []int{200, 200, 429}, all())
}

func TestAKeyOfTheProgram(t *testing.T) {
	tenant := ratelimit.KeyFunc(func(_ context.Context, rc *ratelimit.Context) (string, bool, error) {
		name := rc.Request.Header.Get("X-Tenant")
		return name, name != "", nil
	})
	p := newProgram(parse(t, `
rateLimits:
  perTenant: {limit: 1, interval: 1 hour, key: tenant}
  perTenantAndUser: {limit: 1, interval: 1 hour, key: [tenant, identity]}
endpoints:
  GET.v1.a: {rateLimit: perTenant}
  GET.v1.b: {rateLimit: perTenantAndUser}
`, sallyport.Parts{Keys: map[string]ratelimit.Key{"tenant": tenant}}))
	p.AddApi(api.GET("1", "a"), ok, bearer)
	p.AddApi(api.GET("1", "b"), ok, bearer)
	h := p.build(t)
	as := func(tenant, token, path string) int {
		return send(h, request{path: path, token: token, header: map[string][]string{"X-Tenant": {tenant}}}).StatusCode
	}
	require.Equal(t, []int{200, 429, 200}, []int{ // RL-209
		as("one", "my-token", "/api/v1/a"), as("one", "other-token", "/api/v1/a"), as("two", "my-token", "/api/v1/a")})
	require.Equal(t, []int{200, 200, 200, 429}, []int{ // RL-210
		as("one", "my-token", "/api/v1/b"), as("one", "other-token", "/api/v1/b"), as("two", "my-token", "/api/v1/b"), as("one", "my-token", "/api/v1/b")})
}

func TestALimiterOfTheProgram(t *testing.T) { // RL-067, RL-068
	left := 4
	countdown := ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) {
		if rc.Stage != ratelimit.BeforeAuthorization {
			return nil, nil
		}
		left--
		return []ratelimit.Result{{Policy: "countdown", Limit: 4, Accepted: left >= 0, Remaining: int64(max(left, 0)), RetryAfter: ratelimit.Never}}, nil
	})
	p := newProgram(parse(t, `
rateLimits:
  mine: countdown
  perIp: {limit: 9, interval: 60}
defaults: {rateLimit: mine}
endpoints:
  GET.v1.named: {rateLimit: mine}
  GET.v1.itself: {rateLimit: countdown}
  GET.v1.list: {rateLimit: [perIp, countdown]}
`, sallyport.Parts{Limiters: map[string]ratelimit.Limiter{"countdown": countdown}}))
	for _, name := range []string{"default", "named", "itself", "list"} {
		p.AddApi(api.GET("1", name), ok, open)
	}
	h := p.build(t)
	for _, name := range []string{"default", "named", "itself", "list"} {
		require.Equal(t, 200, get(h, "/api/v1/"+name).StatusCode, name)
	}
	for _, name := range []string{"default", "named", "itself", "list"} {
		require.Equal(t, 429, get(h, "/api/v1/"+name).StatusCode, name)
	}
}

func TestAStorageOfTheProgram(t *testing.T) {
	const rest = "\nrateLimits: {perIp: {limit: 1, interval: 60}}\nendpoints: {GET.v1.users: {rateLimit: perIp}}"
	for _, tc := range []struct{ storage, prefix, address string }{
		{"{storage: redis}", "", ""},
		{"{storage: redis, prefix: 'myapp:rate-limit:'}", "myapp:rate-limit:", ""},
		{"{storage: {name: redis}}", "", ""},
		{"{prefix: 'a:', storage: {name: redis, options: {address: 'localhost:6379', database: 7, tls: true}}}", "a:", "localhost:6379"}, // RL-232
	} {
		opened := 0
		var late sallyport.StorageConfig
		redis := func(c sallyport.StorageConfig) (ratelimit.Storage, error) {
			require.Equal(t, tc.prefix, c.Prefix(), tc.storage)
			require.Equal(t, tc.address, c.Option("address"), tc.storage)
			require.Contains(t, []string{"", "7"}, c.Option("database"))
			require.Contains(t, []string{"", "true"}, c.Option("tls"))
			require.Empty(t, c.Option("user"))
			late = c
			return ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) {
				opened++
				return ratelimit.NewMemory(ratelimit.MemoryOptions{}), nil
			}), nil
		}
		p := newProgram(parse(t, "rateLimiting: "+tc.storage+rest, sallyport.Parts{Storages: map[string]sallyport.StorageFunc{"redis": redis}})) // RL-101
		p.AddApi(api.GET("1", "users"), ok, open)
		p.AddApi(api.GET("1", "status"), ok, open)
		h := p.build(t)
		require.Equal(t, 200, get(h, "/api/v1/status").StatusCode)
		require.Zero(t, opened)                                                           // RL-170, RL-172
		require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v1/users"})) // RL-101
		require.Equal(t, 1, opened)
		require.Empty(t, late.Option("asked for too late"))
	}
	require.Empty(t, sallyport.StorageConfig{}.Option("address"))
	require.Empty(t, sallyport.StorageConfig{}.Prefix())
}

func TestMistakesOfParts(t *testing.T) {
	down := errors.New("there is no such folder")
	storages := map[string]sallyport.StorageFunc{
		"broken": func(sallyport.StorageConfig) (ratelimit.Storage, error) {
			return nil, errors.Join(down, errors.New("and another"))
		},
		"outage": func(sallyport.StorageConfig) (ratelimit.Storage, error) { return nil, ratelimit.Unavailable(down) },
		"panics": func(sallyport.StorageConfig) (ratelimit.Storage, error) { panic("boom") },
		"none":   func(sallyport.StorageConfig) (ratelimit.Storage, error) { return nil, nil },
		"nil":    func(sallyport.StorageConfig) (ratelimit.Storage, error) { return (*ratelimit.Memory)(nil), nil },
		"wrong": func(sallyport.StorageConfig) (ratelimit.Storage, error) {
			return ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: -1}), nil
		},
		"redis": func(c sallyport.StorageConfig) (ratelimit.Storage, error) {
			_, _ = c.Option("address"), c.Option("database")
			return ratelimit.NewMemory(ratelimit.MemoryOptions{}), nil
		},
	}
	for _, tc := range []struct {
		file  string
		parts sallyport.Parts
		want  []string
	}{
		{"{}", sallyport.Parts{
			Algorithms: map[string]ratelimit.Algorithm{"tokenBucket": minimumGap{}, "nothing": nil, "wrong": ratelimit.BuiltIn(9)},
			Keys:       map[string]ratelimit.Key{"ip": ratelimit.IPKey(56), "nobody": ratelimit.KeyFunc(nil), "prefix": ratelimit.IPKey(0)},
			Limiters:   map[string]ratelimit.Limiter{"check": ratelimit.CheckFunc(nil)},
			Storages:   map[string]sallyport.StorageFunc{"memory": storages["redis"], "a b": nil},
		}, []string{
			"Parts.Algorithms.nothing: it is nil",
			"Parts.Algorithms.tokenBucket: there is a built-in one with this name",
			"Parts.Algorithms.wrong: unknown built-in algorithm",
			"Parts.Keys.ip: there is a built-in one with this name",
			"Parts.Keys.nobody: it is nil",
			"Parts.Keys.prefix: an IPv6 prefix of 0 bits: 1 to 128",
			"Parts.Limiters.check: it is nil",
			`Parts.Storages."a b": "a b" is no name: letters, digits, _, - and . only`,
			`Parts.Storages."a b": it is nil`,
			"Parts.Storages.memory: there is a built-in one with this name",
		}},
		{"rateLimits: {a: fast, fast: fast, slow: {limit: 1, interval: 1}}", sallyport.Parts{Limiters: map[string]ratelimit.Limiter{"fast": own, "slow": own}},
			[]string{"rateLimits.slow: line 1, column 35: a limiter of the program has this name, so nobody could tell which is meant"}},
		{"rateLimiting: {storage: redis}", sallyport.Parts{}, // RL-103
			[]string{`rateLimiting.storage: line 1, column 25: there is no such storage; known: memory`}},
		{"rateLimiting: {storage: broken}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage: line 1, column 25: there is no such folder", "rateLimiting.storage: line 1, column 25: and another"}},
		{"rateLimiting: {storage: outage}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage: line 1, column 25: ratelimit: storage unavailable: there is no such folder"}},
		{"rateLimiting: {storage: panics}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage: line 1, column 25: it panics: boom"}},
		{"rateLimiting: {storage: none}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage: line 1, column 25: the program has made no storage"}},
		{"rateLimiting: {storage: nil}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage: line 1, column 25: the program has made no storage"}},
		{"rateLimiting: {storage: {name: wrong}}", sallyport.Parts{Storages: storages},
			[]string{"rateLimiting.storage.name: line 1, column 32: ratelimit: memory: MaxCounters -1 is negative"}},
		{"rateLimiting: {storage: {name: redis, options: {addressx: x, database: 1}}}", sallyport.Parts{Storages: storages},
			[]string{`rateLimiting.storage.options.addressx: line 1, column 49: there is no such option; did you mean address? known: address, database`}},
	} {
		require.Equal(t, tc.want, mistakes(t, tc.file, tc.parts), tc.file)
	}
	_, err := sallyport.ParseConfig([]byte("rateLimiting: {storage: broken}"), sallyport.Parts{Storages: storages})
	require.ErrorIs(t, err, down)
}
