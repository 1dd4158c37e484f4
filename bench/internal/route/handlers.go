package route

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/handler"
)

// A side makes a handler of n endpoints that all answer 204.
type side struct {
	name string
	make func(n int) (http.Handler, error)
}

var (
	ours = side{"sallyport", makeOurs}
	bare = side{"httprouter", makeBare}
)

// shapes are the paths of a resource behind its name.
var shapes = [][]string{{}, {"{id}"}, {"{id}", "items"}, {"{id}", "items", "{item}"}}

func resource(i int) string { return fmt.Sprintf("resource%d", i/len(shapes)) }

func makeOurs(n int) (http.Handler, error) {
	d := sallyport.NewApiDecider(sallyport.Config{CORS: sallyport.CORS{Off: true}, TrustRequestID: true})
	h := handler.Func(func(context.Context, *api.Request) (api.Response, error) { return api.NoContent(), nil })
	for i := range n {
		d.AddApi(api.GET("1", resource(i), shapes[i%len(shapes)]...), h, auth.None())
	}
	return sallyport.NewPresenter(d)
}

func makeBare(n int) (http.Handler, error) {
	router := httprouter.New()
	for i := range n {
		path := "/api/v1/" + resource(i)
		for _, segment := range shapes[i%len(shapes)] {
			path += "/" + strings.TrimSuffix(strings.Replace(segment, "{", ":", 1), "}")
		}
		router.GET(path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) { w.WriteHeader(http.StatusNoContent) })
	}
	return router, nil
}

// request goes through all resources, with both variables.
func request(s side, n int) measure.Work {
	return measure.Work{Name: s.name, Start: func() (measure.Running, error) {
		h, err := s.make(n)
		if err != nil {
			return measure.Running{}, err
		}
		var requests []*http.Request
		for i := len(shapes) - 1; i < n; i += len(shapes) {
			r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/api/v1/"+resource(i)+"/4711/items/42", http.NoBody)
			if err != nil {
				return measure.Running{}, err
			}
			r.Header.Set("X-Request-Id", "7f0c1d5ce9b34a40")
			requests = append(requests, r)
		}
		return measure.Running{Worker: func(int) func(int) error { return serve(h, requests) }}, nil
	}}
}

func serve(h http.Handler, requests []*http.Request) func(n int) error {
	at, w := 0, &answer{header: http.Header{}}
	return func(n int) error {
		for range n {
			clear(w.header)
			if h.ServeHTTP(w, requests[at]); w.status != http.StatusNoContent {
				return fmt.Errorf("%s was answered %d", requests[at].URL, w.status)
			}
			w.status = 0
			if at++; at == len(requests) {
				at = 0
			}
		}
		return nil
	}
}

func build(s side, n int) measure.Work {
	return measure.Work{Name: s.name, Start: func() (measure.Running, error) {
		return measure.Running{Worker: func(int) func(int) error {
			return func(times int) error {
				for range times {
					if _, err := s.make(n); err != nil {
						return err
					}
				}
				return nil
			}
		}}, nil
	}}
}

// answer keeps nothing but the header and the status.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
