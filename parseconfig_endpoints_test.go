package sallyport_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const threeLimits = `
rateLimits:
  a: {limit: 1, interval: 1 minute}
  b: {limit: 2, interval: 1 minute}
  c: {limit: 3, interval: 1 minute}
  d: {limit: 4, interval: 1 minute}
defaults: {rateLimit: d}
endpoints:
`

func TestTheFileWinsOverTheProgram(t *testing.T) {
	inCode := []ratelimit.Rule{ratelimit.Named("b")}
	handlersOwn := limitedHandler{ok, []ratelimit.Rule{ratelimit.Named("c")}}
	for _, tc := range []struct {
		name   string
		file   string
		h      api.Handler
		rules  []ratelimit.Rule
		policy string
	}{
		{"over registration, handler and default", "  GET.v1.users: {rateLimit: a}", handlersOwn, inCode, `"a";q=1;w=60`},
		{"false, too", "  GET.v1.users: {rateLimit: false}", handlersOwn, inCode, ""},
		{"nothing is merged", "  GET.v1.users: {rateLimit: {limit: 9, interval: 1 hour}}", handlersOwn, inCode, `"GET.v1.users";q=9;w=3600`},
		{"without an entry the registration", "", handlersOwn, inCode, `"b";q=2;w=60`},
		{"an entry with null is none", "  GET.v1.users: {rateLimit: null}", handlersOwn, inCode, `"b";q=2;w=60`},
		{"then the handler", "", handlersOwn, nil, `"c";q=3;w=60`},
		{"then the default", "", ok, nil, `"d";q=4;w=60`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(parse(t, threeLimits+tc.file, sallyport.Parts{}))
			p.AddApi(api.GET("1", "users"), tc.h, open, tc.rules...)
			policy, _ := limitsOf(get(p.build(t), "/api/v1/users"))
			require.Equal(t, tc.policy, policy)
		})
	}
}

// nextLine is the line behind its caller.
func nextLine() string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, n+1)
}

func TestAnEntryOfTheFileIsForOneEndpoint(t *testing.T) {
	d := sallyport.NewApiDecider(parse(t, `
rateLimits:
  perIp: {limit: 1, interval: 1 minute}
  perUser: {limit: 1, interval: 1 minute, key: identity}
endpoints:
  GET.v1.user: {rateLimit: perIp}
  POST.v1.a.b: {rateLimit: perIp}
  GET.v1.users.id: {rateLimit: false}
  DELETE.v2.everything: {rateLimit: false}
  GET.v1.status: {rateLimit: [perIp, perUser]}
`, sallyport.Parts{}))
	d.AddApi(api.GET("1", "users"), ok, open)
	d.AddApi(api.GET("1", "users", "{id}"), ok, open)
	first := nextLine()
	d.AddApi(api.POST("1", "a", "b"), ok, open)
	second := nextLine()
	d.AddApi(api.POST("1", "a.b"), ok, open)
	third := nextLine()
	d.AddApi(api.GET("1", "status"), ok, open)

	_, err := sallyport.NewPresenter(d)
	const known = "known: GET.v1.status, GET.v1.users, GET.v1.users.id, POST.v1.a.b"
	require.EqualError(t, err, strings.Join([]string{
		`sallyport: config: line 6, column 3: there is no endpoint "GET.v1.user"; did you mean GET.v1.users? ` + known,
		`sallyport: config: line 7, column 3: two endpoints are called POST.v1.a.b: "POST v1/a/b", registered at ` + first + `, and "POST v1/a.b", registered at ` + second + ": set their limits in the program",
		`sallyport: config: line 9, column 3: there is no endpoint "DELETE.v2.everything"; ` + known,
		"sallyport: " + third + `: GET v1/status: config: line 10, column 3: the rate limits ["perUser"] count by identity, but the authorization tells of none: they would never apply`,
	}, "\n"))
}
