package sallyport

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// routed is the whole answer of a router, with the endpoint for its index.
type routed struct {
	outcome  matchOutcome
	endpoint string
	params   api.PathValues
	allow    string
}

func routedTo(endpoint string, params ...api.PathValue) routed {
	return routed{outcome: routeFound, endpoint: endpoint, params: params}
}

func mustRoute(t require.TestingT, basePath string, routes []api.EndpointIdentifier) *router {
	for _, e := range routes {
		require.NoError(t, e.Validate())
	}
	rt, mistakes := newRouter(basePath, routes)
	require.Empty(t, mistakes)
	return rt
}

// askRouter sends the target through the parser of net/http's server.
func askRouter(t require.TestingT, rt *router, routes []api.EndpointIdentifier, method, target string) routed {
	u, err := url.ParseRequestURI(target)
	require.NoError(t, err)
	return askRouterURL(t, rt, routes, method, u)
}

func askRouterURL(t require.TestingT, rt *router, routes []api.EndpointIdentifier, method string, u *url.URL) routed {
	m := rt.match(method, u, nil)
	answer := routed{outcome: m.outcome, params: m.params}
	if m.route >= 0 {
		answer.endpoint = routes[m.route].String()
	}
	answer.allow = strings.Join(m.allow, ", ")
	require.Equal(t, len(m.allow), cap(m.allow), "an append must not reach other requests")
	return answer
}

type routerCase struct {
	method, target string
	want           routed
}

func checkRouter(t *testing.T, basePath string, routes []api.EndpointIdentifier, cases []routerCase) {
	t.Helper()
	reversed := slices.Clone(routes)
	slices.Reverse(reversed)
	for _, order := range []struct {
		name   string
		routes []api.EndpointIdentifier
	}{{"as written", routes}, {"reversed", reversed}} {
		rt := mustRoute(t, basePath, order.routes)
		for _, c := range cases {
			t.Run(order.name+"/"+c.method+" "+c.target, func(t *testing.T) {
				require.Equal(t, c.want, askRouter(t, rt, order.routes, c.method, c.target))
			})
		}
	}
}

func TestRouterPicksTheMostSpecificEndpoint(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users"),
		api.GET("1", "users", "{id}"),
		api.PUT("1", "users", "{id}"),
		api.DELETE("1", "users", "{id}"),
		api.GET("1", "users", "search"),
		api.GET("1", "users", "{uid}", "posts"),
		api.GET("1", "users", "{uid}", "posts", "{post}"),
		api.GET("1", "users", "search", "{q}"),
		api.GET("1", "users", "{rest...}"),
		api.GET("1", "files", "{path...}"),
		api.GET("1", "files", "{dir}", "info"),
		api.GET("1", "{anything...}"),
	}
	checkRouter(t, "/api", routes, []routerCase{
		{"GET", "/api/v1/users", routedTo("GET v1/users")},
		{"GET", "/api/v1/users/search", routedTo("GET v1/users/search")},                                                     // peer-fw 1, FW-045
		{"GET", "/api/v1/users/5", routedTo("GET v1/users/{id}", api.PathValue{Name: "id", Value: "5"})},                     // peer-fw 1, FW-044
		{"GET", "/api/v1/users/5/posts", routedTo("GET v1/users/{uid}/posts", api.PathValue{Name: "uid", Value: "5"})},       // peer-fw 2
		{"GET", "/api/v1/users/search/posts", routedTo("GET v1/users/search/{q}", api.PathValue{Name: "q", Value: "posts"})}, // the leftmost text decides
		{"GET", "/api/v1/users/5/posts/9", routedTo("GET v1/users/{uid}/posts/{post}",
			api.PathValue{Name: "uid", Value: "5"}, api.PathValue{Name: "post", Value: "9"})},
		{"GET", "/api/v1/users/5/likes", routedTo("GET v1/users/{rest...}", api.PathValue{Name: "rest", Value: "5/likes"})},
		{"GET", "/api/v1/users/search/a/b", routedTo("GET v1/users/{rest...}", api.PathValue{Name: "rest", Value: "search/a/b"})},
		{"GET", "/api/v1/files/a/info", routedTo("GET v1/files/{dir}/info", api.PathValue{Name: "dir", Value: "a"})},
		{"GET", "/api/v1/files/a/b/info", routedTo("GET v1/files/{path...}", api.PathValue{Name: "path", Value: "a/b/info"})},
		{"GET", "/api/v1/teams", routedTo("GET v1/{anything...}", api.PathValue{Name: "anything", Value: "teams"})},
		{"GET", "/api/v1/files", routedTo("GET v1/{anything...}", api.PathValue{Name: "anything", Value: "files"})},
		// Every method has its own winner.
		{"DELETE", "/api/v1/users/search", routedTo("DELETE v1/users/{id}", api.PathValue{Name: "id", Value: "search"})},
		{"PUT", "/api/v1/users/search", routedTo("PUT v1/users/{id}", api.PathValue{Name: "id", Value: "search"})},
		{"PUT", "/api/v1/users/5/posts", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS"}},
	})
}

