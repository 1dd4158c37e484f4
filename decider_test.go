package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestADeciderListsWhatWasRegistered(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	require.Empty(t, d.Apis())                            // TC-003
	require.Empty(t, d.EnableGlobalPreflight(nil).Apis()) // TC-004, FW-038

	e := api.POST("2", "comments", "list")
	require.Same(t, d, d.AddApi(e, ok, open, ratelimit.Off)) // FW-015
	require.Same(t, d, d.Add(api.Api{Endpoint: api.GET("2", "comments"), Handler: ok, Authorization: open, MaxBody: 7}))
	apis := d.Apis()
	require.Equal(t, []api.Api{ // FW-012, FW-014, TC-003
		{Endpoint: e, Handler: ok, Authorization: open, RateLimits: []ratelimit.Rule{ratelimit.Off}},
		{Endpoint: api.GET("2", "comments"), Handler: ok, Authorization: open, MaxBody: 7},
	}, apis)

	apis[0].Handler = nil
	require.NotNil(t, d.Apis()[0].Handler, "the list is a copy") // FW-014
}

func TestADeciderFindsWhatWasRegistered(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	e := api.POST("2", "comments", "list")

	unit := d.Api(api.POST("1", "article", "list")) // TC-001, FW-027, FW-028
	require.Equal(t, api.Api{Endpoint: api.POST("1", "article", "list"), Handler: handler.Default{}, Authorization: open, RateLimits: []ratelimit.Rule{ratelimit.Off}}, unit)

	d.AddApi(e, ok, open).AddApi(e, panics("second"), bearer)
	require.Equal(t, api.Api{Endpoint: e, Handler: ok, Authorization: open}, d.Api(e))                                      // TC-002, FW-023
	require.Equal(t, ok, d.Api(api.NewEndpointIdentifier("post", "2", "comments", "list")).Handler)                         // FW-022
	require.Equal(t, handler.Default{}, d.Api(api.POST("2", "comments")).Handler)                                           // FW-022: no action is another endpoint
	require.Equal(t, handler.CorsPreflight{}, d.Api(api.NewEndpointIdentifier("OPTIONS", "2", "comments", "list")).Handler) // TC-005, FW-030, FW-035
	require.Equal(t, handler.Default{}, d.Api(api.NewEndpointIdentifier("OPTIONS", "2", "comments", "other")).Handler)      // FW-031, TC-130

	own := ownPreflight{}
	d.EnableGlobalPreflight(own).EnableGlobalPreflight(nil)
	require.Equal(t, own, d.Api(api.NewEndpointIdentifier("OPTIONS", "2", "comments", "list")).Handler) // FW-033, FW-034, FW-412
}

func TestTheListKnowsLazyHandlersWithoutBuildingThem(t *testing.T) { // FW-021
	d := sallyport.NewApiDecider(sallyport.Config{})
	rules := []ratelimit.Rule{ratelimit.Off}
	d.AddApi(api.GET("1", "lazy"), handler.Lazy(func() (api.Handler, error) { panic("not yet") }, handler.LazyInfo{RateLimits: rules}), open)
	limited, declares := d.Apis()[0].Handler.(api.RateLimited)
	require.True(t, declares)
	require.Equal(t, rules, limited.RateLimits())
}

type ownPreflight struct{}

func (ownPreflight) Preflight() {}
func (ownPreflight) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	return api.JSON(http.StatusOK, []string{r.Endpoint().String()}), nil
}

// line is the line of its caller.
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

