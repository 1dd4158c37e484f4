package sallyport_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ipdetector"
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

func (panickingResponse) Status() int                                   { return 200 }
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

func TestThePresenterAlwaysTakesOne(t *testing.T) { // RL-321
	var costs []int64
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Use(costLimiter{&costs}))
	get(p.build(t), "/api/v1/users")
	require.Equal(t, []int64{1, 1}, costs) // RL-080: both gates
}

type costLimiter struct{ costs *[]int64 }

func (c costLimiter) Consume(_ context.Context, _ *ratelimit.Context, cost int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	*c.costs = append(*c.costs, cost)
	return dst, nil
}

func TestTheTwoGates(t *testing.T) {
	var order []string
	spy := func(what string) { order = append(order, what) }
	gates := ratelimit.Use(spyLimiter(func(rc *ratelimit.Context) { spy("gate " + rc.Stage.String()) }))
	authorization := func(err error) api.Authorization {
		return authFunc{api.Scheme{}, func(context.Context, *api.Request) (api.Identity, error) {
			spy("authorization")
			return api.Identity{Scheme: "test", ID: "7"}, err
		}}
	}
	handled := handler.Func(func(context.Context, *api.Request) (api.Response, error) { spy("handler"); return api.NoContent(), nil })
	for _, tc := range []struct {
		name   string
		err    error
		status int
		want   []string
	}{
		{"an authorized request", nil, 204, []string{"gate before authorization", "authorization", "gate after authorization", "handler"}}, // RL-080
		{"a refused one", api.Unauthorized("no"), 401, []string{"gate before authorization", "authorization"}},                             // RL-081
	} {
		t.Run(tc.name, func(t *testing.T) {
			order = nil
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), handled, authorization(tc.err), gates)
			require.Equal(t, tc.status, get(p.build(t), "/api/v1/users").StatusCode)
			require.Equal(t, tc.want, order)
		})
	}
}

type spyLimiter func(rc *ratelimit.Context)

func (f spyLimiter) Consume(_ context.Context, rc *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	f(rc)
	return dst, nil
}

func TestLimitsByIdentity(t *testing.T) {
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP, perUser}, Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perUser", "perIp")}})
	p.AddApi(api.GET("1", "reports"), ok, bearer)
	p.AddApi(api.GET("1", "open"), ok, open) // RL-098
	h := p.build(t)
	reports := func(from, token string) *http.Response {
		return send(h, request{path: "/api/v1/reports", from: from, token: token})
	}

	res := reports("192.0.2.1", "my-token")
	policy, limit := limitsOf(res)
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `"perIp";q=3;w=60, "perUser";q=2;w=3600`, policy) // RL-202, RL-049
	require.Equal(t, `"perIp";r=2;t=60, "perUser";r=1;t=3600`, limit)

	require.Equal(t, 200, reports("192.0.2.2", "my-token").StatusCode)
	require.Equal(t, 429, reports("192.0.2.3", "my-token").StatusCode)    // RL-082, RL-084: the same caller elsewhere
	require.Equal(t, 200, reports("192.0.2.3", "other-token").StatusCode) // another caller there: perIp 1, so the refused one was charged by perIp
	_, limit = limitsOf(reports("192.0.2.3", "other-token"))
	require.Equal(t, `"perIp";r=0;t=60, "perUser";r=0;t=3600`, limit) // RL-050

	res = send(h, request{path: "/api/v1/open", from: "192.0.2.9"})
	policy, _ = limitsOf(res)
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `"perIp";q=3;w=60`, policy) // RL-087, RL-098
	require.Empty(t, p.log.String())             // RL-090
}

