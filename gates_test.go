package sallyport_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

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
	gates := ratelimit.Use(spyLimiter(func(rc *ratelimit.Context) { spy("gate " + rc.Stage.String() + " " + rc.Endpoint) }))
	authorization := func(err error) api.Authorization {
		return authFunc{api.Scheme{}, func(context.Context, *api.Request) (api.Identity, error) {
			spy("authorization")
			return api.Identity{Scheme: "test", ID: "7"}, err
		}}
	}
	handled := handler.Func(func(context.Context, *api.Request) (api.Response, error) { spy("handler"); return api.NoContent(), nil })
	for _, tc := range []struct {
		name   string
		pkg    string
		err    error
		status int
		want   []string
	}{
		{"an authorized request", "users", nil, 204, []string{"gate before authorization GET v1/users", "authorization", "gate after authorization GET v1/users", "handler"}}, // RL-080, FW-052
		{"a refused one", "users", api.Unauthorized("no"), 401, []string{"gate before authorization GET v1/users", "authorization"}},                                          // RL-081
		{"an unknown endpoint", "books", nil, 404, nil}, // FW-052
	} {
		t.Run(tc.name, func(t *testing.T) {
			order = nil
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), handled, authorization(tc.err), gates)
			require.Equal(t, tc.status, get(p.build(t), "/api/v1/"+tc.pkg).StatusCode)
			require.Equal(t, tc.want, order)
		})
	}
}

type spyLimiter func(rc *ratelimit.Context)

func (f spyLimiter) Consume(_ context.Context, rc *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	f(rc)
	return dst, nil
}

func TestTheOldCheckKnowsTheRequest(t *testing.T) { // FW-363
	type key struct{}
	check := ratelimit.CheckFunc(func(ctx context.Context, rc *ratelimit.Context) (*ratelimit.Check, error) {
		ip, err := rc.IP()
		return &ratelimit.Check{Policy: "old", Limit: 60, Remaining: 50, Response: api.Text(200, fmt.Sprint(ctx.Value(key{}), " ", rc.Endpoint, " ", rc.Request.Method, " ", ip))}, err
	})
	for name, remaining := range map[string]int64{"admitted": 50, "refused": 0} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Use(ratelimit.CheckFunc(func(ctx context.Context, rc *ratelimit.Context) (*ratelimit.Check, error) {
				c, err := check(ctx, rc)
				c.Remaining = remaining
				return c, err
			})))
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(context.WithValue(t.Context(), key{}, "outer"), "GET", "/api/v1/users", nil)
			p.build(t).ServeHTTP(w, r)
			policy, limit := limitsOf(w.Result())
			require.Equal(t, `"old";q=60`, policy)
			require.Equal(t, fmt.Sprintf(`"old";r=%d`, remaining), limit) // FW-359
			if remaining == 0 {
				require.Equal(t, 429, w.Code)
				require.Equal(t, "outer GET v1/users GET 192.0.2.1", w.Body.String()) // FW-358
			}
		})
	}
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
