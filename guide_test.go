package sallyport_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestTheRefusalInTheGuide(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}})
	p.AddApi(api.POST("1", "export"), ok, open, ratelimit.Policy{Limit: 2, Interval: time.Hour})
	h := p.build(t)
	export := request{method: "POST", path: "/api/v1/export"}
	require.Equal(t, []int{200, 200}, statuses(h, 2, export))
	shown := blocks(t, "docs/rate-limiting.md", "json")
	require.Len(t, shown, 1)
	require.Equal(t, strings.ReplaceAll(shown[0], "\n ", ""), body(t, send(h, export)))
}

// try prints how a request ends and which policies applied.
func try(h http.Handler, q request) {
	res := send(h, q)
	fmt.Println(strings.TrimSpace(fmt.Sprint(res.StatusCode, " ", res.Header.Get("RateLimit-Policy"))))
}

// present builds a program of one endpoint.
func present(c sallyport.Config, a api.Authorization, rules ...ratelimit.Rule) http.Handler {
	decider := sallyport.NewApiDecider(c)
	decider.AddApi(api.GET("1", "reports"), ok, a, rules...)
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	return presenter
}

func Example_guideQuickStart() {
	users := ok

	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 60, Interval: time.Minute},
		},
		Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
	})
	decider.AddApi(api.GET("1", "users"), users, auth.None())
	presenter, err := sallyport.NewPresenter(decider)

	if err != nil {
		panic(err)
	}
	try(presenter, request{path: "/api/v1/users"})
	// Output:
	// 200 "perIp";q=60;w=60
}

func Example_guideRules() {
	users, login, reports, export, status := ok, ok, ok, ok, ok
	tokens := auth.StaticTokens{"my-token": "*"}

	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 100, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 1000, Interval: time.Hour, Key: ratelimit.Identity},
			{Name: "login", Algorithm: ratelimit.FixedWindow, Limit: 5, Interval: 15 * time.Minute,
				Key: ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint)},
		},
		Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
	})
	decider.AddApi(api.GET("1", "users"), users, auth.None()) // the default
	decider.AddApi(api.POST("1", "login"), login, auth.None(), ratelimit.Named("login"))
	decider.AddApi(api.GET("1", "reports"), reports, auth.Bearer(tokens), ratelimit.Named("perIp", "perUser"))
	decider.AddApi(api.POST("1", "export"), export, auth.None(), ratelimit.Policy{Limit: 2, Interval: time.Hour})
	decider.AddApi(api.GET("1", "status"), status, auth.None(), ratelimit.Off)

	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	try(presenter, request{path: "/api/v1/users"})
	try(presenter, request{method: "POST", path: "/api/v1/login"})
	try(presenter, request{path: "/api/v1/reports", token: "my-token"})
	try(presenter, request{method: "POST", path: "/api/v1/export"})
	try(presenter, request{path: "/api/v1/status"})
	// Output:
	// 200 "perIp";q=100;w=60
	// 200 "login";q=5;w=900
	// 200 "perIp";q=100;w=60, "perUser";q=1000;w=3600
	// 200 "POST.v1.export";q=2;w=3600
	// 200
}

// backup may run twice a day, wherever it is registered without rules.
type backup struct{}

func (backup) Handle(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusAccepted, "started"), nil
}

func (backup) RateLimits() []ratelimit.Rule {
	return []ratelimit.Rule{ratelimit.Policy{Limit: 2, Interval: 24 * time.Hour}}
}

func Example_guideHandler() {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.POST("1", "backup"), backup{}, auth.None())
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	try(presenter, request{method: "POST", path: "/api/v1/backup"})
	// Output:
	// 202 "POST.v1.backup";q=2;w=86400
}

func Example_guideSharedQuota() {
	perUserAndEndpoint := ratelimit.Policy{Name: "perUserAndEndpoint", Limit: 50, Interval: time.Minute,
		Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint)}

	h := present(sallyport.Config{RateLimits: []ratelimit.Policy{perUserAndEndpoint}}, bearer, ratelimit.Named("perUserAndEndpoint"))
	try(h, request{path: "/api/v1/reports"})
	try(h, request{path: "/api/v1/reports", token: "my-token"})
	// Output:
	// 401
	// 200 "perUserAndEndpoint";q=50;w=60
}

