package sallyport

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestNewRouterReportsMistakes(t *testing.T) {
	tooLong := "the path is too long: at most 128 segments and 8192 bytes"
	deep := strings.TrimSuffix(strings.Repeat("a/", maxSegments+1), "/")
	long := strings.Repeat("a", maxPathLength)
	for _, c := range []struct {
		name   string
		routes []api.EndpointIdentifier
		want   []routeMistake
	}{
		{"none", []api.EndpointIdentifier{
			api.GET("1", "users"), api.POST("1", "users"), api.GET("2", "users"), api.GET("1", "users", "{id}"),
			api.GET("1", "users", ":id"), api.GET("1", "users", "{id...}"), api.GET("1", "Users"),
			api.GET("1", ":variable"), api.GET("1", "{a}"),
		}, nil},
		{"the same text", []api.EndpointIdentifier{api.GET("1", "users"), api.POST("1", "users"), api.NewEndpointIdentifier("get", "1", "users", "")},
			[]routeMistake{{2, 0, fmt.Errorf("GET v1/users is the same endpoint as GET v1/users")}}}, // FW-024
		{"package and action", []api.EndpointIdentifier{api.GET("1", "users/all"), api.GET("1", "users", "all")},
			[]routeMistake{{1, 0, fmt.Errorf("GET v1/users/all is the same endpoint as GET v1/users/all")}}},
		{"other names", []api.EndpointIdentifier{api.GET("1", "u", "{id}"), api.GET("1", "u", "{other}"), api.GET("1", "u", "{third}")},
			[]routeMistake{
				{1, 0, fmt.Errorf("GET v1/u/{other} is the same endpoint as GET v1/u/{id}")}, // FW-024, peer-fw 13
				{2, 0, fmt.Errorf("GET v1/u/{third} is the same endpoint as GET v1/u/{id}")},
			}},
		{"other names of a rest", []api.EndpointIdentifier{api.GET("1", "f", "{a...}"), api.GET("1", "f", "{b...}")},
			[]routeMistake{{1, 0, fmt.Errorf("GET v1/f/{b...} is the same endpoint as GET v1/f/{a...}")}}}, // peer-fw 13
		{"too deep", []api.EndpointIdentifier{api.GET("1", deep)},
			[]routeMistake{{0, -1, fmt.Errorf("GET v1/%s: %s", deep, tooLong)}}},
		{"too long", []api.EndpointIdentifier{api.GET("1", long)},
			[]routeMistake{{0, -1, fmt.Errorf("GET v1/%s: %s", long, tooLong)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, mistakes := newRouter("/api", c.routes)
			require.Equal(t, mistakeTexts(c.want), mistakeTexts(mistakes))
		})
	}
}

// mistakeTexts makes mistakes comparable.
func mistakeTexts(mistakes []routeMistake) []string {
	texts := make([]string, len(mistakes))
	for i, m := range mistakes {
		texts[i] = fmt.Sprintf("%d %d %v", m.route, m.other, m.err)
	}
	return texts
}

func TestNewRouterBoundsTheShapes(t *testing.T) {
	routes := shapedRoutes(maxShapes)
	mustRoute(t, "", routes)

	routes = append(routes, api.GET("1", "a", "b", "c", "d", "e", "f", "{v}"))
	rt, mistakes := newRouter("", routes)
	require.Equal(t, []string{
		"64 -1 GET v1/a/b/c/d/e/f/{v}: more than 64 arrangements of variables in the paths of one method and version",
	}, mistakeTexts(mistakes))
	require.Equal(t, routed{}, askRouter(t, rt, routes, "GET", "/v1/a/b/c/d/e/f/g"), "a refused route is not served")

	// Known shapes, texts, and other methods and versions are not bounded by it.
	mustRoute(t, "", append(shapedRoutes(maxShapes),
		api.GET("1", "{v}", "b", "c", "d", "e", "f"), api.GET("1", "text"), api.POST("1", "x", "y", "{v}"), api.GET("2", "x", "y", "{v}")))
}

// shapedRoutes are up to 64 routes of as many shapes: text or a variable at each
// of six places.
func shapedRoutes(n int) (routes []api.EndpointIdentifier) {
	for bits := range n {
		segments := make([]string, 6)
		for i := range segments {
			segments[i] = fmt.Sprintf("s%d", i)
			if bits>>i&1 == 1 {
				segments[i] = fmt.Sprintf("{v%d}", i)
			}
		}
		if bits == 0 {
			segments = []string{"{only}"}
		}
		routes = append(routes, api.GET("1", segments[0], segments[1:]...))
	}
	return routes
}

func TestRouterAppendsToTheBufferOfItsCaller(t *testing.T) {
	rt := mustRoute(t, "", []api.EndpointIdentifier{api.GET("1", "users", "{id}", "posts", "{post}"), api.GET("1", "users")})
	buffer := make(api.PathValues, 0, 4)

	m := rt.match("GET", &url.URL{Path: "/v1/users/5/posts/9"}, buffer)
	require.Equal(t, api.PathValues{{Name: "id", Value: "5"}, {Name: "post", Value: "9"}}, m.params)
	require.Same(t, &buffer[:1][0], &m.params[0])

	m = rt.match("GET", &url.URL{Path: "/v1/users"}, buffer)
	require.Nil(t, m.params)
}

func TestRouterAllocations(t *testing.T) {
	rt := mustRoute(t, "/api", []api.EndpointIdentifier{
		api.GET("1", "users"), api.GET("1", "users", "{id}"), api.GET("1", "users", "{id}", "posts", "{post}"), api.GET("1", "files", "{path...}"),
	})
	buffer := make(api.PathValues, 0, 4)
	for _, c := range []struct {
		method, target string
		buffer         api.PathValues
		want           float64
	}{
		{"GET", "/api/v1/users", nil, 0},
		{"GET", "/api/v1/users/", nil, 0},
		{"GET", "/api/v1/%75sers", nil, 0},
		{"HEAD", "/api/v1/users", nil, 0},
		{"OPTIONS", "/api/v1/users", nil, 0},
		{"DELETE", "/api/v1/users", nil, 0},
		{"GET", "/api/v1/nothing", nil, 0},
		{"GET", "/api/v2/users", nil, 0},
		{"GET", "/api/v1/users/5", buffer, 1},
		{"GET", "/api/v1/users/5", nil, 2},
		{"GET", "/api/v1/users/a:b%20c", buffer, 1},
		{"GET", "/api/v1/users/5/posts/9", buffer, 1},
		{"GET", "/api/v1/files/a/b/c", buffer, 1},
	} {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			u, err := url.ParseRequestURI(c.target)
			require.NoError(t, err)
			var m match
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { m = rt.match(c.method, u, c.buffer) }), c.want)
			require.NotEqual(t, routeBadPath, m.outcome)
		})
	}
}