func TestGuessingTokensIsLimited(t *testing.T) {
	asked := 0
	tokens := repositoryFunc(func(context.Context, string) (auth.Token, bool, error) { asked++; return auth.Token{}, false, nil })
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP, perUser}})
	p.AddApi(api.GET("1", "reports"), ok, auth.Bearer(tokens), ratelimit.Named("perIp", "perUser"))
	h := p.build(t)
	for _, token := range []string{"a", "b", "c"} { // peer 55
		res := send(h, request{path: "/api/v1/reports", token: token})
		policy, _ := limitsOf(res)
		require.Equal(t, 401, res.StatusCode)
		require.Equal(t, `"perIp";q=3;w=60`, policy) // RL-051, RL-081, RL-201
	}
	require.Equal(t, 429, send(h, request{path: "/api/v1/reports", token: "d"}).StatusCode) // RL-086
	require.Equal(t, 3, asked)                                                              // RL-086
}

type repositoryFunc func(ctx context.Context, token string) (auth.Token, bool, error)

func (f repositoryFunc) Lookup(ctx context.Context, token string) (auth.Token, bool, error) {
	return f(ctx, token)
}

func TestASharedQuotaBeforeTheAuthorizationCanBeUsedUpByOne(t *testing.T) { // RL-052
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perUser, {Name: "perEndpoint", Limit: 4, Interval: time.Hour, Key: ratelimit.Endpoint}}})
	p.AddApi(api.GET("1", "reports"), ok, bearer, ratelimit.Named("perUser", "perEndpoint"))
	h := p.build(t)
	require.Equal(t, []int{200, 200, 429, 429}, statuses(h, 4, request{path: "/api/v1/reports", token: "my-token"}))
	require.Equal(t, 429, send(h, request{path: "/api/v1/reports", token: "other-token"}).StatusCode)
}

func TestThePresenterWarnsOfAMissingIdentity(t *testing.T) {
	for _, tc := range []struct {
		name       string
		identifies api.Identifies
		warned     bool
	}{
		{"an authorization that always tells", api.IdentifiesAlways, true}, // RL-088
		{"one that sometimes does", api.IdentifiesSometimes, false},        // RL-090
		{"one that does not say", api.IdentifiesUnknown, false},            // RL-090, RL-099
	} {
		t.Run(tc.name, func(t *testing.T) {
			silent := authFunc{api.Scheme{Identifies: tc.identifies}, func(context.Context, *api.Request) (api.Identity, error) { return api.Identity{}, nil }}
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perUser}})
			p.AddApi(api.GET("1", "reports"), ok, silent, ratelimit.Named("perUser"))
			h := p.build(t)
			require.Equal(t, []int{200, 200, 200}, statuses(h, 3, request{path: "/api/v1/reports"})) // RL-087
			if !tc.warned {
				require.Empty(t, p.log.String())
				return
			}
			require.Contains(t, p.log.String(), "policy=perUser authorization=sallyport_test.authFunc")
			require.Equal(t, 1, countLines(p.log.String())) // RL-089
		})
	}
}

func countLines(s string) int {
	n := 0
	for _, c := range s {
		if c == '\n' {
			n++
		}
	}
	return n
}

func TestParallelCallersKeepTheirIdentities(t *testing.T) { // RL-083
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perUser", Limit: 50, Interval: time.Hour, Key: ratelimit.Identity}}})
	p.AddApi(api.GET("1", "reports"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.Text(200, r.Identity.String()), nil
	}), bearer, ratelimit.Named("perUser"))
	h := p.build(t)
	var group sync.WaitGroup
	var accepted [2]atomic.Int64
	for i, token := range []string{"my-token", "other-token"} {
		for range 4 {
			group.Go(func() {
				for range 25 {
					if send(h, request{path: "/api/v1/reports", token: token}).StatusCode == 200 {
						accepted[i].Add(1)
					}
				}
			})
		}
	}
	group.Wait()
	require.EqualValues(t, 50, accepted[0].Load())
	require.EqualValues(t, 50, accepted[1].Load())
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

