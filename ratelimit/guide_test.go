package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The snippets of docs/rate-limiting.md that need no framework. A test in the
// root of the module keeps the page and this file in step.

func Example_guideHTTP() {
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "search", Limit: 60, Interval: time.Minute}, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	search := func(w http.ResponseWriter, r *http.Request) {
		rc := &ratelimit.Context{Endpoint: "GET /search", Request: r, Detector: ipdetector.RemoteAddr{}}
		results, err := limiter.Consume(r.Context(), rc, 1, nil)
		if err != nil {
			http.Error(w, "Internal server error", http.StatusInternalServerError)
			return
		}
		if len(results) > 0 {
			w.Header().Set("RateLimit-Policy", ratelimit.PolicyField(results))
			w.Header().Set("RateLimit", string(ratelimit.AppendLimitField(nil, results)))
		}
		if ratelimit.Refused(results) != nil {
			if seconds, ok := ratelimit.RetryAfter(results); ok {
				w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
			}
			http.Error(w, "Too many requests", http.StatusTooManyRequests)
			return
		}
		fmt.Fprintln(w, "found")
	}

	statuses := map[int]bool{}
	for range 61 {
		w := httptest.NewRecorder()
		search(w, httptest.NewRequest("GET", "/search", nil))
		statuses[w.Code] = true
	}
	fmt.Println(statuses)
	// Output:
	// map[200:true 429:true]
}

func Example_guideKeyValue() {
	rows, lock := &table{rows: map[string]row{}}, new(locks).lock

	storage := ratelimit.FromKeyValue(rows, ratelimit.KeyValueOptions{Lock: lock})
	options := ratelimit.Options{Storage: storage} // for Config.RateLimiting

	limiter, err := ratelimit.NewFixedWindow("mails", 2, time.Hour, ratelimit.Endpoint, options)
	if err != nil {
		log.Fatal(err)
	}
	rc := &ratelimit.Context{Endpoint: "mail", Now: noon}
	for range 3 {
		results, err := limiter.Consume(context.Background(), rc, 1, nil)
		fmt.Println(string(ratelimit.AppendLimitField(nil, results)), results[0].Accepted, err)
	}
	// Output:
	// "mails";r=1;t=3600 true <nil>
	// "mails";r=0;t=3600 true <nil>
	// "mails";r=0;t=3600 false <nil>
}

// partnerQuotas is how many requests a partner still takes for an endpoint.
type partnerQuotas map[string]int64

func (q partnerQuotas) Take(_ context.Context, endpoint string) (left int64, err error) {
	q[endpoint]--
	return q[endpoint], nil
}

func Example_guideCheck() {
	quotas := partnerQuotas{"GET /rates": 2}

	partner := ratelimit.CheckFunc(func(ctx context.Context, rc *ratelimit.Context) (*ratelimit.Check, error) {
		left, err := quotas.Take(ctx, rc.Endpoint)
		return &ratelimit.Check{Policy: "partner", Limit: 1000, Remaining: left}, err
	})

	for range 2 {
		results, err := partner.Consume(context.Background(), &ratelimit.Context{Endpoint: "GET /rates"}, 1, nil)
		fmt.Println(string(ratelimit.AppendLimitField(nil, results)), results[0].Accepted, err)
	}
	// Output:
	// "partner";r=1 true <nil>
	// "partner";r=0 false <nil>
}

func Example_guideMiddleware() {
	options := ratelimit.Options{Clock: newHeldClock()}
	perAddress, err := ratelimit.NewSlidingWindow("perAddress", 60, time.Minute, ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint), options)
	if err != nil {
		log.Fatal(err)
	}
	perUser, err := ratelimit.NewTokenBucket("perUser", 1000, time.Hour, ratelimit.Identity, options)
	if err != nil {
		log.Fatal(err)
	}
	sessions := map[string]string{"5f2c": "anna"}
	identify := func(r *http.Request) (identity string, subject any, err error) {
		return sessions[r.Header.Get("X-Session")], nil, nil
	}
	book := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.PathValue("id")) })
	mux := http.NewServeMux()

	limited, err := ratelimit.Middleware(ratelimit.Chain(perAddress, perUser), ratelimit.MiddlewareOptions{
		Identify: identify,                 // who calls, for limits by identity
		Endpoint: ratelimit.RequestPattern, // for limits by endpoint
	})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("GET /books/{id}", limited(book)) // inside the mux, which knows the pattern

	for _, session := range []string{"guessed", "5f2c"} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/books/1", nil)
		r.Header.Set("X-Session", session)
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("RateLimit"))
	}
	// Output:
	// 200 "perAddress";r=59;t=60
	// 200 "perAddress";r=58;t=60, "perUser";r=999;t=4
}

func Example_guideChain() {
	clock := newHeldClock()
	options := ratelimit.Options{Clock: clock}
	perMinute, err := ratelimit.NewFixedWindow("perMinute", 2, time.Minute, ratelimit.Identity, options)
	if err != nil {
		log.Fatal(err)
	}
	perDay, err := ratelimit.NewFixedWindow("perDay", 3, 24*time.Hour, ratelimit.Identity, options)
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()

	mails := ratelimit.Chain(perMinute, perDay)
	customer := &ratelimit.Context{Stage: ratelimit.AfterAuthorization, Identity: "customer:42"}
	results, err := mails.Consume(ctx, customer, 1, nil)

	for _, wait := range []time.Duration{0, 0, time.Minute} {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(ratelimit.AppendLimitField(nil, results)))
		clock.Advance(wait)
		results, err = mails.Consume(ctx, customer, 1, nil)
	}
	fmt.Println(string(ratelimit.AppendLimitField(nil, results)), err)
	// Output:
	// "perMinute";r=1;t=60, "perDay";r=2;t=43200
	// "perMinute";r=0;t=60, "perDay";r=1;t=43200
	// "perMinute";r=0;t=60
	// "perMinute";r=1;t=60, "perDay";r=0;t=43140 <nil>
}
