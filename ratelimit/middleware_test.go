package ratelimit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func newMiddleware(t *testing.T, l ratelimit.Limiter, o ratelimit.MiddlewareOptions) http.Handler {
	t.Helper()
	wrap, err := ratelimit.Middleware(l, o)
	require.NoError(t, err)
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
}

func byHeader(r *http.Request) (string, any, error) {
	switch user := r.Header.Get("User"); user {
	case "down":
		return "", nil, errors.New("pq: password=hunter2")
	default:
		return user, nil, nil
	}
}

func serve(h http.Handler, user string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/users/7", nil)
	r.Pattern = "GET /users/{id}"
	r.Header.Set("User", user)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestLimitsForAnyProgram(t *testing.T) {
	o := ratelimit.Options{Clock: newHeldClock()}
	perIP := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: ratelimit.FixedWindow, Limit: 4, Interval: time.Minute}, o)
	perUser := newLimiter(t, ratelimit.Policy{Name: "perUser", Algorithm: ratelimit.FixedWindow, Limit: 1, Interval: time.Minute, Key: ratelimit.Identity}, o)
	h := newMiddleware(t, ratelimit.Chain(perUser, perIP), ratelimit.MiddlewareOptions{Identify: byHeader, Logger: slog.New(slog.DiscardHandler)})
	for _, tc := range []struct {
		user              string
		status            int
		policy, limit     string
		retryAfter, plain string
	}{
		{"ada", 204, `"perIp";q=4;w=60, "perUser";q=1;w=60`, `"perIp";r=3;t=60, "perUser";r=0;t=60`, "", ""},
		{"ada", 429, `"perIp";q=4;w=60, "perUser";q=1;w=60`, `"perIp";r=2;t=60, "perUser";r=0;t=60`, "60", "Too many requests. Retry after 60 seconds.\n"},
		{"", 204, `"perIp";q=4;w=60`, `"perIp";r=1;t=60`, "", ""},
		{"down", 500, `"perIp";q=4;w=60`, `"perIp";r=0;t=60`, "", "Internal Server Error\n"},
		{"grace", 429, `"perIp";q=4;w=60`, `"perIp";r=0;t=60`, "60", "Too many requests. Retry after 60 seconds.\n"},
	} {
		w := serve(h, tc.user)
		require.Equal(t, tc.status, w.Code)
		require.Equal(t, tc.policy, w.Header().Get("RateLimit-Policy"))
		require.Equal(t, tc.limit, w.Header().Get("RateLimit"))
		require.Equal(t, tc.retryAfter, w.Header().Get("Retry-After"))
		require.Equal(t, tc.plain, w.Body.String())
	}
}

func TestAnswersOfTheProgramsOwn(t *testing.T) {
	o := ratelimit.MiddlewareOptions{
		Endpoint: ratelimit.RequestPattern,
		Refuse: func(w http.ResponseWriter, _ *http.Request, results []ratelimit.Result) {
			http.Error(w, ratelimit.Refused(results).Policy, http.StatusTooManyRequests)
		},
		Fail:   func(w http.ResponseWriter, _ *http.Request, err error) { http.Error(w, "sorry", http.StatusBadGateway) },
		Logger: slog.New(slog.DiscardHandler),
	}
	perEndpoint := newLimiter(t, ratelimit.Policy{Name: "perEndpoint", Limit: 1, Interval: time.Minute, Key: ratelimit.Endpoint}, ratelimit.Options{})
	h := newMiddleware(t, perEndpoint, o)
	require.Equal(t, 204, serve(h, "").Code)
	w := serve(h, "")
	require.Equal(t, 429, w.Code)
	require.Equal(t, "perEndpoint\n", w.Body.String())

	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	require.Equal(t, 502, w.Code, "a request without a pattern has no endpoint")
}

func TestOutagesInFrontOfAnyProgram(t *testing.T) {
	down := failing(ratelimit.Unavailable(errors.New("hunter2")))
	for mode, status := range map[ratelimit.FailureMode]int{ratelimit.FailOpen: 204, ratelimit.FailClosed: 503, ratelimit.FailLocal: 204} {
		l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, OnStorageFailure: mode}, ratelimit.Options{Storage: down, Logger: slog.New(slog.DiscardHandler)})
		w := serve(newMiddleware(t, l, ratelimit.MiddlewareOptions{}), "")
		require.Equal(t, status, w.Code)
		require.Equal(t, status == 503, w.Header().Get("Retry-After") == "1")
		require.NotContains(t, w.Body.String(), "hunter2")
	}

	var log bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute}, ratelimit.Options{Storage: failing(context.Canceled)})
	w := httptest.NewRecorder()
	newMiddleware(t, l, ratelimit.MiddlewareOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	require.Empty(t, log.String(), "a client that has gone is no failure") // RL-185
	require.Equal(t, 499, w.Code)
}

func TestMistakesOfTheMiddleware(t *testing.T) {
	o := ratelimit.Options{}
	perUser := newLimiter(t, ratelimit.Policy{Name: "perUser", Limit: 1, Interval: time.Minute, Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint)}, o)
	for _, tc := range []struct {
		name    string
		limiter ratelimit.Limiter
		options ratelimit.MiddlewareOptions
		want    string
	}{
		{"no limiter", nil, ratelimit.MiddlewareOptions{}, "ratelimit: middleware: there is no limiter"},
		{"what the limits need is missing", ratelimit.Chain(perUser), ratelimit.MiddlewareOptions{}, "ratelimit: middleware: policy \"perUser\" needs the identity: set Identify\nratelimit: middleware: policy \"perUser\" counts by endpoint: set Endpoint"},
		{"a limit twice", ratelimit.Chain(perUser, perUser), ratelimit.MiddlewareOptions{Identify: byHeader, Endpoint: ratelimit.RequestPattern}, `ratelimit: middleware: the rate limit "perUser" stands twice in the list: it would count double`},
		{"a faulty detector", newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute}, o), ratelimit.MiddlewareOptions{Detector: ipdetector.NewTrustedProxies("", "nonsense")}, `ratelimit: middleware: detector: `},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ratelimit.Middleware(tc.limiter, tc.options)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestAMiddlewareAroundAMuxCountsByItsPatterns(t *testing.T) { // peer 52
	mux := http.NewServeMux()
	mux.HandleFunc("GET /verify/{code}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	perEndpoint := newLimiter(t, ratelimit.Policy{Name: "perEndpoint", Limit: 2, Interval: time.Minute, Key: ratelimit.Endpoint}, ratelimit.Options{})
	wrap, err := ratelimit.Middleware(perEndpoint, ratelimit.MiddlewareOptions{Endpoint: ratelimit.MuxPattern(mux)})
	require.NoError(t, err)
	var got []int
	for _, path := range []string{"/verify/1", "/verify/2", "/verify/3", "/a", "/b", "/c"} {
		w := httptest.NewRecorder()
		wrap(mux).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		got = append(got, w.Code)
	}
	require.Equal(t, []int{204, 204, 429, 404, 404, 429}, got)
}
