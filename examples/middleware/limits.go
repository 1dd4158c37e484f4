package main

import (
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// newMiddleware limits by address first, so that who guesses keys is limited,
// too, and by user then. It belongs inside the mux, which knows the pattern.
func newMiddleware(o ratelimit.Options) (func(http.Handler) http.Handler, error) {
	perAddress, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perAddress", Limit: 5, Interval: time.Minute,
		Key: ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint)}, o)
	if err != nil {
		return nil, err
	}
	perUser, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 2, Interval: time.Minute,
		Key: ratelimit.Identity}, o)
	if err != nil {
		return nil, err
	}
	return ratelimit.Middleware(ratelimit.Chain(perAddress, perUser), ratelimit.MiddlewareOptions{
		Identify: identify,
		Endpoint: ratelimit.RequestPattern, // "GET /books/{id}" is one endpoint, whatever the id
	})
}

// identify tells who calls. A wrong key is nobody's: it is not counted by user,
// and the handler behind refuses it.
func identify(r *http.Request) (identity string, subject any, err error) {
	if user := userOf(r); user != "" {
		return "apikey:" + user, user, nil
	}
	return "", nil, nil
}
