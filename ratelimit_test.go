package sallyport_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// statuses sends n requests and returns the statuses.

func statuses(h http.Handler, n int, q request) []int {
	var list []int
	for range n {
		list = append(list, send(h, q).StatusCode)
	}
	return list
}

func limitsOf(res *http.Response) (policy, limit string) {
	return res.Header.Get("RateLimit-Policy"), res.Header.Get("RateLimit")
}

func TestTheQuickStartOfTheDocuments(t *testing.T) { // RL-013, RL-014
	p := newProgram(sallyport.Config{
		RateLimits: []ratelimit.Policy{{Name: "perIp", Algorithm: ratelimit.SlidingWindow, Limit: 60, Interval: time.Minute, Key: ratelimit.IP}},
		Defaults:   sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
	})
	p.AddApi(api.GET("1", "users"), ok, open)
	p.AddApi(api.GET("1", "books"), ok, open)
	h := p.build(t)

	for range 30 { // RL-015
		require.Equal(t, 200, get(h, "/api/v1/users").StatusCode)
		require.Equal(t, 200, get(h, "/api/v1/books").StatusCode)
	}
	require.Equal(t, 429, get(h, "/api/v1/users").StatusCode)
	require.Equal(t, 429, get(h, "/api/v1/books").StatusCode)
	require.Equal(t, 200, send(h, request{path: "/api/v1/users", from: "192.0.2.2"}).StatusCode)
}

func TestEndpointsTakeTheirLimits(t *testing.T) {
	inline := ratelimit.Policy{Limit: 2, Interval: time.Hour}
	limited := func(rules ...ratelimit.Rule) api.Handler { return limitedHandler{ok, rules} }
	for _, tc := range []struct {
		name   string
		h      api.Handler
		rules  []ratelimit.Rule
		policy string
	}{
		{"the default", ok, nil, `"perIp";q=3;w=60`},                                                                       // RL-019, RL-024, RL-063
		{"another named policy in its place", ok, []ratelimit.Rule{ratelimit.Named("login")}, `"login";q=5;w=900`},         // RL-020
		{"several", ok, []ratelimit.Rule{ratelimit.Named("login", "perIp")}, `"login";q=5;w=900, "perIp";q=3;w=60`},        // RL-021
		{"inline", ok, []ratelimit.Rule{inline}, `"GET.v1.users";q=2;w=3600`},                                              // RL-022, RL-038
		{"none", ok, []ratelimit.Rule{ratelimit.Off}, ""},                                                                  // RL-023
		{"the handler's own, by name", limited(ratelimit.Named("login")), nil, `"login";q=5;w=900`},                        // RL-030
		{"the handler's own list", limited(ratelimit.Named("login", "perIp")), nil, `"login";q=5;w=900, "perIp";q=3;w=60`}, // RL-031
		{"the handler's own, inline", limited(inline), nil, `"GET.v1.users";q=2;w=3600`},                                   // RL-032
		{"the handler's own, inline with all options", limited(ratelimit.Policy{Name: "quota", Limit: 1000, Interval: time.Hour, Algorithm: ratelimit.TokenBucket, Key: ratelimit.Endpoint}), nil, `"quota";q=1000;w=3600`}, // RL-033
		{"the handler's own none", limited(ratelimit.Off), nil, ""},                                                                                // RL-034
		{"the registration before the handler", limited(ratelimit.Named("login")), []ratelimit.Rule{ratelimit.Named("perIp")}, `"perIp";q=3;w=60`}, // AMB-01
		{"the registration's none before the handler", limited(ratelimit.Named("login")), []ratelimit.Rule{ratelimit.Off}, ""},                     // AMB-01
		{"the handler's own through a wrapper", wrapper{limited(ratelimit.Named("login"))}, nil, `"login";q=5;w=900`},
		{"the handler's own through a lazy one", handler.Lazy(func() (api.Handler, error) { return ok, nil }, handler.LazyInfo{RateLimits: []ratelimit.Rule{ratelimit.Named("login")}}), nil, `"login";q=5;w=900`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{
				RateLimits: []ratelimit.Policy{perIP, {Name: "login", Limit: 5, Interval: 15 * time.Minute}},
				Defaults:   sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
			})
			p.AddApi(api.GET("1", "users"), tc.h, open, tc.rules...)
			res := get(p.build(t), "/api/v1/users")
			policy, limit := limitsOf(res)
			require.Equal(t, 200, res.StatusCode)
			require.Equal(t, tc.policy, policy)
			require.Equal(t, tc.policy == "", limit == "")
		})
	}
}

