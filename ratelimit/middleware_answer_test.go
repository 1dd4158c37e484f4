package ratelimit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestARequestThatHasEndedIsAnswered(t *testing.T) {
	panics := ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { panic("boom") })
	fails := ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) { return nil, rc.Request.Context().Err() })
	for _, tc := range []struct {
		name    string
		limiter ratelimit.Limiter
		timeout time.Duration // 0: the client has gone
		status  int
		body    string
		logged  bool
	}{
		{"the client has gone", fails, 0, 499, "Client closed request\n", false}, // RL-185
		{"the time is up", fails, -1, 503, "Service Unavailable\n", false},
		{"a panic meanwhile", panics, -1, 500, "Internal Server Error\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if tc.timeout != 0 {
				ctx, cancel = context.WithTimeout(t.Context(), tc.timeout)
				defer cancel()
			}
			var log bytes.Buffer
			w := httptest.NewRecorder()
			o := ratelimit.MiddlewareOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))}
			newMiddleware(t, tc.limiter, o).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, tc.body, w.Body.String())
			require.Equal(t, tc.logged, log.Len() > 0)
		})
	}
}

func TestAPanicInTheMiddlewareIsAnsweredWithTheFields(t *testing.T) {
	perIP := func() ratelimit.Limiter {
		return newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 9, Interval: time.Minute}, ratelimit.Options{Clock: newHeldClock()})
	}
	perUser := newLimiter(t, ratelimit.Policy{Name: "perUser", Limit: 9, Interval: time.Minute, Key: ratelimit.Identity}, ratelimit.Options{Clock: newHeldClock()})
	identify := func(*http.Request) (string, any, error) { panic("boom") }
	panics := ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { panic("boom") })
	const perIPField = `"perIp";r=8;t=60`
	for _, tc := range []struct {
		name    string
		limiter ratelimit.Limiter
		options ratelimit.MiddlewareOptions
		limit   string
	}{
		{"a limiter", ratelimit.Chain(perIP(), panics), ratelimit.MiddlewareOptions{}, perIPField},
		{"Identify", ratelimit.Chain(perIP(), perUser), ratelimit.MiddlewareOptions{Identify: identify}, perIPField},
		{"Endpoint", perIP(), ratelimit.MiddlewareOptions{Endpoint: func(*http.Request) string { panic("boom") }}, ""},
		{"Fail", ratelimit.Chain(perIP(), panics), ratelimit.MiddlewareOptions{Fail: func(http.ResponseWriter, *http.Request, error) { panic("boom") }}, perIPField},
		{"Fail with a status that is none", ratelimit.Chain(perIP(), panics), ratelimit.MiddlewareOptions{Fail: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(7) }}, perIPField},
		{"Fail without an answer", ratelimit.Chain(perIP(), panics), ratelimit.MiddlewareOptions{Fail: func(http.ResponseWriter, *http.Request, error) {}}, perIPField},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			tc.options.Logger = slog.New(slog.NewTextHandler(&log, nil))
			w := serve(newMiddleware(t, tc.limiter, tc.options), "ada")
			require.Equal(t, 500, w.Code)
			require.Equal(t, "Internal Server Error\n", w.Body.String())
			require.Equal(t, tc.limit, w.Header().Get("RateLimit"))
			require.Contains(t, log.String(), `err="ratelimit: panic: boom" stack=`)
			require.Contains(t, log.String(), "middleware_answer_test.go")
		})
	}
}

// ownResponse is the response of a limiter.
type ownResponse struct {
	text string
	err  error
	boom bool
}

func (ownResponse) Status() int { return http.StatusTeapot }

func (o ownResponse) Send(w http.ResponseWriter, _ *http.Request) error {
	if o.text != "" {
		http.Error(w, o.text, http.StatusTeapot)
	}
	if o.boom {
		panic("boom")
	}
	return o.err
}

