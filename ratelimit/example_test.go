package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// A report may be asked for once an hour, whoever asks. Other requests are not
// limited.
func ExampleKeyFunc() {
	report := ratelimit.KeyFunc(func(_ context.Context, rc *ratelimit.Context) (key string, ok bool, err error) {
		id := rc.Request.PathValue("report")
		return id, id != "", nil
	})
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perReport", Limit: 1, Interval: time.Hour, Key: report}, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range []string{"a", "b", "a", ""} {
		r := httptest.NewRequest("GET", "/", nil)
		r.SetPathValue("report", id)
		results, err := limiter.Consume(context.Background(), &ratelimit.Context{Request: r}, 1, nil)
		fmt.Printf("%q: %d limits, refused: %t, error: %v\n", id, len(results), ratelimit.Refused(results) != nil, err)
	}
	// Output:
	// "a": 1 limits, refused: false, error: <nil>
	// "b": 1 limits, refused: false, error: <nil>
	// "a": 1 limits, refused: true, error: <nil>
	// "": 0 limits, refused: false, error: <nil>
}

// A partner's API counts by itself and tells how much is left.
func ExampleCheckFunc() {
	var left atomic.Int64
	left.Store(3)
	partner := ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) {
		return &ratelimit.Check{Policy: "partner", Limit: 3, Remaining: left.Add(-1), RetryAfter: 20 * time.Second}, nil
	})
	for range 3 {
		results, err := partner.Consume(context.Background(), &ratelimit.Context{}, 1, nil)
		fmt.Printf("%s, refused: %t, error: %v\n", ratelimit.AppendLimitField(nil, results), ratelimit.Refused(results) != nil, err)
	}
	// Output:
	// "partner";r=2;t=20, refused: false, error: <nil>
	// "partner";r=1;t=20, refused: false, error: <nil>
	// "partner";r=0;t=20, refused: true, error: <nil>
}

// The storage is opened by the first request that needs it, not when the program
// starts.
func ExampleLazy() {
	storage := ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) {
		fmt.Println("opened")
		return ratelimit.NewMemory(ratelimit.MemoryOptions{}), nil // or one that connects, within the time of the context
	})
	limiter, err := ratelimit.NewTokenBucket("everybody", 2, time.Hour, ratelimit.Endpoint, ratelimit.Options{Storage: storage})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready")
	for range 3 {
		results, err := limiter.Consume(context.Background(), &ratelimit.Context{Endpoint: "GET /search"}, 1, nil)
		fmt.Println(results[0].Accepted, results[0].Remaining, err)
	}
	// Output:
	// ready
	// opened
	// true 1 <nil>
	// true 0 <nil>
	// false 0 <nil>
}

// Every endpoint of a plain net/http program has a limit by address.
func ExampleMiddleware() {
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{
		Name: "perAddress", Limit: 1, Interval: time.Hour, Key: ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint),
	}, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	limited, err := ratelimit.Middleware(limiter, ratelimit.MiddlewareOptions{Endpoint: ratelimit.RequestPattern})
	if err != nil {
		log.Fatal(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.URL.Path) })
	mux := http.NewServeMux()
	mux.Handle("GET /books/{id}", limited(page)) // inside the mux, which knows the pattern
	mux.Handle("GET /authors/{id}", limited(page))

	for _, path := range []string{"/books/1", "/books/2", "/authors/1"} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(path, w.Code, w.Header().Get("RateLimit-Policy"))
	}
	// Output:
	// /books/1 200 "perAddress";q=1;w=3600
	// /books/2 429 "perAddress";q=1;w=3600
	// /authors/1 200 "perAddress";q=1;w=3600
}