func TestEveryMistakeIsReportedWithItsLine(t *testing.T) {
	first := line() + 1
	d := sallyport.NewApiDecider(sallyport.Config{
		BasePath:     "api",
		RateLimits:   []ratelimit.Policy{{Name: "perIp", Limit: 1, Interval: time.Minute}, perUser, {Name: "wrong", Limit: -1, Interval: time.Minute}},
		RateLimiting: ratelimit.Options{Budget: -time.Second},
		CORS:         sallyport.CORS{Credentials: true, Origins: []string{"https://a.example/"}},
		MaxBody:      -2,
	})
	d.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
	d.AddApi(api.GET("1", "users"), ok, open) // FW-024, TC-135
	d.AddApi(api.GET("1", "users", "{id}"), ok, open)
	d.AddApi(api.GET("1", "users", "{name}"), ok, open)                     // peer-fw 13
	d.AddApi(api.GET("1.0/dev", "users"), ok, open)                         // FW-004
	d.AddApi(api.GET("", "", ""), ok, open)                                 // FW-006
	d.AddApi(api.NewEndpointIdentifier("GE T", "1", "books", ""), ok, open) // FW-006
	d.AddApi(api.GET("1", "no-handler"), nil, open)
	d.AddApi(api.GET("1", "nil-handler"), handler.Func(nil), open)
	d.AddApi(api.GET("1", "no-authorization"), ok, nil)                          // peer-fw 70
	d.AddApi(api.GET("1", "unknown-limit"), ok, open, ratelimit.Named("perIpp")) // RL-028
	d.AddApi(api.GET("1", "bad-inline"), ok, open, ratelimit.Policy{Limit: 2, Interval: time.Millisecond})
	d.AddApi(api.GET("1", "identity"), ok, open, ratelimit.Named("perIp", "perUser")) // RL-092, RL-093, RL-094, RL-096
	d.AddApi(api.GET("1", "embedding"), embedding{ok}, open)
	d.AddApi(api.GET("1", "bad-token"), ok, auth.Bearer(auth.StaticTokens{"a": "1.2.3.4/99"})) // TC-159, TC-160
	d.Add(api.Api{Endpoint: api.GET("1", "bounds"), Handler: ok, Authorization: open, Timeout: -2, RateLimits: []ratelimit.Rule{}})

	_, err := sallyport.NewPresenter(d)
	require.Error(t, err)
	var got []string
	for _, e := range strings.Split(err.Error(), "\n") {
		e = strings.TrimPrefix(e, "sallyport: ")
		_, e, _ = strings.Cut(e, "decider_test.go:")
		if before, after, found := strings.Cut(e, "registered at "); found {
			_, after, _ = strings.Cut(after, "decider_test.go:")
			e = before + "registered at " + after
		}
		got = append(got, e)
	}
	at := func(offset int, text string, args ...any) string {
		return fmt.Sprintf("%d: ", first+offset) + fmt.Sprintf(text, args...)
	}
	require.Equal(t, []string{
		at(0, `the base path "api": write it like "/api", or "/" for none`),
		at(0, "the body limit -2: bytes, or -1 for no limit"),
		at(0, `CORS: origin "https://a.example/": write it as browsers do, like "https://shop.example:8443"`),
		at(0, "budget -1s is negative"),
		at(0, `rate limit "wrong": limit -1: 1 to 1000000000`),
		at(11, `GET v1.0/dev/users: version "1.0/dev": write "1", "1.1", "0.13.2"`),
		at(12, `GET v/: the version is empty: write "1", "1.1", "0.13.2"`),
		at(12, "GET v/: the package is empty"),
		at(13, `GE T v1/books: method "GE T" is not an HTTP method`),
		at(14, "GET v1/no-handler: there is no handler"),
		at(15, "GET v1/nil-handler: the handler is a nil handler.Func"),
		at(16, "GET v1/no-authorization: there is no authorization: write auth.None() for an open endpoint"),
		at(17, `GET v1/unknown-limit: there is no rate limit "perIpp"; known: perIp, perUser, wrong`),
		at(18, `GET v1/bad-inline: inline rate limit "GET.v1.bad-inline": interval 1ms: 1s to 366 days`),
		at(19, `GET v1/identity: the rate limits ["perUser"] count by identity, but the authorization tells of none: they would never apply`),
		at(20, "GET v1/embedding: the handler sallyport_test.embedding embeds an api.Handler, so the rate limits of that one would be lost: give it a method Unwrap() api.Handler"),
		got[16],
		at(22, "GET v1/bounds: the time-out -2ns: a duration, or -1 for none"),
		at(22, "GET v1/bounds: the list of rate limits is empty: write ratelimit.Off for none"),
		at(8, "GET v1/users: GET v1/users is the same endpoint as GET v1/users, registered at %d", first+7),
		at(10, "GET v1/users/{name}: GET v1/users/{name} is the same endpoint as GET v1/users/{id}, registered at %d", first+9),
	}, got)
	require.Contains(t, got[16], at(21, "GET v1/bad-token: the authorization: "))
}

type embedding struct{ api.Handler }

func TestAnIdentityLimitOfAnOpenEndpointIsAMistakeWhenItIsItsOwn(t *testing.T) {
	byList := ratelimit.Policy{Limit: 1, Interval: time.Minute, Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint)}
	unknown := authFunc{}
	for _, tc := range []struct {
		name    string
		h       api.Handler
		a       api.Authorization
		rules   []ratelimit.Rule
		mistake bool
	}{
		{"by a named policy", ok, open, []ratelimit.Rule{ratelimit.Named("perUser")}, true},                         // RL-094
		{"by a list key", ok, open, []ratelimit.Rule{byList}, true},                                                 // RL-095
		{"by the handler's own", limitedHandler{ok, []ratelimit.Rule{ratelimit.Named("perUser")}}, open, nil, true}, // RL-097
		{"by the default", ok, open, nil, false},                                                                    // RL-098
		{"of an authorization that does not say", ok, unknown, []ratelimit.Rule{ratelimit.Named("perUser")}, false}, // RL-099
		{"of an authorization that tells", ok, bearer, []ratelimit.Rule{ratelimit.Named("perUser")}, false},
		{"by an own key that needs the identity", ok, open, []ratelimit.Rule{ratelimit.Policy{Limit: 1, Interval: time.Minute, Key: ratelimit.IdentityKeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "", true, nil })}}, false}, // AMB-20
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perUser}, Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perUser")}})
			p.AddApi(api.GET("1", "users"), tc.h, tc.a, tc.rules...)
			_, err := sallyport.NewPresenter(p.ApiDecider)
			require.Equal(t, tc.mistake, err != nil)
			require.Equal(t, strings.HasPrefix(tc.name, "by an own key"), strings.Contains(p.log.String(), "rate limits need the identity"))
			if tc.mistake {
				require.ErrorContains(t, err, "GET v1/users: the rate limits")
				require.ErrorContains(t, err, "count by identity")
			}
		})
	}
}