// readOnly lets the callers of another authorization read, and nothing else.
type readOnly struct{ api.Authorization }

func (a readOnly) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	if r.Method != http.MethodGet {
		return api.Identity{}, api.Forbidden("This key may only read")
	}
	return a.Authorization.Authorize(ctx, r)
}

// Unwrap lets the presenter find the mistakes of the inner one.
func (a readOnly) Unwrap() api.Authorization { return a.Authorization }

func Example_guideWrapper() {
	decider := sallyport.NewApiDecider(sallyport.Config{Defaults: sallyport.Defaults{RateLimit: perUser}})
	decider.AddApi(api.GET("1", "reports"), ok, readOnly{bearer})
	decider.AddApi(api.POST("1", "reports"), ok, readOnly{bearer})
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	try(presenter, request{path: "/api/v1/reports", token: "my-token"})
	try(presenter, request{method: "POST", path: "/api/v1/reports", token: "my-token"})
	// Output:
	// 200 "perUser";q=2;w=3600
	// 403
}

// account is what our tokens know of their owner: auth.Token.Value.
type account struct{ Company, Plan string }

// company counts the users of one company together.
func company(_ context.Context, rc *ratelimit.Context) (string, bool, error) {
	a, ok := rc.Subject.(account)
	return a.Company, ok, nil
}

var perCompany = ratelimit.Policy{Name: "perCompany", Limit: 10_000, Interval: time.Hour,
	Key: ratelimit.IdentityKeyFunc(company)}

func Example_guideCallers() {
	perUser := ratelimit.Policy{Name: "perUser", Limit: 1000, Interval: time.Hour, Key: ratelimit.Identity,
		LimitFor: func(rc *ratelimit.Context) int64 {
			if a, ok := rc.Subject.(account); ok && a.Plan == "gold" {
				return 5000
			}
			return 0 // the usual Limit
		},
	}

	accounts := auth.Bearer(repositoryFunc(func(_ context.Context, token string) (auth.Token, bool, error) {
		return auth.Token{ID: "owner of " + token, IPs: auth.AnyIP(), Value: account{Company: "acme", Plan: token}}, true, nil
	}))
	h := present(sallyport.Config{RateLimits: []ratelimit.Policy{perUser, perCompany}}, accounts, ratelimit.Named("perUser", "perCompany"))
	try(h, request{path: "/api/v1/reports", token: "gold"})
	try(h, request{path: "/api/v1/reports", token: "silver"})
	// Output:
	// 200 "perUser";q=5000;w=3600, "perCompany";q=10000;w=3600
	// 200 "perUser";q=1000;w=3600, "perCompany";q=10000;w=3600
}

func Example_guideMemory() {
	memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: 1_000_000})
	options := ratelimit.Options{Storage: memory} // for Config.RateLimiting

	h := present(sallyport.Config{RateLimiting: options}, auth.None(), perIP)
	try(h, request{path: "/api/v1/reports"})
	fmt.Println(memory.Stats().Counters)
	// Output:
	// 200 "perIp";q=3;w=60
	// 1
}

func Example_guideProxy() {
	config := sallyport.Config{
		IPDetector: ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8"),
	}

	h := present(config, auth.None(), ratelimit.Policy{Limit: 1, Interval: time.Hour})
	for _, client := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.1"} {
		try(h, request{path: "/api/v1/reports", from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {client}}})
	}
	// Output:
	// 200 "GET.v1.reports";q=1;w=3600
	// 200 "GET.v1.reports";q=1;w=3600
	// 429 "GET.v1.reports";q=1;w=3600
}

// tenfold charges ten requests for one.
type tenfold struct{ ratelimit.Limiter }

func (t tenfold) Consume(ctx context.Context, rc *ratelimit.Context, cost int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	return t.Limiter.Consume(ctx, rc, 10*cost, dst)
}

func Example_guideCost() {
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "search", Limit: 25, Interval: time.Hour}, ratelimit.Options{})
	if err != nil {
		panic(err)
	}
	h := present(sallyport.Config{}, auth.None(), ratelimit.Use(tenfold{limiter}))
	for range 3 {
		try(h, request{path: "/api/v1/reports"})
	}
	// Output:
	// 200 "search";q=25;w=3600
	// 200 "search";q=25;w=3600
	// 429 "search";q=25;w=3600
}
