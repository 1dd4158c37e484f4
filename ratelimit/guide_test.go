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