func TestAPlaceThatRegistersSeveralIsReportedWithItsCaller(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	add := func(pkg string) { d.AddApi(api.GET("1", pkg), nil, open) }
	add("a")
	n := line() - 1
	add("b")
	_, err := sallyport.NewPresenter(d)
	require.ErrorContains(t, err, fmt.Sprintf("decider_test.go:%d (called from ", n-1))
	require.ErrorContains(t, err, fmt.Sprintf("decider_test.go:%d): GET v1/a: there is no handler", n))
	require.ErrorContains(t, err, fmt.Sprintf("decider_test.go:%d): GET v1/b: there is no handler", n+2))
}

func TestASharedPartIsReportedOnce(t *testing.T) {
	p := newProgram(sallyport.Config{})
	faulty := &faultyHandler{}
	p.AddApi(api.GET("1", "a"), faulty, open).AddApi(api.GET("1", "b"), faulty, open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.Equal(t, 1, strings.Count(err.Error(), "the handler: no database"))
}

type faultyHandler struct{ handler.AlwaysOk }

func (*faultyHandler) Validate() error { return errors.New("no database") }

func TestMistakesInsideAWrapperAreFound(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a"), wrapper{wrapper{&faultyHandler{}}}, wrappedAuth{auth.Bearer(auth.StaticTokens{"": "*"})})
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "GET v1/a: the handler: no database")
	require.ErrorContains(t, err, "GET v1/a: the authorization: ")
}

func TestAnAuthorizationThatHidesAnotherIsAMistake(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a"), ok, &hidingAuth{open})
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "GET v1/a: the authorization *sallyport_test.hidingAuth embeds an api.Authorization, so the mistakes of that one would be lost: give it a method Unwrap() api.Authorization")
}

type hidingAuth struct{ api.Authorization }

func TestAnErrorHandlerThatHidesAnotherIsAMistake(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: hidingErrors{errorhandler.Map{}}})
	p.AddApi(api.GET("1", "a"), ok, open)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "the error handler sallyport_test.hidingErrors embeds an api.ErrorHandler, so the table and schemas of that one would be lost: give it a method Unwrap() api.ErrorHandler")
}

type hidingErrors struct{ api.ErrorHandler }

// wrappedAuth is an authorization around another one, as a user writes it.
type wrappedAuth struct{ api.Authorization }

func (w wrappedAuth) Unwrap() api.Authorization { return w.Authorization }

func TestRegistrationEndsWithNewPresenter(t *testing.T) {
	for name, d := range map[string]*sallyport.ApiDecider{
		"a program":               sallyport.NewApiDecider(sallyport.Config{}),
		"a program with mistakes": sallyport.NewApiDecider(sallyport.Config{MaxBody: -7}),
	} {
		t.Run(name, func(t *testing.T) {
			_, _ = sallyport.NewPresenter(d) // the error is not the point
			require.PanicsWithValue(t, fmt.Sprintf("sallyport: %s: registration ends with NewPresenter; register every endpoint before it", here(1)), func() { d.AddApi(api.GET("1", "late"), ok, open) })
			require.Panics(t, func() { d.EnableGlobalPreflight(nil) })
		})
	}
	_, err := sallyport.NewPresenter(nil)
	require.EqualError(t, err, "sallyport: there is no decider: make one with NewApiDecider")
}

// here is the place of its caller, up lines further down.
func here(skip int) string {
	_, file, n, _ := runtime.Caller(skip)
	return fmt.Sprintf("%s:%d", file, n)
}

func TestAnUnusedPolicyIsWarnedOf(t *testing.T) {
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP, perUser}})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
	p.build(t)
	require.Contains(t, p.log.String(), `msg="rate limits that no endpoint takes" policies=[perUser]`)
}