func TestRouterDecodesSegmentsOnce(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users", "{id}"),
		api.GET("1", "users", "{id}", "posts"),
		api.GET("1", "files", "{path...}"),
		api.GET("1", "Über uns", "a%2Fb"),
		api.GET("1", "users:search"),
		api.GET("1", "*", "{id}"),
		api.GET("1", "jobs", "{id}", "run:now"),
	}
	id := func(value string) routed {
		return routedTo("GET v1/users/{id}", api.PathValue{Name: "id", Value: value})
	}
	path := func(value string) routed {
		return routedTo("GET v1/files/{path...}", api.PathValue{Name: "path", Value: value})
	}
	checkRouter(t, "/api", routes, []routerCase{
		{"GET", "/api/v1/users/a%2Fposts", id("a/posts")}, // peer-fw 4
		{"GET", "/api/v1/users/a%2fposts", id("a/posts")}, // peer-fw 4
		{"GET", "/api/v1/users/%2F", id("/")},
		{"GET", "/api/v1/users/%2Fa%2F", id("/a/")},
		{"GET", "/api/v1/users%2F5", routed{}},             // peer-fw 4
		{"GET", "/api/v1/users/%e3%81%93", id("こ")},        // peer-fw 5
		{"GET", "/api/v1/users/%E3%81%93", id("こ")},        // peer-fw 5
		{"GET", "/api/v1/users/%2541", id("%41")},          // peer-fw 5
		{"GET", "/api/v1/users/%252F", id("%2F")},          // peer-fw 5
		{"GET", "/api/v1/users/a+b", id("a+b")},            // peer-fw 5
		{"GET", "/api/v1/users/a%2Bb", id("a+b")},          // peer-fw 5
		{"GET", "/api/v1/users/a%20b%2Fc", id("a b/c")},    // peer-fw 5
		{"GET", "/api/v1/%75sers/5", id("5")},              // FW-011
		{"GET", "/%61pi/%761/users/%35", id("5")},          // FW-011
		{"GET", "/api/v1/Users/5", routed{}},               // FW-011
		{"GET", "/api/V1/users/5", routed{}},               // FW-011
		{"GET", `/api/v1/users/"%2F"`, id(`"/"`)},          // a raw character that net/url would escape
		{"GET", "/api/v1/users/é%2Fé", id("é/é")},          // so are raw bytes
		{"GET", "/%5Cevil.example", routed{}},              // peer-fw 7
		{"GET", "//evil.example/api/v1/users/5", routed{}}, // peer-fw 7
		{"GET", "/api/v1/users/..", id("..")},              // dots are data
		{"GET", "/api/v1/users/%2E%2e", id("..")},
		{"GET", "/api/v1/users/../users/5", routed{}},
		{"GET", "/api/v1/files/../a/./b", path("../a/./b")},
		{"GET", "/api/v1/files/a%2Fb/c%20d", path("a/b/c d")},
		{"GET", "/api/v1/files/a:b/*c", path("a:b/*c")},
		{"GET", "/api/v1/%C3%9Cber%20uns/a%252Fb", routedTo("GET v1/Über uns/a%2Fb")},
		{"GET", "/api/v1/%C3%9Cber%20uns/a%2Fb", routed{}},
		{"GET", "/api/v1/users:search", routedTo("GET v1/users:search")}, // peer-fw 17
		{"GET", "/api/v1/users%3Asearch", routedTo("GET v1/users:search")},
		{"GET", "/api/v1/usersX", routed{}}, // peer-fw 17
		{"GET", "/api/v1/users%FEsearch", routed{outcome: routeBadPath}},
		{"GET", "/api/v1/jobs/5/run%FEnow", routed{outcome: routeBadPath}},
		{"GET", "/api/v1/*/a:b*", routedTo("GET v1/*/{id}", api.PathValue{Name: "id", Value: "a:b*"})},
		{"GET", "/api/v1/*/a%2F:", routedTo("GET v1/*/{id}", api.PathValue{Name: "id", Value: "a/:"})},
		{"GET", "/api/v1/x/5", routed{}},
		{"GET", "/api/v1/jobs/5/run:now", routedTo("GET v1/jobs/{id}/run:now", api.PathValue{Name: "id", Value: "5"})},
		{"GET", "/api/v1/jobs/5/runXnow", routed{}},
		{"GET", "/api/v1/users/%00", routed{outcome: routeBadPath}},
		{"GET", "/api/v1/users/%ff", routed{outcome: routeBadPath}},
		{"GET", "/api/v1/users/%C3", routed{outcome: routeBadPath}},
	})
}

