package sallyport_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestFaultsOfTheLimits(t *testing.T) { // peer-fw 23
	secret := errors.New("pq: password=hunter2")
	down := ratelimit.Unavailable(secret)
	storage := func(err error) ratelimit.Storage { return storageFunc(func() error { return err }) }
	policy := func(s ratelimit.Storage, mode ratelimit.FailureMode, k ratelimit.Key) ratelimit.Rule {
		return ratelimit.Policy{Name: "broken", Limit: 1, Interval: time.Hour, Storage: s, OnStorageFailure: mode, Key: k}
	}
	key := func(err error) ratelimit.Key {
		return ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "", false, err })
	}
	for _, tc := range []struct {
		name       string
		rule       ratelimit.Rule
		status     int
		retryAfter string
		limit      string
	}{
		{"an outage passes and shows nothing of that policy", policy(storage(down), ratelimit.FailOpen, nil), 200, "", `"perIp";r=2;t=60`}, // RL-169, RL-175, RL-183, RL-184
		{"an outage of a policy that fails closed", policy(storage(down), ratelimit.FailClosed, nil), 503, "1", ""},
		{"a bug of a storage", policy(storage(secret), ratelimit.FailOpen, nil), 500, "", ""},                                                                       // RL-180, RL-181
		{"a storage that panics", policy(storageFunc(func() error { panic(secret) }), ratelimit.FailOpen, nil), 500, "", ""},                                        // RL-180, RL-181
		{"an own key that fails", policy(nil, ratelimit.FailOpen, key(secret)), 500, "", ""},                                                                        // RL-182
		{"an own key whose storage is down", policy(nil, ratelimit.FailOpen, key(down)), 500, "", ""},                                                               // RL-182, AMB-23
		{"an own limiter that fails", ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return nil, secret })), 500, "", ""},          // RL-182
		{"an own limiter whose storage is down", ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return nil, down })), 500, "", ""}, // RL-182, AMB-23
	} {
		t.Run(tc.name, func(t *testing.T) {
			var kinds []api.Kind
			counting := errorhandler.Funcs{Base: errorHandlerFunc(func(f *api.Failure) { kinds = append(kinds, f.Kind) })}
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}, ErrorHandler: counting})
			p.AddApi(api.GET("1", "users"), ok, open, tc.rule, ratelimit.Named("perIp"))
			res := get(p.build(t), "/api/v1/users")
			_, limit := limitsOf(res)
			require.Equal(t, tc.status, res.StatusCode)
			require.Equal(t, tc.limit, limit)
			require.Equal(t, tc.retryAfter, res.Header.Get("Retry-After"))
			require.Equal(t, tc.status != 200, len(kinds) == 1) // RL-181
			require.NotContains(t, body(t, res), "hunter2")
			require.Contains(t, p.log.String(), "hunter2")
		})
	}
}

type storageFunc func() error

func (f storageFunc) Consume(context.Context, []byte, ratelimit.Algorithm, ratelimit.Take) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, f()
}

// errorHandlerFunc looks at the failures that errorhandler.Default answers.

type errorHandlerFunc func(f *api.Failure)

func (h errorHandlerFunc) HandleError(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
	h(f)
	return errorhandler.Default{}.HandleError(ctx, r, f)
}

func TestTheWarningOfAnOutage(t *testing.T) { // RL-177
	p := newProgram(sallyport.Config{RateLimiting: ratelimit.Options{Storage: storageFunc(func() error { return ratelimit.Unavailable(errors.New("connection refused")) })}})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Hour})
	require.Equal(t, []int{200, 200, 200}, statuses(p.build(t), 3, request{path: "/api/v1/users"}))
	require.Contains(t, p.log.String(), `level=WARN msg="rate limit storage is unavailable, the request passed without this limit" policy=perIp endpoint="GET v1/users"`)
	require.Contains(t, p.log.String(), "connection refused")
	require.Equal(t, 1, countLines(p.log.String()))
}

