package sallyport

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

var fuzzRoutes = []api.EndpointIdentifier{
	api.GET("1", "users"),
	api.POST("1", "users"),
	api.GET("1", "users", "search"),
	api.GET("1", "users", "{id}"),
	api.DELETE("1", "users", "{id}"),
	api.GET("1", "users", "{uid}", "posts"),
	api.GET("1", "users", "search", "{q}"),
	api.GET("1", "files", "{path...}"),
	api.GET("1", "jobs:run", "{id}"),
	api.GET("1.1", "{any}", "{rest...}"),
}

// FuzzRouterTarget sends whatever net/http's server lets through, and compares
// the answer with that of the reference.
func FuzzRouterTarget(f *testing.F) {
	for _, target := range []string{
		"/api/v1/users", "/api/v1/users/", "/api/v1/users//posts", "/api/v1/users/a%2Fposts", "/api/v1/%75sers/%2541",
		"/api/v1/files/", "/api/v1/files/../a//b/", "/api/v1/jobs:run/a:b", "/api/v1/jobs%3arun/*", "/api/v1.1/%e3%81%93/x",
		"/api/v1/users/%00", "/api/v1/users/%ff", "/api/v9/users", "/api/v1", "/", "*", `/api/v1/users/"%2F"`,
	} {
		f.Add("GET", target)
	}
	f.Add("HEAD", "/api/v1/users/5")
	f.Add("OPTIONS", "/api/v1/users/search/")
	f.Add("get", "/api/v1/users")
	f.Add("PUT", "/api/v1/users/search")
	rt := mustRoute(f, "/api", fuzzRoutes)
	ref := routerReference{base: []string{"", "api"}, routes: fuzzRoutes}
	f.Fuzz(func(t *testing.T, method, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || u.Opaque != "" || u.Path == "" {
			return
		}
		escaped, _, _ := strings.Cut(target, "?")
		if u.Scheme != "" {
			escaped = u.EscapedPath()
		}
		require.Equal(t, ref.match(method, escaped), askRouterURL(t, rt, fuzzRoutes, method, u))
	})
}

// FuzzRouterURL asks with URLs that no parser makes: the two spellings of the
// path may contradict each other.
func FuzzRouterURL(f *testing.F) {
	f.Add("/api/v1/users/a/b", "/api/v1/users/a%2Fb")
	f.Add("/api/v1/users/a/b", "/api/v1/users/a%2Fc")
	f.Add("/api/v1/users/a/b", "/api/v1/users/a%2")
	f.Add("", "%2F")
	f.Add("*", "")
	rt := mustRoute(f, "/api", fuzzRoutes)
	f.Fuzz(func(t *testing.T, path, raw string) {
		got := askRouterURL(t, rt, fuzzRoutes, "GET", &url.URL{Path: path, RawPath: raw})
		if decoded, err := url.PathUnescape(raw); err != nil || decoded != path {
			require.Equal(t, askRouterURL(t, rt, fuzzRoutes, "GET", &url.URL{Path: path}), got)
		}
	})
}