func TestRouterIgnoresOneSlashAtTheEnd(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users"),
		api.POST("1", "users"),
		api.GET("1", "users", "{id}"),
		api.GET("1", "users", "{id}", "posts"),
		api.GET("1", "files"),
		api.GET("1", "files", "{path...}"),
		api.PUT("1", "files"),
		api.DELETE("1", "files", "{path...}"),
		api.GET("1", "foo", "bar"),
		api.GET("1", "foox"),
	}
	checkRouter(t, "", routes, []routerCase{
		{"GET", "/v1/users/", routedTo("GET v1/users")}, // FW-009
		{"POST", "/v1/users/", routedTo("POST v1/users")},
		{"OPTIONS", "/v1/users/", routed{outcome: routePreflight, allow: "GET, HEAD, OPTIONS, POST"}},
		{"DELETE", "/v1/users/", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS, POST"}},
		{"GET", "/v1/users/5/", routedTo("GET v1/users/{id}", api.PathValue{Name: "id", Value: "5"})}, // FW-009
		{"GET", "/v1/users/%2F/", routedTo("GET v1/users/{id}", api.PathValue{Name: "id", Value: "/"})},
		{"GET", "/v1/users//", routed{}},
		{"GET", "/v1/users/5//", routed{}},
		{"GET", "/v1/users//posts", routed{}}, // peer-fw 10
		{"GET", "/v1//users", routed{}},
		{"GET", "//v1/users", routed{}},
		{"GET", "/v1/foo/", routed{}}, // peer-fw 11
		// The rest of a path may be empty, and keeps its slash at the end.
		{"GET", "/v1/files", routedTo("GET v1/files")},
		{"GET", "/v1/files/", routedTo("GET v1/files/{path...}", api.PathValue{Name: "path", Value: ""})},
		{"GET", "/v1/files/a/", routedTo("GET v1/files/{path...}", api.PathValue{Name: "path", Value: "a/"})},
		{"GET", "/v1/files//", routed{}},
		{"GET", "/v1/files//a", routed{}},
		{"GET", "/v1/files/a//b", routed{}},
		{"DELETE", "/v1/files", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS, PUT"}},
		{"PUT", "/v1/files/", routedTo("PUT v1/files")},
		{"POST", "/v1/files/", routed{outcome: routeMethodNotAllowed, allow: "DELETE, GET, HEAD, OPTIONS, PUT"}},
	})
}

func TestRouterKnowsTheMethodsOfAPath(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users"),
		api.POST("1", "users"),
		api.GET("1", "users", "{id}"),
		api.NewEndpointIdentifier("get", "1", "teams", ""),
		api.NewEndpointIdentifier("HEAD", "1", "teams", ""),
		api.NewEndpointIdentifier("OPTIONS", "1", "teams", ""),
		api.POST("1", "login"),
		api.NewEndpointIdentifier("PURGE", "1", "cache", "{key}"),
		api.NewEndpointIdentifier("OPTIONS", "1", "only", ""),
	}
	id := api.PathValue{Name: "id", Value: "5"}
	checkRouter(t, "/api", routes, []routerCase{
		{"HEAD", "/api/v1/users/5", routedTo("GET v1/users/{id}", id)}, // peer-fw 14
		{"HEAD", "/api/v1/users", routedTo("GET v1/users")},            // peer-fw 14
		{"HEAD", "/api/v1/teams", routedTo("HEAD v1/teams")},
		{"HEAD", "/api/v1/login", routed{outcome: routeMethodNotAllowed, allow: "OPTIONS, POST"}},
		{"HEAD", "/api/v1/nothing", routed{}},
		{"DELETE", "/api/v1/users", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS, POST"}}, // FW-029, peer-fw 14
		{"DELETE", "/api/v1/users/5", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS"}},     // FW-029, peer-fw 14
		{"DELETE", "/api/v1/teams", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS"}},
		{"GET", "/api/v1/login", routed{outcome: routeMethodNotAllowed, allow: "OPTIONS, POST"}},
		{"GET", "/api/v1/cache/a", routed{outcome: routeMethodNotAllowed, allow: "OPTIONS, PURGE"}},
		{"FOO", "/api/v1/users", routed{outcome: routeMethodNotAllowed, allow: "GET, HEAD, OPTIONS, POST"}}, // peer-fw 16
		{"FOO", "/api/v1/nothing", routed{}},                                                                // peer-fw 16
		{"", "/api/v1/nothing", routed{}},                                                                   // no method at all
		{"OPTIONS", "/api/v1/teams", routedTo("OPTIONS v1/teams")},                                          // FW-036: in both orders of registration
		{"OPTIONS", "/api/v1/only", routedTo("OPTIONS v1/only")},
		{"GET", "/api/v1/only", routed{outcome: routeMethodNotAllowed, allow: "OPTIONS"}},
		{"OPTIONS", "/api/v1/users", routed{outcome: routePreflight, allow: "GET, HEAD, OPTIONS, POST"}}, // FW-032
		{"OPTIONS", "/api/v1/users/5", routed{outcome: routePreflight, allow: "GET, HEAD, OPTIONS"}},     // FW-032
		{"OPTIONS", "/api/v1/nothing", routed{}},                                                         // FW-031
		{"OPTIONS", "/api/v1/users/5/posts", routed{}},                                                   // FW-031
		{"options", "/api/v1/users/5", routed{outcome: routePreflight, allow: "GET, HEAD, OPTIONS"}},     // FW-022
		{"get", "/api/v1/teams", routedTo("GET v1/teams")},                                               // FW-022
		{"PoSt", "/api/v1/login", routedTo("POST v1/login")},                                             // FW-022
	})
}

func TestRouterReadsVersionAndPathFromThePathAlone(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users"),
		api.GET("1", "users", "send-email"),
		api.GET("1.1", "users"),
		api.GET("1.33-dev", "users"),
		api.GET("0.13.2", "users", "{id}"),
		api.GET("2 beta", "users"),
	}
	unknown := routed{outcome: routeUnknownVersion}
	checkRouter(t, "/api", routes, []routerCase{
		{"GET", "/api/v1/users", routedTo("GET v1/users")},                                                         // FW-041
		{"GET", "/api/v1/users/send-email", routedTo("GET v1/users/send-email")},                                   // FW-041
		{"GET", "/api/v1.1/users", routedTo("GET v1.1/users")},                                                     // FW-042
		{"GET", "/api/v1.33-dev/users", routedTo("GET v1.33-dev/users")},                                           // FW-042
		{"GET", "/api/v1%2E33-dev/users", routedTo("GET v1.33-dev/users")},                                         // FW-042
		{"GET", "/api/v2%20beta/users", routedTo("GET v2 beta/users")},                                             // FW-042
		{"GET", "/api/v0.13.2/users/7", routedTo("GET v0.13.2/users/{id}", api.PathValue{Name: "id", Value: "7"})}, // FW-042
		{"GET", "/api/v1.33-DEV/users", unknown},                                                                   // FW-042
		{"GET", "/api/v1.0/users", unknown},                                                                        // FW-042
		{"GET", "/api/v01/users", unknown},                                                                         // FW-042
		{"GET", "/api/v1%2Fusers", unknown},
		{"GET", "/api/v9", unknown},
		{"OPTIONS", "/api/v9/users", unknown},
		{"GET", "/api/v/users", unknown},
		{"GET", "/api/v9/%00", unknown},
		{"GET", "/other/%00", routed{}},
		{"GET", "/api/v1.1/users/send-email", routed{}},                           // versions share nothing
		{"GET", "/api/v1/users?apiAction=send-email", routedTo("GET v1/users")},   // FW-047
		{"GET", "/api/v1/users?apiAction[]=send-email", routedTo("GET v1/users")}, // FW-047
		{"GET", "/api/v1/users/send-email/5", routed{}},                           // parts behind the endpoint are not ignored
		{"GET", "/api/v1", routed{}},
		{"GET", "/api/v1/", routed{}},
		{"GET", "/api/", routed{}},
		{"GET", "/api", routed{}},
		{"GET", "/", routed{}},
		{"GET", "/users", routed{}},
		{"GET", "/v1/users", routed{}},
		{"GET", "/api/api/v1/users", routed{}},
		{"GET", "/apiv1/users", routed{}},
	})
}

func TestRouterBasePath(t *testing.T) {
	routes := []api.EndpointIdentifier{api.GET("1", "users")}
	for _, c := range []struct {
		basePath, target string
		want             routed
	}{
		{"/api", "/api/v1/users", routedTo("GET v1/users")}, // FW-041
		{"", "/v1/users", routedTo("GET v1/users")},
		{"/", "/v1/users", routedTo("GET v1/users")},
		{"/my/public-api", "/my/public-api/v1/users", routedTo("GET v1/users")},
		{"/my/public-api", "/my/%70ublic-api/v1/users", routedTo("GET v1/users")},
		{"/my/public-api", "/my%2Fpublic-api/v1/users", routed{}},
		{"/my/public-api", "/public-api/v1/users", routed{}},
		{"/bücher", "/b%C3%BCcher/v1/users", routedTo("GET v1/users")},
	} {
		t.Run(c.basePath+" "+c.target, func(t *testing.T) {
			rt := mustRoute(t, c.basePath, routes)
			require.Equal(t, c.want, askRouter(t, rt, routes, "GET", c.target))
		})
	}
}

func TestRouterTargetsThatNoEndpointHas(t *testing.T) {
	routes := []api.EndpointIdentifier{api.GET("1", "{all...}")}
	rt := mustRoute(t, "", routes)
	long := strings.Repeat("a", maxPathLength-len("/v1/"))
	deep := strings.Repeat("/a", maxSegments)
	for _, c := range []struct {
		name, method string
		url          url.URL
		want         matchOutcome
	}{
		{"OPTIONS *", "OPTIONS", url.URL{Path: "*"}, routeNotFound},
		{"CONNECT", "CONNECT", url.URL{Host: "example.com:443"}, routeNotFound},
		{"no path", "GET", url.URL{}, routeNotFound},
		{"opaque", "GET", url.URL{Scheme: "http", Opaque: "v1/users"}, routeNotFound},
		{"no slash at the start", "GET", url.URL{Path: "v1/users"}, routeNotFound},
		{"as long as may be", "GET", url.URL{Path: "/v1/" + long}, routeFound},
		{"too long", "GET", url.URL{Path: "/v1/" + long + "a"}, routeBadPath},
		{"as deep as may be", "GET", url.URL{Path: "/v1" + deep}, routeFound},
		{"too deep", "GET", url.URL{Path: "/v1" + deep + "/a"}, routeBadPath},
		{"NUL", "GET", url.URL{Path: "/v1/\x00"}, routeBadPath},
		{"not UTF-8", "GET", url.URL{Path: "/v1/\xff"}, routeBadPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, rt.match(c.method, &c.url, nil).outcome)
		})
	}
}