func TestWhoseAddressIsCounted(t *testing.T) {
	proxy := ipdetector.NewTrustedProxies("", "10.0.0.0/8")
	for _, tc := range []struct {
		name     string
		detector ipdetector.Detector
		first    request
		second   request
		shared   bool
	}{
		{"a forged header is not believed", nil, request{header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, true},                                                                           // RL-306, peer 47
		{"clients behind an unknown proxy share its counter", ipdetector.RemoteAddr{}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, true}, // RL-017, RL-310
		{"clients behind a trusted proxy do not", proxy, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, false},                              // RL-017, RL-307
		{"addresses of one /64 share", nil, request{from: "[2001:db8::1]"}, request{from: "[2001:db8::2]"}, true},                                                                                                                                            // RL-315
		{"an own detector decides by itself", detectorFunc(func(r *http.Request) string { return r.Header.Get("Client-Ip") }), request{header: http.Header{"Client-Ip": {"1.1.1.1"}}}, request{header: http.Header{"Client-Ip": {"2.2.2.2"}}}, false},        // RL-305, RL-314
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 1, Interval: time.Hour}}, IPDetector: tc.detector})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
			h := p.build(t)
			tc.first.path, tc.second.path = "/api/v1/users", "/api/v1/users"
			require.Equal(t, 200, send(h, tc.first).StatusCode) // RL-290
			require.Equal(t, tc.shared, send(h, tc.second).StatusCode == 429)
		})
	}
}

type detectorFunc func(r *http.Request) string

func (f detectorFunc) IP(r *http.Request) string { return f(r) }

func TestFaultsOfTheLimits(t *testing.T) {
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

func TestAProxyThatIsNotTrustedIsWarnedOf(t *testing.T) {
	trusted := ipdetector.NewTrustedProxies("", "10.0.0.0/8")
	own := detectorFunc(func(*http.Request) string { return "unix" })
	for _, tc := range []struct {
		name     string
		debug    bool
		detector ipdetector.Detector
		header   string
		warnings int
	}{
		{"X-Forwarded-For in debug mode", true, nil, "X-Forwarded-For", 1}, // RL-311, RL-312
		{"Forwarded in debug mode", true, nil, "Forwarded", 1},             // RL-311, RL-312
		{"another header", true, nil, "X-Real-Ip", 0},
		{"not in production", false, nil, "X-Forwarded-For", 0},           // RL-313
		{"not with trusted proxies", true, trusted, "X-Forwarded-For", 0}, // RL-313
		{"not with an own detector", true, own, "X-Forwarded-For", 0},     // RL-313
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{Debug: tc.debug, IPDetector: tc.detector})
			p.AddApi(api.GET("1", "users"), ok, open)
			h := p.build(t)
			for range 3 {
				send(h, request{path: "/api/v1/users", header: http.Header{tc.header: {"1.1.1.1"}}})
			}
			require.Equal(t, tc.warnings, strings.Count(p.log.String(), "ipdetector.NewTrustedProxies"))
		})
	}
}

func TestAFaultyDefaultIsReportedOnce(t *testing.T) { // RL-028
	p := newProgram(sallyport.Config{Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIpp")}})
	p.AddApi(api.GET("1", "users"), ok, open)
	p.AddApi(api.GET("1", "books"), ok, open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.Equal(t, 1, strings.Count(err.Error(), `the default rate limit: there is no rate limit "perIpp"; known: none`))
	require.NotContains(t, err.Error(), "v1/users")
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

func TestTheDetectorIsAskedOnceAndOnlyWhenItIsNeeded(t *testing.T) { // RL-289
	asked := 0
	detector := detectorFunc(func(*http.Request) string { asked++; return "192.0.2.1" })
	p := newProgram(sallyport.Config{IPDetector: detector})
	p.AddApi(api.GET("1", "endpoint"), ok, open, ratelimit.Policy{Limit: 9, Interval: time.Hour, Key: ratelimit.Endpoint})
	p.AddApi(api.GET("1", "ip"), ok, bearer, ratelimit.Rules(ratelimit.Policy{Name: "a", Limit: 9, Interval: time.Hour}, ratelimit.Policy{Name: "b", Limit: 9, Interval: time.Hour}))
	h := p.build(t)
	get(h, "/api/v1/endpoint")
	require.Zero(t, asked)
	send(h, request{path: "/api/v1/ip", token: "my-token"})
	require.Equal(t, 1, asked)
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