func TestTheDefaultAuthorization(t *testing.T) { // RL-026
	p := newProgram(sallyport.Config{Defaults: sallyport.Defaults{Authorization: bearer}})
	p.AddApi(api.GET("1", "reports"), ok, nil)
	p.AddApi(api.GET("1", "open"), ok, open)
	h := p.build(t)
	require.Equal(t, 401, get(h, "/api/v1/reports").StatusCode)
	require.Equal(t, 200, send(h, request{path: "/api/v1/reports", token: "my-token"}).StatusCode)
	require.Equal(t, 200, get(h, "/api/v1/open").StatusCode)
}

func TestPartsThatCannotWorkAreMistakes(t *testing.T) {
	var nobody *recorder
	for _, tc := range []struct {
		name   string
		config sallyport.Config
		h      api.Handler
		a      api.Authorization
		want   string
	}{
		{"a nil error handler", sallyport.Config{ErrorHandler: (*nilErrorHandler)(nil)}, ok, open, "the error handler: it is a nil *sallyport_test.nilErrorHandler"},
		{"a nil logger", sallyport.Config{Logger: nobody}, ok, open, "the logger: it is a nil *sallyport_test.recorder"},
		{"no slog logger", sallyport.Config{Logger: sallyport.LogTo(nil)}, ok, open, "the logger: LogTo has no logger"},
		{"a slog logger without a handler", sallyport.Config{Logger: sallyport.LogTo(&slog.Logger{})}, ok, open, "the logger: "},
		{"a nil IP detector", sallyport.Config{IPDetector: detectorFunc(nil)}, ok, open, "the IP detector: it is a nil sallyport_test.detectorFunc"},
		{"a nil authorization by default", sallyport.Config{Defaults: sallyport.Defaults{Authorization: (*hidingAuth)(nil)}}, ok, open, "the default authorization: the authorization is a nil *sallyport_test.hidingAuth"},
		{"a handler that unwraps to itself", sallyport.Config{}, &endlessHandler{}, open, "the handler: Unwrap never ends"},
		{"a handler that embeds itself", sallyport.Config{}, &ouroboros{}, open, ""},
		{"a handler whose Unwrap panics", sallyport.Config{}, badUnwrap{}, open, "the handler: Unwrap: it panics: boom"},
		{"a handler whose Validate panics", sallyport.Config{}, badValidate{}, open, "the handler: it panics: boom"},
		{"a handler whose RateLimits panics", sallyport.Config{}, badLimits{}, open, "it panics: boom"},
		{"an authorization whose Scheme panics", sallyport.Config{}, ok, badScheme{}, "the authorization: it panics: boom"},
		{"a limit whose key panics", sallyport.Config{}, limitedHandler{ok, []ratelimit.Rule{ratelimit.Policy{Limit: 1, Interval: time.Minute, Key: badKey{}}}}, open, "panics: boom"},
		{"a base path with control characters", sallyport.Config{BasePath: "/a\tb"}, ok, open, "the base path"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(tc.config)
			p.AddApi(api.GET("1", "users"), tc.h, tc.a)
			_, err := sallyport.NewPresenter(p.ApiDecider)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, ".go:")
			require.NotContains(t, err.Error(), "\n", "one mistake, told once")
		})
	}
}

type (
	nilErrorHandler struct{ errorhandler.Default }
	endlessHandler  struct{ handler.AlwaysOk }
	ouroboros       struct {
		*ouroboros //nolint:unused // that it stands there is the point
		_          int
	}
	badUnwrap   struct{ handler.AlwaysOk }
	badValidate struct{ handler.AlwaysOk }
	badLimits   struct{ handler.AlwaysOk }
	badScheme   struct{ authFunc }
	badKey      struct{ ratelimit.Key }
)

func (h *endlessHandler) Unwrap() api.Handler { return h }
func (*ouroboros) Handle(context.Context, *api.Request) (api.Response, error) {
	return api.NoContent(), nil
}
func (badUnwrap) Unwrap() api.Handler          { panic("boom") }
func (badValidate) Validate() error            { panic("boom") }
func (badLimits) RateLimits() []ratelimit.Rule { panic("boom") }
func (badScheme) Scheme() api.Scheme           { panic("boom") }
func (badKey) NeedsIdentity() bool             { panic("boom") }

func TestTheDefaultAuthorizationIsReportedOnce(t *testing.T) {
	p := newProgram(sallyport.Config{Defaults: sallyport.Defaults{Authorization: auth.Bearer(nil)}})
	p.AddApi(api.GET("1", "a"), ok, nil).AddApi(api.GET("1", "b"), ok, nil)
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.ErrorContains(t, err, "the default authorization: the authorization: ")
	require.NotContains(t, err.Error(), "\n")
}

func TestEndpointsAreFoundByTheirPaths(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.GET("1", "users", "list"), ok, open)
	require.Equal(t, ok, d.Api(api.GET("1", "users/list")).Handler)
	require.Equal(t, ok, d.Api(api.NewEndpointIdentifier("HEAD", "1", "users", "list")).Handler)
}