func TestRouterTrustsARawPathThatMeansThePath(t *testing.T) {
	routes := []api.EndpointIdentifier{api.GET("1", "{a}"), api.GET("1", "{a}", "{b}")}
	rt := mustRoute(t, "", routes)
	one := func(a string) routed { return routedTo("GET v1/{a}", api.PathValue{Name: "a", Value: a}) }
	two := func(a, b string) routed {
		return routedTo("GET v1/{a}/{b}", api.PathValue{Name: "a", Value: a}, api.PathValue{Name: "b", Value: b})
	}
	for _, c := range []struct {
		name, path, raw string
		want            routed
	}{
		{"it does", "/v1/x/y", "/v1/x%2Fy", one("x/y")},
		{"none", "/v1/x/y", "", two("x", "y")},
		{"another path", "/v1/x/z", "/v1/x%2Fy", two("x", "z")},
		{"shorter", "/v1/x/y", "/v1/x%2F", two("x", "y")},
		{"longer", "/v1/x/y", "/v1/x%2Fyy", two("x", "y")},
		{"a bad escape", "/v1/x/y", "/v1/x%2Fy%zz", two("x", "y")},
		{"half an escape", "/v1/x/y", "/v1/x%2Fy%2", two("x", "y")},
		{"a sign for a digit", "/v1/x/y", "/v1/x%+Fy", two("x", "y")},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, askRouterURL(t, rt, routes, "GET", &url.URL{Path: c.path, RawPath: c.raw}))
		})
	}
}