func TestWhatAnswersARefusal(t *testing.T) {
	refused := func(wait time.Duration, r ratelimit.Response) ratelimit.Result {
		return ratelimit.Result{Policy: wait.String(), RetryAfter: wait, Response: r}
	}
	refuse := func(w http.ResponseWriter, _ *http.Request, _ []ratelimit.Result) {
		http.Error(w, "refuse", http.StatusTeapot)
	}
	const plain = "Too many requests. Retry after 2 seconds.\n"
	for _, tc := range []struct {
		name    string
		results []ratelimit.Result
		refuse  func(http.ResponseWriter, *http.Request, []ratelimit.Result)
		body    string
		aborted bool
	}{
		{"the response of the longest wait", []ratelimit.Result{refused(time.Second, ownResponse{text: "short"}), refused(2*time.Second, ownResponse{text: "long"})}, refuse, "long\n", false},
		{"the only response", []ratelimit.Result{refused(2*time.Second, nil), refused(time.Second, ownResponse{text: "short"})}, refuse, "short\n", false},
		{"Refuse", []ratelimit.Result{refused(2*time.Second, nil)}, refuse, "refuse\n", false},
		{"a response that fails", []ratelimit.Result{refused(2*time.Second, ownResponse{err: errors.New("a bug")})}, refuse, "refuse\n", false},
		{"a response that panics", []ratelimit.Result{refused(2*time.Second, ownResponse{boom: true})}, refuse, "refuse\n", false},
		{"a nil response", []ratelimit.Result{refused(2*time.Second, (*ownResponse)(nil))}, refuse, "refuse\n", false},
		{"a response that breaks off", []ratelimit.Result{refused(2*time.Second, ownResponse{text: "half", boom: true})}, refuse, "half\n", true},
		{"plain text", []ratelimit.Result{refused(2*time.Second, nil)}, nil, plain, false},
		{"Refuse that panics", []ratelimit.Result{refused(2*time.Second, nil)}, func(http.ResponseWriter, *http.Request, []ratelimit.Result) { panic("boom") }, plain, false},
		{"Refuse without an answer", []ratelimit.Result{refused(2*time.Second, nil)}, func(http.ResponseWriter, *http.Request, []ratelimit.Result) {}, plain, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return tc.results, nil })
			h := newMiddleware(t, l, ratelimit.MiddlewareOptions{Refuse: tc.refuse, Logger: slog.New(slog.DiscardHandler)})
			w := httptest.NewRecorder()
			answer := func() { h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil)) }
			if tc.aborted {
				require.PanicsWithValue(t, http.ErrAbortHandler, answer)
			} else {
				answer()
			}
			require.Equal(t, 429, w.Code)
			require.Equal(t, tc.body, w.Body.String())
			require.Equal(t, "2", w.Header().Get("Retry-After"))
			require.NotEmpty(t, w.Header().Get("RateLimit"))
		})
	}
}

func TestARefusalIsFlushedAsOne(t *testing.T) {
	l := ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { return []ratelimit.Result{{Policy: "x"}}, nil })
	h := newMiddleware(t, l, ratelimit.MiddlewareOptions{Refuse: func(w http.ResponseWriter, _ *http.Request, _ []ratelimit.Result) {
		w.WriteHeader(http.StatusEarlyHints)
		require.NoError(t, http.NewResponseController(w).Flush())
		_, err := w.Write([]byte("wait"))
		require.NoError(t, err)
	}})
	server := httptest.NewServer(h)
	defer server.Close()
	answer, err := http.Get(server.URL)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, 429, answer.StatusCode)
	require.Equal(t, "wait", string(body))
}

func TestAMiddlewareAroundAMiddlewareKeepsItsFields(t *testing.T) {
	o := ratelimit.Options{Clock: newHeldClock()}
	wrap := func(name string, limit int64) func(http.Handler) http.Handler {
		l := newLimiter(t, ratelimit.Policy{Name: name, Limit: limit, Interval: time.Minute}, o)
		m, err := ratelimit.Middleware(l, ratelimit.MiddlewareOptions{})
		require.NoError(t, err)
		return m
	}
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for _, tc := range []struct {
		name, outer   string
		policy, limit string
	}{
		{"of other names", "outer", `"inner";q=9;w=60, "outer";q=8;w=60`, `"inner";r=8;t=60, "outer";r=7;t=60`},
		{"but for its own name", "Inner", `"inner";q=9;w=60`, `"inner";r=8;t=60`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := serve(wrap(tc.outer, 8)(wrap("inner", 9)(ok)), "")
			require.Equal(t, 204, w.Code)
			require.Equal(t, []string{tc.policy}, w.Header().Values("RateLimit-Policy"))
			require.Equal(t, []string{tc.limit}, w.Header().Values("RateLimit"))
		})
	}
}
