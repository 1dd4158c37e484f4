package sallyport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

var (
	since  = time.Date(2026, time.January, 1, 0, 0, 0, 900e6, time.UTC)
	sunset = time.Date(2027, time.June, 30, 23, 59, 59, 0, time.FixedZone("", 0))
)

func TestLifecycles(t *testing.T) {
	version1 := api.Lifecycle{Deprecated: since, Sunset: sunset, Documentation: "https://dev.example/deprecation", Successor: "2"}
	const (
		deprecation = "@1767225600"
		ends        = "Wed, 30 Jun 2027 23:59:59 GMT"
		page        = `<https://dev.example/deprecation>; rel="deprecation"; type="text/html"`
	)
	p := newProgram(sallyport.Config{Versions: map[string]api.Lifecycle{"1": version1}, RateLimits: []ratelimit.Policy{perIP}})
	for _, e := range []api.EndpointIdentifier{api.GET("1", "users"), api.GET("1", "users", "{id}"), api.GET("1", "teams", "{id}"), api.GET("1", "gone")} {
		p.AddApi(e, says, open)
	}
	p.AddApi(api.GET("2", "users"), says, open).AddApi(api.GET("2", "users", "{id}"), says, open).AddApi(api.GET("2", "teams", "{team}"), says, open)
	p.Add(api.Api{Endpoint: api.GET("2", "old"), Handler: says, Authorization: open, Deprecated: since})
	p.Add(api.Api{Endpoint: api.GET("1", "later"), Handler: says, Authorization: open, Sunset: sunset.AddDate(1, 0, 0)})
	p.AddApi(api.GET("1", "fails"), returns(nil, errors.New("x")), open)
	p.AddApi(api.GET("1", "links"), returns(api.WithHeader(ok200, http.Header{"Link": {`<https://a.example>; rel="next"`}}), nil), open)
	p.AddApi(api.GET("1", "limited"), ok, open, ratelimit.Policy{Limit: 1, Interval: time.Hour})
	h := p.build(t)
	type fields struct {
		deprecation, sunset string
		links               []string
	}
	for path, want := range map[string]fields{
		"v1/users":          {deprecation, ends, []string{page, `</api/v2/users>; rel="successor-version"`}},
		"v1/users/a%20b%2F": {deprecation, ends, []string{page, `</api/v2/users/a%20b%2F>; rel="successor-version"`}},
		"v1/teams/7":        {deprecation, ends, []string{page}}, // the successor names its variable differently
		"v1/gone":           {deprecation, ends, []string{page}}, // it has none
		"v1/later":          {deprecation, "Fri, 30 Jun 2028 23:59:59 GMT", []string{page}},
		"v1/fails":          {deprecation, ends, []string{page}},
		"v1/links":          {deprecation, ends, []string{`<https://a.example>; rel="next"`, page}},
		"v2/old":            {deprecation, "", nil},
		"v2/users":          {},
		"v1/unknown":        {},
	} {
		for range 2 {
			header := get(h, "/api/"+path).Header
			require.Equal(t, want, fields{header.Get("Deprecation"), header.Get("Sunset"), header["Link"]}, path)
		}
	}
	require.Contains(t, get(h, "/api/v2/users").Header.Get("Access-Control-Expose-Headers"), ", Deprecation, Sunset, Link")
	require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v1/limited"}))
	require.Equal(t, deprecation, get(h, "/api/v1/limited").Header.Get("Deprecation"), "a refusal, too")
}

func TestDescriptionsKnowTheLifecycle(t *testing.T) {
	p := newProgram(sallyport.Config{Versions: map[string]api.Lifecycle{"1": {Deprecated: since}}})
	p.AddApi(api.GET("1", "endpoints"), handler.Listing{}, open)
	require.Contains(t, body(t, get(p.build(t), "/api/v1/endpoints")), `"deprecated":true`)
}

func TestMistakesOfLifecycles(t *testing.T) {
	p := newProgram(sallyport.Config{Versions: map[string]api.Lifecycle{
		"1": {Deprecated: sunset, Sunset: since, Documentation: "https://a.example/<b>", Successor: "9"},
		"2": {Successor: "2"},
		"3": {Deprecated: time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)},
	}})
	p.AddApi(api.GET("1", "users"), ok, open).AddApi(api.GET("2", "users"), ok, open)
	p.Add(api.Api{Endpoint: api.GET("2", "old"), Handler: ok, Authorization: open, Deprecated: sunset, Sunset: since, Successor: "1"})
	p.CarryOver(api.GET("1", "nothing"), "2")
	p.CarryOver(api.GET("1", "users"), "2")
	_, err := sallyport.NewPresenter(p.ApiDecider)
	require.Error(t, err)
	var got []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		_, text, _ := strings.Cut(line, ".go:")
		_, text, _ = strings.Cut(text, ": ")
		if before, _, cut := strings.Cut(text, ", registered at"); cut {
			text = before
		}
		got = append(got, text)
	}
	require.Equal(t, []string{
		`the version "1": the Sunset lies before Deprecated (RFC 9745, section 4)`,
		`the version "1": the Documentation: write a URL like "https://dev.example/v1-to-v2", with everything escaped and without a user`,
		`the version "1": no endpoint has the version "9" of its Successor`,
		`the version "2": it is its own Successor`,
		`the version "3": no endpoint has it`,
		`the version "3": Deprecated is in the year 1900: no header field can say so`,
		"GET v2/old: the Sunset lies before Deprecated (RFC 9745, section 4)",
		"GET v2/old: there is no GET v1/old for its Successor",
		"GET v2/nothing: it is carried over from GET v1/nothing, which was not registered before",
		"GET v2/users: GET v2/users is the same endpoint as GET v2/users",
	}, got)
}

