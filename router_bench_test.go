package sallyport

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// benchmarkRoutes are n endpoints, four of each resource, that httprouter alone
// accepts as well.
func benchmarkRoutes(n int) (routes []api.EndpointIdentifier) {
	for i := range n / 4 {
		name := fmt.Sprintf("resource%d", i)
		routes = append(routes,
			api.GET("1", name),
			api.GET("1", name, "{id}"),
			api.GET("1", name, "{id}", "items"),
			api.GET("1", name, "{id}", "items", "{item}"))
	}
	return routes
}

// BenchmarkRouter compares the table with a bare httprouter of the same
// endpoints, which neither checks nor decodes and knows no versions. Batches of
// both alternate, so that a busy machine slows down both; the medians count.
func BenchmarkRouter(b *testing.B) {
	for _, n := range []int{20, 500, 5000} {
		routes := benchmarkRoutes(n)
		rt, bare := mustRoute(b, "/api", routes), bareRouter(routes)
		for _, c := range []struct{ name, behind string }{
			{"static", ""}, {"variable", "/4711"}, {"inner variable", "/4711/items"}, {"two variables", "/4711/items/42"},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, c.name), func(b *testing.B) {
				random := rand.New(rand.NewPCG(1, 2))
				urls := make([]*url.URL, 256)
				buffer := make(api.PathValues, 0, 4)
				var ours, theirs []time.Duration
				for b.Loop() {
					for i := range urls {
						urls[i] = &url.URL{Path: fmt.Sprintf("/api/v1/resource%d%s", random.IntN(n/4), c.behind)}
					}
					start := time.Now()
					for _, u := range urls {
						rt.match(http.MethodGet, u, buffer)
					}
					middle := time.Now()
					for _, u := range urls {
						bare.Lookup(http.MethodGet, u.Path)
					}
					ours, theirs = append(ours, middle.Sub(start)), append(theirs, time.Since(middle))
				}
				a, z := medianTime(ours)/float64(len(urls)), medianTime(theirs)/float64(len(urls))
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(a, "ns/match")
				b.ReportMetric(z, "ns/httprouter")
				b.ReportMetric(a/z, "ratio")
			})
		}
	}
}

func medianTime(times []time.Duration) float64 {
	slices.Sort(times)
	return float64(times[len(times)/2])
}

func bareRouter(routes []api.EndpointIdentifier) *httprouter.Router {
	bare := httprouter.New()
	for _, e := range routes {
		path := "/api/v" + e.Version()
		for _, segment := range e.Segments() {
			if name, _, variable := api.Variable(segment); variable {
				segment = ":" + name
			}
			path += "/" + segment
		}
		bare.Handle(e.Method(), path, func(http.ResponseWriter, *http.Request, httprouter.Params) {})
	}
	return bare
}

// BenchmarkRouterMisses are the answers that no endpoint gives.
func BenchmarkRouterMisses(b *testing.B) {
	rt := mustRoute(b, "/api", benchmarkRoutes(500))
	for _, c := range []struct{ name, method, path string }{
		{"not found", http.MethodGet, "/api/v1/nothing/here"},
		{"method not allowed", http.MethodDelete, "/api/v1/resource7"},
		{"method not allowed with a variable", http.MethodDelete, "/api/v1/resource7/1"},
		{"preflight", http.MethodOptions, "/api/v1/resource7"},
		{"preflight with a variable", http.MethodOptions, "/api/v1/resource7/1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			u := &url.URL{Path: c.path}
			b.ReportAllocs()
			for b.Loop() {
				rt.match(c.method, u, nil)
			}
		})
	}
}

func BenchmarkNewRouter(b *testing.B) {
	routes := benchmarkRoutes(5000)
	b.ReportAllocs()
	for b.Loop() {
		_, mistakes := newRouter("/api", routes)
		require.Empty(b, mistakes)
	}
}