// limitedHandler brings limits of its own.

type limitedHandler struct {
	inner api.Handler
	rules []ratelimit.Rule
}

func (l limitedHandler) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return l.inner.Handle(ctx, r)
}

func (l limitedHandler) RateLimits() []ratelimit.Rule { return l.rules }

// wrapper is a handler around another one, as a user writes it.

type wrapper struct{ api.Handler }

func (w wrapper) Unwrap() api.Handler { return w.Handler }

func TestAnInlineDefaultCountsForEachEndpoint(t *testing.T) { // AMB-05
	p := newProgram(sallyport.Config{Defaults: sallyport.Defaults{RateLimit: ratelimit.Policy{Limit: 1, Interval: time.Minute}}})
	p.AddApi(api.GET("1", "users"), ok, open)
	p.AddApi(api.GET("1", "books"), ok, open)
	h := p.build(t)
	require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v1/users"}))
	require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v1/books"}))
}

func TestARefusalIsAnswered429(t *testing.T) {
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}, Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIp")}})
	called := 0
	p.AddApi(api.GET("1", "users"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		called++
		return api.NoContent(), nil
	}), open)
	h := p.build(t)
	require.Equal(t, []int{204, 204, 204}, statuses(h, 3, request{path: "/api/v1/users"}))

	p.clock.Advance(18 * time.Second)
	res := get(h, "/api/v1/users")
	policy, limit := limitsOf(res)
	require.Equal(t, 429, res.StatusCode) // RL-045, RL-194
	require.Equal(t, 3, called)
	require.Equal(t, `"perIp";q=3;w=60`, policy)
	require.Equal(t, `"perIp";r=0;t=62`, limit)           // RL-192, RL-203
	require.Equal(t, "62", res.Header.Get("Retry-After")) // RL-196: a third of the window must fade after it ends
	require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
	require.JSONEq(t, `{"status":"error","message":"Too many requests. Retry after 62 seconds."}`, body(t, res)) // RL-198, AMB-12
	require.Empty(t, res.Header.Get("X-RateLimit-Limit"))                                                        // RL-301
	require.Empty(t, res.Header.Get("X-RateLimit-Remaining"))

	p.clock.Advance(62 * time.Second)
	require.Equal(t, 204, get(h, "/api/v1/users").StatusCode) // RL-152
}

