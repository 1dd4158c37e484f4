package sallyport_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestHeadIsGetWithoutItsBody(t *testing.T) { // peer-fw 14
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 2, Interval: time.Minute}}})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
	h := p.build(t)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)

	res, err := server.Client().Head(server.URL + "/api/v1/users")
	require.NoError(t, err)
	require.Equal(t, 200, res.StatusCode)
	require.EqualValues(t, len(`{"status":"ok"}`), res.ContentLength)
	require.Contains(t, res.Header.Get("RateLimit"), `"perIp";r=1`)

	res, err = server.Client().Get(server.URL + "/api/v1/users")
	require.NoError(t, err)
	require.Equal(t, `{"status":"ok"}`, body(t, res))
	require.Contains(t, res.Header.Get("RateLimit"), `"perIp";r=0`, "they share a counter")

	res, err = server.Client().Head(server.URL + "/api/v1/users")
	require.NoError(t, err)
	require.Equal(t, 429, res.StatusCode)
	require.NotEmpty(t, res.Header.Get("Retry-After"))
}

func TestTheWriterOfAResponse(t *testing.T) { // peer-fw 65
	for _, tc := range []struct {
		name   string
		send   func(w http.ResponseWriter) error
		status int
		body   string
	}{
		{"nothing written", func(http.ResponseWriter) error { return nil }, 200, ""},
		{"the first status wins", func(w http.ResponseWriter) error { w.WriteHeader(201); w.WriteHeader(500); return nil }, 201, ""},
		{"a body without a status", func(w http.ResponseWriter) error { _, err := io.WriteString(w, "x"); return err }, 200, "x"},
		{"a copy", func(w http.ResponseWriter) error { _, err := io.Copy(w, strings.NewReader("copied")); return err }, 200, "copied"},
		{"a flush", func(w http.ResponseWriter) error { w.(http.Flusher).Flush(); return nil }, 200, ""},
		{"early hints", func(w http.ResponseWriter) error { w.WriteHeader(103); w.WriteHeader(202); return nil }, 202, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}})
			p.AddApi(api.GET("1", "users"), returns(responseFunc(tc.send), nil), open, ratelimit.Named("perIp"))
			server := httptest.NewServer(p.build(t))
			t.Cleanup(server.Close)
			res, err := server.Client().Get(server.URL + "/api/v1/users")
			require.NoError(t, err)
			require.Equal(t, tc.status, res.StatusCode)
			require.Equal(t, tc.body, body(t, res))
			require.NotEmpty(t, res.Header.Get("RateLimit"))
		})
	}
}

func TestTheStatusIsThatOfTheResponse(t *testing.T) { // FW-073, FW-074
	for _, status := range []int{200, 202, 204, 302, 404, 418, 503} {
		p := newProgram(sallyport.Config{})
		p.AddApi(api.GET("1", "own"), returns(silentResponse(status), nil), open)
		p.AddApi(api.GET("1", "text"), returns(api.Text(status, ""), nil), open)
		h := p.build(t)
		require.Equal(t, status, get(h, "/api/v1/own").StatusCode)
		require.Equal(t, status, get(h, "/api/v1/text").StatusCode)
	}
}

func TestEveryAnswerIsSentOnceAndAtTheEnd(t *testing.T) { // FW-067
	for _, tc := range []struct {
		name   string
		q      request
		h      api.Handler
		status int
	}{
		{"a success", request{token: "my-token"}, ok, 200},
		{"no body", request{token: "my-token"}, returns(api.NoContent(), nil), 204},
		{"a status without an answer", request{token: "my-token"}, returns(silentResponse(202), nil), 202},
		{"a handler that fails", request{token: "my-token"}, returns(nil, errors.New("db")), 500},
		{"a handler that panics", request{token: "my-token"}, panics("bug"), 500},
		{"a response that cannot be encoded", request{token: "my-token"}, returns(api.JSON(200, func() {}), nil), 500},
		{"a refused caller", request{}, ok, 401},
		{"an unknown path", request{path: "/nowhere"}, ok, 404},
		{"a preflight", request{method: "OPTIONS"}, ok, 204},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := &countingWriter{ResponseWriter: httptest.NewRecorder()}
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
				require.Empty(t, w.statuses, "nothing is sent before the handler has returned")
				return tc.h.Handle(ctx, r)
			}), bearer)
			if tc.q.path == "" {
				tc.q.path = "/api/v1/users"
			}
			if tc.q.method == "" {
				tc.q.method = "GET"
			}
			r := httptest.NewRequestWithContext(t.Context(), tc.q.method, tc.q.path, nil)
			if tc.q.token != "" {
				r.Header.Set("Authorization", "Bearer "+tc.q.token)
			}
			p.build(t).ServeHTTP(w, r)
			require.Equal(t, []int{tc.status}, w.statuses)
			require.LessOrEqual(t, w.bodies, 1)
		})
	}
}

// countingWriter remembers the statuses it was given and counts the bodies.
type countingWriter struct {
	http.ResponseWriter
	statuses []int
	bodies   int
}

func (w *countingWriter) WriteHeader(status int) {
	w.statuses = append(w.statuses, status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.bodies++
	return w.ResponseWriter.Write(b)
}

type responseFunc func(w http.ResponseWriter) error

func (responseFunc) Status() int { return 200 }

func (f responseFunc) Send(w http.ResponseWriter, _ *http.Request) error { return f(w) }

func TestAConnectionCanBeTakenOver(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), returns(responseFunc(func(w http.ResponseWriter) error {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return err
		}
		_, err = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\ntaken")
		return errors.Join(err, conn.Close())
	}), nil), open)
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	res, err := server.Client().Get(server.URL + "/api/v1/users")
	require.NoError(t, err)
	require.Equal(t, "taken", body(t, res))
}

func TestHeadOfAHandlerThatTellsNoLength(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })), open)
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	var answers []http.Header
	for _, method := range []string{"GET", "HEAD"} {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/api/v1/users", nil)
		require.NoError(t, err)
		res, err := server.Client().Do(req)
		require.NoError(t, err)
		require.Equal(t, method == "HEAD", body(t, res) == "")
		res.Header.Del("X-Request-Id")
		res.Header.Del("Date")
		answers = append(answers, res.Header)
	}
	require.Equal(t, answers[0], answers[1])
	require.Equal(t, "5", answers[1].Get("Content-Length"))
}

func TestEarlyHintsOfARefusalAreHints(t *testing.T) {
	hints := responseFunc(func(w http.ResponseWriter) error {
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Content-Type", "text/plain")
		_, err := io.WriteString(w, "later")
		return err
	})
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) {
		return []ratelimit.Result{{Policy: "a", Response: hints}}, nil
	})))
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	res, err := server.Client().Get(server.URL + "/api/v1/users")
	require.NoError(t, err)
	require.Equal(t, 429, res.StatusCode)
	require.Equal(t, "text/plain", res.Header.Get("Content-Type"))
	require.Equal(t, "later", body(t, res))
}