func TestALimiterMayHaveALoggerOfItsOwn(t *testing.T) { // RL-178
	var log strings.Builder
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "mine", Limit: 1, Interval: time.Hour}, ratelimit.Options{
		Storage: storageFunc(func() error { return ratelimit.Unavailable(nil) }),
		Logger:  slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Use(limiter))
	require.Equal(t, 200, get(p.build(t), "/api/v1/users").StatusCode)
	require.Contains(t, log.String(), "policy=mine")
	require.Empty(t, p.log.String())
}

func TestABrokenLoggerDoesNotMatter(t *testing.T) { // RL-179
	p := newProgram(sallyport.Config{RateLimiting: ratelimit.Options{
		Storage: storageFunc(func() error { return ratelimit.Unavailable(nil) }),
		Logger:  slog.New(panickingHandler{slog.DiscardHandler}),
	}})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Policy{Limit: 1, Interval: time.Hour})
	require.Equal(t, 200, get(p.build(t), "/api/v1/users").StatusCode)
}

type panickingHandler struct{ slog.Handler }

func (panickingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (panickingHandler) Handle(context.Context, slog.Record) error { panic("no disk") }

func TestStoragesAreOpenedWhenALimitNeedsThem(t *testing.T) {
	opened := 0
	lazy := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) {
		opened++
		return nil, errors.New("connection refused")
	})
	p := newProgram(sallyport.Config{RateLimiting: ratelimit.Options{Storage: lazy}})
	p.AddApi(api.GET("1", "limited"), ok, open, ratelimit.Policy{Limit: 1, Interval: time.Hour})
	p.AddApi(api.GET("1", "unlimited"), ok, open)
	h := p.build(t)
	require.Zero(t, opened) // RL-170
	require.Equal(t, []int{200, 200}, statuses(h, 2, request{path: "/api/v1/unlimited"}))
	require.Zero(t, opened) // RL-172
	require.Equal(t, []int{200, 200}, statuses(h, 2, request{path: "/api/v1/limited"}))
	require.Equal(t, 1, opened)                               // RL-173
	require.Contains(t, p.log.String(), "connection refused") // RL-171
}

// countingStorage remembers the counters it was asked for.

type countingStorage struct {
	ratelimit.Storage
	keys []string
}

func (s *countingStorage) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	s.keys = append(s.keys, string(key))
	return s.Storage.Consume(ctx, key, a, t)
}

func TestPoliciesShareTheConfiguredStorage(t *testing.T) { // RL-157
	storage := &countingStorage{Storage: ratelimit.NewMemory(ratelimit.MemoryOptions{})}
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP, perUser}, RateLimiting: ratelimit.Options{Storage: storage}})
	p.AddApi(api.GET("1", "users"), ok, bearer, ratelimit.Named("perIp", "perUser"), ratelimit.Policy{Limit: 1, Interval: time.Hour, Key: ratelimit.Endpoint})
	send(p.build(t), request{path: "/api/v1/users", token: "my-token"})
	require.Equal(t, []string{"perIp:ip:192.0.2.1", "GET.v1.users:endpoint:GET v1/users", "perUser:identity:bearer:fece50d2287f7245aea5819b75f95ee8"}, storage.keys) // RL-160
}

func TestAPanicInAGateKeepsTheFieldsOfTheLimitsBeforeIt(t *testing.T) { // RL-201
	for name, rule := range map[string]ratelimit.Rule{
		"of a limiter": ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { panic("bug") })),
		"of a key":     ratelimit.Policy{Limit: 1, Interval: time.Hour, Key: ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { panic("bug") })},
		"of LimitFor":  ratelimit.Policy{Limit: 1, Interval: time.Hour, LimitFor: func(*ratelimit.Context) int64 { panic("bug") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"), rule)
			res := get(p.build(t), "/api/v1/users")
			_, limit := limitsOf(res)
			require.Equal(t, 500, res.StatusCode)
			require.Equal(t, `"perIp";r=2;t=60`, limit)
			require.Contains(t, p.log.String(), "stack=")
			require.Equal(t, 1, strings.Count(p.log.String(), "panic=bug"))
		})
	}
}