func TestARefusalInTheFormatOfTheErrorHandler(t *testing.T) {
	teapot := api.Text(http.StatusTeapot, "slow down")
	own := func(results ...ratelimit.Result) ratelimit.Rule {
		return ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return results, nil }))
	}
	for _, tc := range []struct {
		name         string
		errorHandler api.ErrorHandler
		rule         ratelimit.Rule
		retryAfter   string
		body         string
	}{
		{"problem details", errorhandler.ProblemDetails{}, own(ratelimit.Result{Policy: "mine", Limit: 7, RetryAfter: 5 * time.Second}), "5", // RL-200
			`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests","status":429,"detail":"Too many requests. Retry after 5 seconds.","instance":"/api/v1/users","limit":7,"retryAfter":5,"policy":"mine","violated-policies":["mine"]}`},
		{"the longest of several waits", errorhandler.Default{}, own(ratelimit.Result{Policy: "a", RetryAfter: 5 * time.Second}, ratelimit.Result{Policy: "b", RetryAfter: 30 * time.Second}), "30", // RL-197
			`{"status":"error","message":"Too many requests. Retry after 30 seconds."}`},
		{"no wait is known", errorhandler.Default{}, own(ratelimit.Result{Policy: "a", RetryAfter: ratelimit.Unknown}), "", // AMB-15
			`{"status":"error","message":"Too many requests."}`},
		{"one kind replaced", errorhandler.Funcs{RateLimit: func(context.Context, *api.Request, *api.Failure) api.Response { return teapot }}, own(ratelimit.Result{Policy: "a", RetryAfter: time.Second}), "1", // RL-198
			"slow down"},
		{"a response of the limiter's own", errorhandler.ProblemDetails{}, own(ratelimit.Result{Policy: "a", RetryAfter: time.Second, Response: teapot}), "1", // RL-199, AMB-27
			"slow down"},
		{"a response of another refusal", errorhandler.ProblemDetails{}, own(ratelimit.Result{Policy: "a", RetryAfter: time.Second, Response: teapot}, ratelimit.Result{Policy: "b", RetryAfter: time.Minute}), "60", // AMB-14
			"slow down"},
		{"a response that cannot be sent", errorhandler.Default{}, own(ratelimit.Result{Policy: "a", RetryAfter: time.Second, Response: api.JSON(200, func() {})}), "1",
			`{"status":"error","message":"Too many requests. Retry after 1 seconds."}`},
		{"a response that panics", errorhandler.Default{}, own(ratelimit.Result{Policy: "a", RetryAfter: time.Second, Response: panickingResponse{}}), "1",
			`{"status":"error","message":"Too many requests. Retry after 1 seconds."}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{ErrorHandler: tc.errorHandler})
			p.AddApi(api.GET("1", "users"), ok, open, tc.rule)
			res := get(p.build(t), "/api/v1/users")
			require.Equal(t, 429, res.StatusCode) // RL-194, RL-199
			require.Equal(t, tc.retryAfter, res.Header.Get("Retry-After"))
			require.NotEmpty(t, res.Header.Get("RateLimit"))
			require.Equal(t, tc.body, body(t, res))
		})
	}
}

type panickingResponse struct{}

func (panickingResponse) Status() int { return 200 }

func (panickingResponse) Send(http.ResponseWriter, *http.Request) error { panic("a bug") }

// ownLimiter is a limiter of one's own: a function of the first gate.

type ownLimiter func(rc *ratelimit.Context) ([]ratelimit.Result, error)

func (f ownLimiter) Consume(_ context.Context, rc *ratelimit.Context, cost int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	if rc.Stage != ratelimit.BeforeAuthorization {
		return dst, nil
	}
	results, err := f(rc)
	return append(dst, results...), err
}

func TestExactlyTheLimitPassesUnderLoad(t *testing.T) {
	const goroutines, each, limit = 64, 1000, 500
	for _, algorithm := range []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		t.Run(algorithm.Name(), func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perIp", Algorithm: algorithm, Limit: limit, Interval: time.Hour}}})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
			h := p.build(t)
			var accepted atomic.Int64
			var group sync.WaitGroup
			for range goroutines {
				group.Go(func() {
					for range each {
						if get(h, "/api/v1/users").StatusCode == 200 {
							accepted.Add(1)
						}
					}
				})
			}
			group.Wait()
			require.EqualValues(t, limit, accepted.Load())
		})
	}
}

func TestTheFieldsStandOnEveryAnswer(t *testing.T) { // RL-201
	for _, tc := range []struct {
		name   string
		q      request
		h      api.Handler
		a      api.Authorization
		status int
	}{
		{"a success", request{}, ok, open, 200},
		{"a redirect", request{}, returns(redirect("/elsewhere"), nil), open, 302},
		{"an unmodified answer", request{}, returns(api.Text(304, ""), nil), open, 304},
		{"no credentials", request{}, ok, bearer, 401},
		{"a forbidden caller", request{}, ok, refusing(api.Forbidden("no")), 403},
		{"credentials that cannot be read", request{}, ok, refusing(api.BadCredentials("no")), 400},
		{"an authorization that fails", request{}, ok, refusing(errors.New("db")), 500},
		{"a body too large", request{body: "12345"}, ok, open, 413},
		{"a handler that fails", request{}, returns(nil, errors.New("db")), open, 500},
		{"a handler that panics", request{}, panics("bug"), open, 500},
		{"a response that cannot be encoded", request{}, returns(api.JSON(200, func() {}), nil), open, 500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}, MaxBody: 4})
			p.AddApi(api.GET("1", "users"), tc.h, tc.a, ratelimit.Named("perIp"))
			tc.q.path = "/api/v1/users"
			res := send(p.build(t), tc.q)
			policy, limit := limitsOf(res)
			require.Equal(t, tc.status, res.StatusCode)
			require.Equal(t, `"perIp";q=3;w=60`, policy)
			require.Equal(t, `"perIp";r=2;t=60`, limit)
		})
	}
}

type redirect string

func (redirect) Status() int { return http.StatusFound }

func (l redirect) Send(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, string(l), http.StatusFound)
	return nil
}

func refusing(err error) api.Authorization {
	return authFunc{api.Scheme{}, func(context.Context, *api.Request) (api.Identity, error) { return api.Identity{}, err }}
}

func TestFieldsOfAHandlerAreMerged(t *testing.T) {
	for _, tc := range []struct {
		name          string
		header        http.Header
		policy, limit string
	}{
		{"members with other names are kept", http.Header{"Ratelimit-Policy": {`"upstream";q=9`}, "Ratelimit": {`"upstream";r=8`}}, `"perIp";q=3;w=60, "upstream";q=9`, `"perIp";r=2;t=60, "upstream";r=8`},
		{"a member with our name is ours", http.Header{"Ratelimit-Policy": {`"PERIP";q=9`}, "Ratelimit": {`"perip";r=8`}}, `"perIp";q=3;w=60`, `"perIp";r=2;t=60`},
		{"what does not parse is replaced", http.Header{"Ratelimit-Policy": {`"upstream";q=9, garbage{`}, "Ratelimit": {"limit=1"}}, `"perIp";q=3;w=60`, `"perIp";r=2;t=60`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}})
			p.AddApi(api.GET("1", "users"), returns(headerResponse{api.NoContent(), tc.header}, nil), open, ratelimit.Named("perIp"))
			h := p.build(t)
			res := get(h, "/api/v1/users")
			require.Equal(t, []string{tc.policy}, res.Header.Values("RateLimit-Policy"))
			require.Equal(t, []string{tc.limit}, res.Header.Values("RateLimit"))
		})
	}
}

// headerResponse adds header fields to a response.

type headerResponse struct {
	api.Response
	header http.Header
}

func (h headerResponse) Send(w http.ResponseWriter, r *http.Request) error {
	for name, values := range h.header {
		for _, v := range values {
			w.Header().Add(name, v)
		}
	}
	return h.Response.Send(w, r)
}

func TestAFaultyDefaultIsReportedOnce(t *testing.T) { // RL-028
	p := newProgram(sallyport.Config{Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIpp")}})
	p.AddApi(api.GET("1", "users"), ok, open)
	p.AddApi(api.GET("1", "books"), ok, open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.Equal(t, 1, strings.Count(err.Error(), `the default rate limit: there is no rate limit "perIpp"; known: none`))
	require.NotContains(t, err.Error(), "v1/users")
}

func TestCheckStyleLimitersInAProgram(t *testing.T) {
	var answer *ratelimit.Check
	check := ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) { return answer, nil })
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 99, Interval: time.Minute}, {Name: "old", Limiter: check}}})
	p.AddApi(api.GET("1", "given"), ok, bearer, ratelimit.Named("perIp"), ratelimit.Use(check)) // RL-283, RL-297
	p.AddApi(api.GET("1", "named"), ok, bearer, ratelimit.Named("perIp", "old"))                // RL-303
	h := p.build(t)
	for _, path := range []string{"/api/v1/given", "/api/v1/named"} {
		for _, tc := range []struct {
			name       string
			check      *ratelimit.Check
			token      string
			status     int
			limit      string
			retryAfter string
			body       string
		}{
			{"nothing said", nil, "my-token", 200, "", "", `{"status":"ok"}`},                                                        // TC-231
			{"some are left", &ratelimit.Check{Limit: 60, Remaining: 50}, "my-token", 200, `, "legacy";r=50`, "", `{"status":"ok"}`}, // TC-138
			{"none are left, before the authorization", &ratelimit.Check{Limit: 60, RetryAfter: 2 * time.Minute}, "wrong", 429, `, "legacy";r=0;t=120`, "120", `{"status":"error","message":"Too many requests. Retry after 120 seconds."}`}, // TC-138, FW-360
			{"none are left, for nobody knows how long", &ratelimit.Check{Limit: 60}, "my-token", 429, `, "legacy";r=0`, "", `{"status":"error","message":"Too many requests."}`},                                                            // TC-138, FW-362
			{"less than none", &ratelimit.Check{Limit: 60, Remaining: -1}, "my-token", 429, `, "legacy";r=0`, "", `{"status":"error","message":"Too many requests."}`},                                                                       // TC-138, FW-361
			{"an answer of its own", &ratelimit.Check{Limit: 60, Response: api.Text(200, "later")}, "my-token", 429, `, "legacy";r=0`, "", "later"},                                                                                          // TC-116, TC-138, FW-364
		} {
			t.Run(path+" "+tc.name, func(t *testing.T) {
				answer = tc.check
				res := send(h, request{path: path, token: tc.token})
				_, limit := limitsOf(res)
				require.Equal(t, tc.status, res.StatusCode)
				require.Equal(t, tc.limit != "", strings.Contains(limit, ","))
				require.True(t, strings.HasSuffix(limit, tc.limit), limit)
				require.Equal(t, tc.retryAfter, res.Header.Get("Retry-After"))
				require.Equal(t, tc.body, body(t, res))
			})
		}
	}
}