func TestRouterIsSafeForConcurrentUse(t *testing.T) {
	routes := []api.EndpointIdentifier{
		api.GET("1", "users", "{id}"), api.GET("1", "teams", "{team}"), api.GET("1", "a:b", "{x}"), api.POST("1", "users"),
	}
	rt := mustRoute(t, "", routes)
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			value := fmt.Sprint(worker)
			for range 200 {
				for _, c := range []routerCase{
					{http.MethodGet, "/v1/users/" + value, routedTo("GET v1/users/{id}", api.PathValue{Name: "id", Value: value})},
					{http.MethodGet, "/v1/teams/" + value, routedTo("GET v1/teams/{team}", api.PathValue{Name: "team", Value: value})},
					{http.MethodGet, "/v1/a:b/" + value, routedTo("GET v1/a:b/{x}", api.PathValue{Name: "x", Value: value})},
					{http.MethodOptions, "/v1/users", routed{outcome: routePreflight, allow: "OPTIONS, POST"}},
				} {
					if got := askRouter(t, rt, routes, c.method, c.target); !equalRouted(c.want, got) {
						t.Errorf("%s %s: %+v", c.method, c.target, got)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func equalRouted(a, b routed) bool {
	return a.outcome == b.outcome && a.endpoint == b.endpoint && a.allow == b.allow && slices.Equal(a.params, b.params)
}

// However many endpoints there are, a request looks at one map and one tree per
// shape.
func TestRouterOfManyEndpoints(t *testing.T) { // FW-040
	routes := make([]api.EndpointIdentifier, 0, 5000)
	for i := range 1250 {
		name := fmt.Sprintf("resource%d", i)
		routes = append(routes,
			api.GET("1", name), api.POST("1", name), api.GET("1", name, "{id}"), api.GET("1", name, "{owner}", "items"))
	}
	rt := mustRoute(t, "/api", routes)
	for segments, trees := range []int{0, 0, 1, 1, 0} {
		require.Len(t, rt.version("1").method("GET").lengths[segments].trees, trees, "%d segments", segments)
	}
	for i := range 1250 {
		base := fmt.Sprintf("/api/v1/resource%d", i)
		require.Equal(t, routedTo(routes[4*i].String()), askRouter(t, rt, routes, "GET", base))
		require.Equal(t, routedTo(routes[4*i+1].String()), askRouter(t, rt, routes, "POST", base))
		require.Equal(t, routedTo(routes[4*i+2].String(), api.PathValue{Name: "id", Value: "7"}), askRouter(t, rt, routes, "GET", base+"/7"))
		require.Equal(t, routedTo(routes[4*i+3].String(), api.PathValue{Name: "owner", Value: "7"}), askRouter(t, rt, routes, "GET", base+"/7/items"))
	}
}