// An endpoint, or a version, does not come after itself.
func TestCirclesOfSuccessors(t *testing.T) {
	in := func(version, successor string) api.Api {
		return api.Api{Endpoint: api.GET(version, "users", "{id}"), Handler: ok, Authorization: open, Successor: successor}
	}
	versions := func(pairs ...string) map[string]api.Lifecycle {
		all := map[string]api.Lifecycle{}
		for i := 0; i < len(pairs); i += 2 {
			all[pairs[i]] = api.Lifecycle{Successor: pairs[i+1]}
		}
		return all
	}
	for name, row := range map[string]struct {
		versions map[string]api.Lifecycle
		apis     []api.Api
		want     []string // the mistakes without their places
	}{
		"a way that ends":          {versions("1", "2", "2", "3"), []api.Api{in("1", ""), in("2", ""), in("3", "")}, nil},
		"back, with an end":        {versions("2", "1"), []api.Api{in("1", ""), in("2", "")}, nil},
		"an endpoint of its own":   {nil, []api.Api{in("1", "1")}, []string{"GET v1/users/{id}: it is its own Successor"}},
		"a version of its own":     {versions("1", "1"), []api.Api{in("1", "")}, []string{`the version "1": it is its own Successor`}},
		"two endpoints":            {nil, []api.Api{in("1", "2"), in("2", "1")}, []string{"GET v1/users/{id}: its Successor leads back to it: 1, 2, 1", "GET v2/users/{id}: its Successor leads back to it: 2, 1, 2"}},
		"an endpoint, a version":   {versions("1", "2"), []api.Api{in("1", ""), in("2", "1")}, []string{"GET v2/users/{id}: its Successor leads back to it: 2, 1, 2"}},
		"two versions":             {versions("1", "2", "2", "1"), []api.Api{in("1", ""), in("2", "")}, []string{`the version "1": its Successor leads back to it: 1, 2, 1`}},
		"three versions":           {versions("2", "3", "3", "1", "1", "2"), []api.Api{in("1", ""), in("2", ""), in("3", "")}, []string{`the version "1": its Successor leads back to it: 1, 2, 3, 1`}},
		"a way into a circle":      {versions("1", "2", "2", "3", "3", "2"), []api.Api{in("1", ""), in("2", ""), in("3", "")}, []string{`the version "2": its Successor leads back to it: 2, 3, 2`}},
		"a way into that of one":   {nil, []api.Api{in("1", "2"), in("2", "2")}, []string{"GET v2/users/{id}: it is its own Successor"}},
		"a version is overridden":  {versions("1", "2", "2", "3"), []api.Api{in("1", ""), in("2", ""), in("3", "1")}, []string{"GET v3/users/{id}: its Successor leads back to it: 3, 1, 2, 3"}},
		"an override that ends it": {versions("1", "2"), []api.Api{in("1", "3"), in("2", "1"), in("3", "")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{Versions: row.versions})
			for _, a := range row.apis {
				p.Add(a)
			}
			_, err := sallyport.NewPresenter(p.ApiDecider)
			var got []string
			if err != nil {
				for line := range strings.SplitSeq(err.Error(), "\n") {
					_, text, _ := strings.Cut(line, ".go:")
					_, text, _ = strings.Cut(text, ": ")
					got = append(got, text)
				}
			}
			require.Equal(t, row.want, got)
		})
	}
}

func TestCarryOver(t *testing.T) { // FW-393
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}})
	p.Add(api.Api{
		Endpoint: api.GET("1", "users", "{id}"), Handler: says, Authorization: bearer, RateLimits: []ratelimit.Rule{ratelimit.Named("perIp")},
		ErrorHandler: errorhandler.ProblemDetails{}, Deprecated: since,
	})
	p.AddApi(api.GET("1", "export"), ok, open, ratelimit.Policy{Limit: 1, Interval: time.Hour})
	p.CarryOver(api.GET("1", "users", "{id}"), "2").CarryOver(api.GET("1", "export"), "2")
	h := p.build(t)

	v1, v2 := request{path: "/api/v1/users/7", token: "my-token"}, request{path: "/api/v2/users/7", token: "my-token"}
	require.Equal(t, "GET v1/users/{id} id=7", body(t, send(h, v1)))
	answer := send(h, v2)
	require.Equal(t, "GET v2/users/{id} id=7", body(t, answer))
	require.Empty(t, answer.Header.Get("Deprecation"))
	require.Equal(t, "application/problem+json", get(h, "/api/v2/users/7").Header.Get("Content-Type"))
	require.Equal(t, 429, send(h, v1).StatusCode, "one counter for both")

	require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v1/export"}))
	require.Equal(t, []int{200, 429}, statuses(h, 2, request{path: "/api/v2/export"}), "a counter for each")
}

func TestAnUnknownVersionIsToldApart(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}})
	p.AddApi(api.GET("1", "users"), ok, open)
	h := p.build(t)
	for path, want := range map[string]string{
		"/api/v2/users":  `"detail":"Unknown api version","instance":"/api/v2/users","code":"unknown_version"`,
		"/api/v1/nobody": `"detail":"Unknown api endpoint","instance":"/api/v1/nobody"`,
		"/api/v1":        `"detail":"Unknown api endpoint","instance":"/api/v1"`,
		"/nowhere":       `"detail":"Unknown api endpoint","instance":"/nowhere"`,
	} {
		res := get(h, path)
		require.Equal(t, 404, res.StatusCode)
		require.Contains(t, body(t, res), want)
	}
}
