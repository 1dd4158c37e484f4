package sallyport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// says is a handler that answers with its endpoint and the variables of the path.
var says = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	text := r.Endpoint().String()
	for _, p := range r.Params {
		text += " " + p.Name + "=" + p.Value
	}
	return api.Text(http.StatusOK, text), nil
})

func TestPathsAndMethods(t *testing.T) {
	p := newProgram(sallyport.Config{CORS: sallyport.CORS{Off: true}})
	for _, e := range []api.EndpointIdentifier{
		api.GET("1", "users"), api.POST("1", "users", "send-email"), api.GET("1", "users", "{id}"), api.GET("1", "users", "search"),
		api.GET("1", "users", "{uid}", "posts"), api.DELETE("1", "users", "{id}"), api.GET("1.33-dev", "users"),
		api.GET("2", "files", "{path...}"), api.NewEndpointIdentifier("OPTIONS", "1", "explicit", ""), api.GET("1", "explicit"),
		api.NewEndpointIdentifier("HEAD", "1", "head", ""), api.GET("1", "head"),
	} {
		p.AddApi(e, says, open)
	}
	h := p.build(t)
	const unknown = `{"status":"error","message":"Unknown api endpoint"}`
	for _, tc := range []struct {
		method, path string
		status       int
		body, allow  string
	}{
		{"GET", "/api/v1/users", 200, "GET v1/users", ""},                           // FW-013, FW-016, FW-041, TC-229
		{"get", "/api/v1/users", 200, "GET v1/users", ""},                           // TC-136
		{"POST", "/api/v1/users/send-email", 200, "POST v1/users/send-email", ""},   // TC-229
		{"GET", "/api/v1/users/", 200, "GET v1/users", ""},                          // FW-009
		{"GET", "/api/v1/users/5", 200, "GET v1/users/{id} id=5", ""},               // FW-044
		{"GET", "/api/v1/users/search", 200, "GET v1/users/search", ""},             // FW-045, peer-fw 1
		{"GET", "/api/v1/users/7/posts", 200, "GET v1/users/{uid}/posts uid=7", ""}, // peer-fw 2
		{"GET", "/api/v1/users/a%2Fposts", 200, "GET v1/users/{id} id=a/posts", ""}, // peer-fw 4
		{"GET", "/api/v1/users/a%2fb", 200, "GET v1/users/{id} id=a/b", ""},         // peer-fw 5
		{"GET", "/api/v1/users/%2541+", 200, "GET v1/users/{id} id=%41+", ""},       // peer-fw 5
		{"GET", "/api/v1/%75sers", 200, "GET v1/users", ""},                         // FW-011
		{"GET", "/api/v1/Users", 404, unknown, ""},                                  // FW-011
		{"GET", "/api/v1.33-dev/users", 200, "GET v1.33-dev/users", ""},             // FW-042
		{"GET", "/api/v2/files/a/b", 200, "GET v2/files/{path...} path=a/b", ""},
		{"GET", "/api/v1/users?apiAction=search", 200, "GET v1/users", ""}, // FW-047
		{"GET", "/api/v1/users?apiAction[]=x", 200, "GET v1/users", ""},    // TC-139
		{"DELETE", "/api/v1/users/search", 200, "DELETE v1/users/{id} id=search", ""},
		{"GET", "/api/v1/explicit", 200, "GET v1/explicit", ""},
		{"OPTIONS", "/api/v1/explicit", 200, "OPTIONS v1/explicit", ""}, // FW-036, TC-129
		{"HEAD", "/api/v1/users", 200, "", ""},                          // peer-fw 14
		{"HEAD", "/api/v1/head", 200, "", ""},
		{"OPTIONS", "/api/v1/users", 204, "", "GET, HEAD, OPTIONS"}, // FW-030
		{"OPTIONS", "/api/v1/users/5", 204, "", "DELETE, GET, HEAD, OPTIONS"},
		{"OPTIONS", "/api/v1/unknown", 404, unknown, ""},                                                          // FW-031, TC-130
		{"POST", "/api/v1/users", 405, `{"status":"error","message":"Method not allowed"}`, "GET, HEAD, OPTIONS"}, // FW-029
		{"BREW", "/api/v1/users", 405, `{"status":"error","message":"Method not allowed"}`, "GET, HEAD, OPTIONS"}, // peer-fw 16
		{"BREW", "/api/v1/unknown", 404, unknown, ""},                                                             // peer-fw 16
		{"GET", "/", 404, unknown, ""},                                                                            // FW-039
		{"GET", "/api", 404, unknown, ""},                                                                         // FW-039
		{"GET", "/api/v1", 404, unknown, ""},                                                                      // FW-039
		{"GET", "/api/v3/users", 404, unknown, ""},
		{"GET", "/api/v1/users//posts", 404, unknown, ""}, // peer-fw 10
		{"GET", "//api/v1/users", 404, unknown, ""},
		{"GET", "/api/v1/./users", 404, unknown, ""},
		{"GET", "/API/v1/users", 404, unknown, ""},
		{"GET", "/api/v1/users/%00", 400, `{"status":"error","message":"The path of the request cannot be read"}`, ""},
		{"OPTIONS", "*", 404, unknown, ""},
	} {
		t.Run(tc.method+" "+tc.path, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, "/", nil)
			target, query, _ := strings.Cut(tc.path, "?")
			r.URL.RawQuery = query
			r.URL.Path, r.URL.RawPath = unescape(t, target), target
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, tc.body, w.Body.String())
			require.Equal(t, tc.allow, w.Header().Get("Allow"))
			require.Empty(t, w.Header().Get("Location"), "no redirects") // peer-fw 8
		})
	}
}

func unescape(t *testing.T, path string) string {
	t.Helper()
	text, err := http.NewRequest("GET", "http://x"+strings.Replace(path, "*", "/*", 1), nil)
	require.NoError(t, err)
	return strings.Replace(text.URL.Path, "/*", "*", 1)
}

func TestTheBasePath(t *testing.T) { // FW-048
	for base, path := range map[string]string{"": "/api/v1/users", "/": "/v1/users", "/shop/api": "/shop/api/v1/users"} {
		t.Run(base, func(t *testing.T) {
			p := newProgram(sallyport.Config{BasePath: base})
			p.AddApi(api.GET("1", "users"), says, open)
			h := p.build(t)
			require.Equal(t, 200, get(h, path).StatusCode)
			require.Equal(t, 404, get(h, "/other"+path).StatusCode)
		})
	}
}

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

func TestFailuresInTheChosenFormat(t *testing.T) {
	secret := errors.New("pq: password=hunter2")
	type row struct {
		name   string
		q      request
		h      api.Handler
		a      api.Authorization
		status int
		plain  string
		title  string
	}
	rows := []row{
		{"an unknown path", request{path: "/nowhere"}, ok, open, 404, "Unknown api endpoint", "Not Found"}, // TC-127
		{"a wrong method", request{method: "PUT"}, ok, open, 405, "Method not allowed", "Method Not Allowed"},
		{"no credentials", request{}, ok, bearer, 401, "Authorization header HTTP_Authorization is not set", "Unauthorized"}, // FW-097, TC-110
		{"a forbidden caller", request{}, ok, refusing(api.Forbidden("not yours")), 403, "not yours", "Forbidden"},
		{"credentials that cannot be read", request{}, ok, refusing(api.BadCredentials("twice")), 400, "twice", "Bad Request"},
		{"an authorization that fails", request{}, ok, refusing(secret), 500, "Internal server error", "Internal Server Error"}, // FW-098, FW-142, TC-123
		{"an authorization that returns a typed nil", request{}, ok, refusing((*api.Refusal)(nil)), 500, "Internal server error", "Internal Server Error"},
		{"an authorization that panics", request{}, ok, authFunc{f: func(context.Context, *api.Request) (api.Identity, error) { panic(secret) }}, 500, "Internal server error", "Internal Server Error"},
		{"a body too large", request{method: "POST", body: "12345"}, ok, open, 413, "The request body is too large", "Content Too Large"},
		{"a handler that fails", request{}, returns(nil, secret), open, 500, "Internal server error", "Internal Server Error"}, // peer-fw 53
		{"a body that the handler bounds", request{method: "POST", body: "123"}, bodyReader(2), open, 413, "The request body is too large", "Content Too Large"},
		{"a handler that knows how", request{}, returns(nil, fmt.Errorf("%w: %w", api.NotFound("user"), secret)), open, 404, "There is no such user", "Not Found"},
		{"a status without a kind", request{}, returns(nil, api.Error{Status: 409, Message: "taken", Err: secret}), open, 409, "taken", "Conflict"},
		{"a status that is no failure", request{}, returns(nil, api.Error{Status: 200, Message: "fine"}), open, 500, "Internal server error", "Internal Server Error"},
		{"a handler that panics", request{}, panics(secret), open, 500, "Internal server error", "Internal Server Error"},             // FW-070
		{"a handler that returns nothing", request{}, returns(nil, nil), open, 500, "Internal server error", "Internal Server Error"}, // peer-fw 64
		{"a handler that returns a typed nil", request{}, returns((*pointerResponse)(nil), nil), open, 500, "Internal server error", "Internal Server Error"},
		{"a response that cannot be encoded", request{}, returns(api.JSON(200, func() {}), nil), open, 500, "Internal server error", "Internal Server Error"}, // FW-072, peer-fw 62
		{"a response with a status that is none", request{}, returns(api.Text(0, "x"), nil), open, 500, "Internal server error", "Internal Server Error"},
	}
	for _, tc := range rows {
		for format, errorHandler := range map[string]api.ErrorHandler{"default": errorhandler.Default{}, "problem": errorhandler.ProblemDetails{}} {
			t.Run(tc.name+"/"+format, func(t *testing.T) {
				p := newProgram(sallyport.Config{ErrorHandler: errorHandler, MaxBody: 4})
				p.AddApi(api.GET("1", "users"), tc.h, tc.a).AddApi(api.POST("1", "users"), tc.h, tc.a)
				q := tc.q
				if q.path == "" {
					q.path = "/api/v1/users"
				}
				res := send(p.build(t), q)
				text := body(t, res)
				require.Equal(t, tc.status, res.StatusCode)
				require.NotContains(t, text, "hunter2")
				require.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin")) // FW-051, peer-fw 8
				require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
				require.Equal(t, tc.status == 401, res.Header.Get("Www-Authenticate") != "") // FW-106
				require.Equal(t, tc.status == 405, res.Header.Get("Allow") != "")
				if format == "default" {
					require.Equal(t, fmt.Sprintf(`{"status":"error","message":%q}`, tc.plain), text)
					require.Equal(t, "application/json; charset=utf-8", res.Header.Get("Content-Type"))
				} else {
					require.Contains(t, text, fmt.Sprintf(`"title":%q,"status":%d`, tc.title, tc.status))
					require.Equal(t, "application/problem+json", res.Header.Get("Content-Type"))
				}
				if tc.status == 500 {
					require.Contains(t, p.log.String(), "request_id="+res.Header.Get("X-Request-Id"), "the log has what the client must not see") // FW-150
				}
			})
		}
	}
}

// pointerResponse fails when it is nil.
type pointerResponse struct{ status int }

func (p *pointerResponse) Status() int                                   { return p.status }
func (p *pointerResponse) Send(http.ResponseWriter, *http.Request) error { return nil }

func TestABrokenErrorHandlerIsReplaced(t *testing.T) {
	for name, broken := range map[string]api.ErrorHandler{
		"one that returns nothing":      errorhandler.Funcs{Base: brokenErrorHandler(func() api.Response { return nil })},
		"one that panics":               brokenErrorHandler(func() api.Response { panic("a bug") }),
		"one whose response panics":     brokenErrorHandler(func() api.Response { return panickingResponse{} }),
		"one whose response is no JSON": brokenErrorHandler(func() api.Response { return api.JSON(500, func() {}) }),
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{ErrorHandler: broken})
			p.AddApi(api.GET("1", "users"), returns(nil, errors.New("db")), open)
			res := get(p.build(t), "/api/v1/users")
			require.Equal(t, 500, res.StatusCode)
			require.Equal(t, `{"status":"error","message":"Internal server error"}`, body(t, res))
		})
	}
}

type brokenErrorHandler func() api.Response

func (h brokenErrorHandler) HandleError(context.Context, *api.Request, *api.Failure) api.Response {
	return h()
}

func TestAnEndpointMayHaveItsOwnErrorHandler(t *testing.T) {
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}})
	p.Add(api.Api{Endpoint: api.GET("1", "users"), Handler: returns(nil, errors.New("db")), Authorization: open, ErrorHandler: errorhandler.Default{}})
	require.Equal(t, `{"status":"error","message":"Internal server error"}`, body(t, get(p.build(t), "/api/v1/users")))
}

func TestDebugShowsTheCause(t *testing.T) { // FW-158
	p := newProgram(sallyport.Config{Debug: true})
	p.AddApi(api.GET("1", "users"), returns(nil, errors.New("no rows")), open)
	require.Equal(t, `{"status":"error","message":"Internal server error","detail":"no rows"}`, body(t, get(p.build(t), "/api/v1/users")))
}

func TestAbortedHandlersReachTheServer(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), panics(http.ErrAbortHandler), open)
	h := p.build(t)
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { get(h, "/api/v1/users") })
	require.Empty(t, p.log.String())
}

func TestWhatBreaksOffIsCut(t *testing.T) { // peer-fw 58
	for name, response := range map[string]api.Response{
		"a response that fails":  streamResponse(func(w http.ResponseWriter) error { return errors.New("disk") }),
		"a response that panics": streamResponse(func(w http.ResponseWriter) error { panic("bug") }),
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), returns(response, nil), open)
			server := httptest.NewServer(p.build(t))
			t.Cleanup(server.Close)
			res, err := server.Client().Get(server.URL + "/api/v1/users")
			require.NoError(t, err)
			require.Equal(t, 200, res.StatusCode)
			text, err := io.ReadAll(res.Body)
			require.Error(t, err, "the client must not take it for a whole")
			require.Equal(t, "part", string(text))
			require.NoError(t, res.Body.Close())
		})
	}
}

// streamResponse sends a part, flushes it, and goes on with the function.
type streamResponse func(w http.ResponseWriter) error

func (streamResponse) Status() int { return 200 }
func (s streamResponse) Send(w http.ResponseWriter, _ *http.Request) error {
	if _, err := io.WriteString(w, "part"); err != nil {
		return err
	}
	if err := http.NewResponseController(w).Flush(); err != nil {
		return err
	}
	return s(w)
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

type responseFunc func(w http.ResponseWriter) error

func (responseFunc) Status() int                                         { return 200 }
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

func TestTheBodyIsBoundedAndNotReadBeforeTheHandler(t *testing.T) {
	reads := 0
	readsBody := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(0)
		return api.Text(200, string(data)), err
	})
	for _, tc := range []struct {
		name    string
		maxBody int64
		body    string
		length  int64
		a       api.Authorization
		status  int
		reads   bool
	}{
		{"a body of exactly the limit", 4, "1234", 4, open, 200, true},        // peer-fw 26
		{"a longer one that says so", 4, "12345", 5, open, 413, false},        // FW-076
		{"a longer one that does not", 4, "12345", -1, open, 413, true},       // FW-076, peer-fw 28
		{"a shorter one that does not say so", 4, "123", -1, open, 200, true}, // peer-fw 28
		{"no limit", -1, "12345", 5, open, 200, true},
		{"an unauthorized one", 4, "1234", 4, bearer, 401, false}, // FW-058
	} {
		t.Run(tc.name, func(t *testing.T) {
			reads = 0
			p := newProgram(sallyport.Config{})
			p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: readsBody, Authorization: tc.a, MaxBody: tc.maxBody})
			r := httptest.NewRequest("POST", "/api/v1/users", countingReader{strings.NewReader(tc.body), &reads})
			r.ContentLength = tc.length
			w := httptest.NewRecorder()
			p.build(t).ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, tc.reads, reads > 0)
			if tc.status == 200 {
				require.Equal(t, tc.body, w.Body.String())
			}
		})
	}
}

// bodyReader is a handler that answers with the body, bounded by itself.
func bodyReader(limit int64) api.Handler {
	return handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(limit)
		return api.Text(200, string(data)), err
	})
}

func TestABodyThatCannotBeReadIsTheClientsFault(t *testing.T) {
	down := fmt.Errorf("db: %w", os.ErrDeadlineExceeded)
	wrapped := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		_, err := io.ReadAll(r.Body)
		return nil, api.Error{Status: 422, Message: "no JSON", Err: err}
	})
	for _, tc := range []struct {
		name    string
		h       api.Handler
		err     error
		status  int
		message string
	}{
		{"it breaks off", bodyReader(0), io.ErrUnexpectedEOF, 400, "The request body cannot be read"},
		{"it is badly chunked", bodyReader(0), errors.New("malformed chunked encoding"), 400, "The request body cannot be read"},
		{"it is too slow for the server", bodyReader(0), os.ErrDeadlineExceeded, 408, "The request body came too slowly"},
		{"the handler says something else", wrapped, io.ErrUnexpectedEOF, 400, "The request body cannot be read"},
		{"the time-out of another connection is the server's", returns(nil, down), nil, 500, "Internal server error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: tc.h, Authorization: readingAuth})
			r := httptest.NewRequest("POST", "/api/v1/users", io.MultiReader(strings.NewReader("part"), iotest.ErrReader(tc.err)))
			w := httptest.NewRecorder()
			p.build(t).ServeHTTP(w, r)
			require.Equal(t, tc.status, w.Code)
			require.Equal(t, fmt.Sprintf(`{"status":"error","message":%q}`, tc.message), w.Body.String())
			require.Equal(t, tc.status == 500, p.log.Len() > 0, "clients do not fill the log of errors")
		})
	}
}

// readingAuth reads a part of the body, as one that signs it might.
var readingAuth = authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
	_, err := io.ReadFull(r.Body, make([]byte, 2))
	return api.Identity{}, err
}}

func TestTheTimeOfAnEndpointEndsASlowBody(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.Add(api.Api{Endpoint: api.POST("1", "users"), Handler: bodyReader(0), Authorization: open, Timeout: 50 * time.Millisecond})
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil) // the rest never comes
	require.NoError(t, err)
	require.Equal(t, 408, res.StatusCode)
	require.NoError(t, res.Body.Close())
}

type countingReader struct {
	io.Reader
	reads *int
}

func (c countingReader) Read(b []byte) (int, error) { *c.reads++; return c.Reader.Read(b) }

func TestAnAuthorizationMayReadTheBody(t *testing.T) {
	signed := authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
		data, err := r.Bytes(4)
		return api.Identity{Scheme: "signature", ID: string(data)}, err
	}}
	p := newProgram(sallyport.Config{})
	p.AddApi(api.POST("1", "users"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		rest, err := io.ReadAll(r.Body)
		return api.Text(200, r.Identity.ID+" "+string(rest)), err
	}), signed)
	h := p.build(t)
	res := send(h, request{method: "POST", path: "/api/v1/users", body: "1234"})
	require.Equal(t, "1234 1234", body(t, res))
	require.Equal(t, 413, send(h, request{method: "POST", path: "/api/v1/users", body: "12345"}).StatusCode)
}

func TestTheEndOfARequest(t *testing.T) {
	t.Run("a client that has gone is not handled", func(t *testing.T) {
		p := newProgram(sallyport.Config{})
		p.AddApi(api.GET("1", "users"), panics("must not run"), open)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := httptest.NewRecorder()
		p.build(t).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/v1/users", nil))
		require.Equal(t, api.StatusClientClosedRequest, w.Code)
		require.Empty(t, p.log.String()) // peer-fw 59
	})
	t.Run("the time of an endpoint is up", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := newProgram(sallyport.Config{Timeout: time.Hour})
			p.Add(api.Api{Endpoint: api.GET("1", "users"), Handler: handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
				<-ctx.Done()
				return nil, r.Context().Err()
			}), Authorization: open, Timeout: time.Second})
			h := p.build(t)
			start := time.Now()
			res := get(h, "/api/v1/users")
			require.Equal(t, time.Second, time.Since(start))
			require.Equal(t, 503, res.StatusCode)
			require.Equal(t, `{"status":"error","message":"The request took too long"}`, body(t, res))
		})
	})
}

func TestTheRequestID(t *testing.T) {
	echo := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) { return api.Text(200, r.ID), nil })
	for _, tc := range []struct {
		name  string
		trust bool
		id    string
		kept  bool
	}{
		{"ours", false, "", false},
		{"a client's is not believed", false, "abc-1", false},
		{"a proxy's is", true, "abc-1", true},
		{"not when it could forge a log line", true, "abc 1", false},
		{"not when it is too long", true, strings.Repeat("x", 129), false},
		{"none came", true, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{TrustRequestID: tc.trust})
			p.AddApi(api.GET("1", "users"), echo, open)
			h := p.build(t)
			q := request{path: "/api/v1/users", header: http.Header{"X-Request-Id": {tc.id}}}
			first, second := send(h, q), send(h, q)
			id := first.Header.Get("X-Request-Id")
			require.Equal(t, id, body(t, first))
			require.Equal(t, tc.kept, id == tc.id)
			require.Equal(t, tc.kept, id == second.Header.Get("X-Request-Id"))
		})
	}
}

// recorder keeps the records it gets.
type recorder struct {
	mu      sync.Mutex
	records []api.Record
}

func (l *recorder) Log(_ context.Context, rec *api.Record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, *rec)
}

func TestRecords(t *testing.T) {
	down := errors.New("db")
	for _, tc := range []struct {
		name       string
		logRefused bool
		q          request
		h          api.Handler
		n          int // requests
		want       []api.Record
	}{
		{"a success", false, request{token: "my-token", header: http.Header{"User-Agent": {"curl"}}}, ok, 1, // FW-066, TC-141, TC-232
			[]api.Record{{Method: "GET", Path: "/api/v1/users", Endpoint: api.GET("1", "users"), Status: 200, Bytes: 15, ClientIP: "192.0.2.1", UserAgent: "curl", Identity: "bearer:fece50d2287f7245aea5819b75f95ee8"}}},
		{"an unknown path", false, request{path: "/api/v1/nowhere"}, ok, 1, // TC-127, FW-355
			[]api.Record{{Method: "GET", Path: "/api/v1/nowhere", Endpoint: api.GET("1", "nowhere"), Status: 404, Bytes: 51, ClientIP: "192.0.2.1", Kind: api.KindNotFound}}},
		{"a refused caller", false, request{}, ok, 1, // FW-069
			[]api.Record{{Method: "GET", Path: "/api/v1/users", Endpoint: api.GET("1", "users"), Status: 401, Bytes: 81, ClientIP: "192.0.2.1", Kind: api.KindUnauthorized, Err: &api.Refusal{Kind: api.KindUnauthorized, Message: "Authorization header HTTP_Authorization is not set", Challenge: `Bearer realm="api"`}}}},
		{"a handler that fails", false, request{token: "my-token"}, returns(nil, down), 1, // FW-355
			[]api.Record{{Method: "GET", Path: "/api/v1/users", Endpoint: api.GET("1", "users"), Status: 500, Bytes: 52, ClientIP: "192.0.2.1", Identity: "bearer:fece50d2287f7245aea5819b75f95ee8", Kind: api.KindHandler, Err: down}}},
		{"a refused limit is left out", false, request{}, ok, 4, nil}, // RL-319, TC-142
		{"unless it is asked for", true, request{}, ok, 4, // RL-319
			[]api.Record{{Method: "GET", Path: "/api/v1/users", Endpoint: api.GET("1", "users"), Status: 429, Bytes: 73, ClientIP: "192.0.2.1", Kind: api.KindRateLimit}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := &recorder{}
			p := newProgram(sallyport.Config{Logger: log, LogRefused: tc.logRefused, RateLimits: []ratelimit.Policy{perIP}})
			p.AddApi(api.GET("1", "users"), tc.h, bearer, ratelimit.Named("perIp"))
			h := p.build(t)
			if tc.q.path == "" {
				tc.q.path = "/api/v1/users"
			}
			var last *http.Response
			for range tc.n {
				log.records = nil
				last = send(h, tc.q)
			}
			for i := range log.records {
				rec := &log.records[i]
				require.NotZero(t, rec.Start)
				require.Positive(t, rec.Duration) // FW-068, FW-394
				require.Equal(t, last.Header.Get("X-Request-Id"), rec.RequestID)
				rec.Start, rec.Duration, rec.RequestID = time.Time{}, 0, ""
			}
			require.Equal(t, tc.want, log.records)
		})
	}
}

func TestALoggerThatPanicsChangesNoAnswer(t *testing.T) { // FW-071, TC-133
	p := newProgram(sallyport.Config{Logger: panickingLogger{}})
	p.AddApi(api.GET("1", "users"), ok, open)
	res := get(p.build(t), "/api/v1/users")
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `{"status":"ok"}`, body(t, res))
	require.Contains(t, p.log.String(), "no disk")
}

type panickingLogger struct{}

func (panickingLogger) Log(context.Context, *api.Record) { panic("no disk") }

func TestRecordsForSlog(t *testing.T) {
	var text strings.Builder
	p := newProgram(sallyport.Config{Logger: sallyport.LogTo(slog.New(slog.NewTextHandler(&text, nil)))})
	p.AddApi(api.GET("1", "users", "{id}"), returns(nil, errors.New("a\nb")), open)
	send(p.build(t), request{path: "/api/v1/users/a%0Ab", header: http.Header{"User-Agent": {"x\ny"}}})
	require.Equal(t, 1, strings.Count(text.String(), "\n"), "no client can forge a line")
	require.Contains(t, text.String(), `level=ERROR msg=request request_id=`)
	require.Contains(t, text.String(), `method=GET path="/api/v1/users/a\nb" endpoint="GET v1/users/{id}" status=500 bytes=52`)
	require.Contains(t, text.String(), `client_ip=192.0.2.1 user_agent="x\ny" failure=handler err="a\nb"`)
}

func TestCORS(t *testing.T) {
	const origin = "https://shop.example"
	page := http.Header{"Origin": {origin}}
	preflight := http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"GET"}}
	list := sallyport.CORS{Origins: []string{origin}, Credentials: true, MaxAge: 10 * time.Minute}
	expose := "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
	for _, tc := range []struct {
		name   string
		cors   sallyport.CORS
		q      request
		status int
		want   http.Header
	}{
		{"every origin", sallyport.CORS{}, request{header: page}, 200, http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {expose}}},
		{"off", sallyport.CORS{Off: true}, request{header: page}, 200, http.Header{}},                                                                                                                                                  // TC-148
		{"an origin of the list", list, request{header: page}, 200, http.Header{"Access-Control-Allow-Origin": {origin}, "Access-Control-Allow-Credentials": {"true"}, "Access-Control-Expose-Headers": {expose}, "Vary": {"Origin"}}}, // TC-145
		{"no origin", list, request{header: http.Header{"Referer": {origin + "/x"}}}, 200, http.Header{"Vary": {"Origin"}}},                                                                                                            // TC-144
		{"an origin that only begins like it", list, request{header: http.Header{"Origin": {origin + ".evil.example"}}}, 200, http.Header{"Vary": {"Origin"}}},
		{"the null origin", list, request{header: http.Header{"Origin": {"null"}}}, 200, http.Header{"Vary": {"Origin"}}},
		{"a preflight", sallyport.CORS{}, request{method: "OPTIONS", header: preflight}, 204, http.Header{"Access-Control-Allow-Origin": {"*"}, "Access-Control-Allow-Methods": {"GET, HEAD, OPTIONS"}, "Access-Control-Allow-Headers": {"Authorization, Content-Type, X-Requested-With"}}}, // TC-150, peer-fw 19
		{"a preflight from the list", list, request{method: "OPTIONS", header: preflight}, 204, http.Header{"Access-Control-Allow-Origin": {origin}, "Access-Control-Allow-Credentials": {"true"}, "Access-Control-Allow-Methods": {"GET, HEAD, OPTIONS"}, "Access-Control-Allow-Headers": {"Authorization, Content-Type, X-Requested-With"}, "Access-Control-Max-Age": {"600"}, "Vary": {"Origin"}}},
		{"a preflight from elsewhere", list, request{method: "OPTIONS", header: http.Header{"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"GET"}}}, 204, http.Header{"Vary": {"Origin"}}},
		{"OPTIONS that is no preflight", sallyport.CORS{}, request{method: "OPTIONS", header: page}, 204, http.Header{"Access-Control-Allow-Origin": {"*"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{CORS: tc.cors, RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 1, Interval: time.Hour}}})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
			tc.q.path = "/api/v1/users"
			h := p.build(t)
			res := send(h, tc.q)
			require.Equal(t, tc.status, res.StatusCode)
			got := http.Header{}
			for name, values := range res.Header {
				if strings.HasPrefix(name, "Access-Control-") || name == "Vary" {
					got[name] = values
				}
			}
			require.Equal(t, tc.want, got)
			if tc.q.method == "OPTIONS" {
				require.Empty(t, res.Header.Get("RateLimit"), "a preflight is not counted") // AMB-11, peer 91
				require.Equal(t, 200, get(h, "/api/v1/users").StatusCode)
			}
		})
	}
}

func TestAHandlerCannotTakeVaryAway(t *testing.T) {
	p := newProgram(sallyport.Config{CORS: sallyport.CORS{Origins: []string{"https://shop.example"}}})
	p.AddApi(api.GET("1", "users"), returns(responseFunc(func(w http.ResponseWriter) error {
		w.Header().Set("Vary", "Accept")
		return nil
	}), nil), open)
	require.Equal(t, []string{"Accept", "Origin"}, get(p.build(t), "/api/v1/users").Header.Values("Vary"))
}

func TestMistakesOfCORS(t *testing.T) {
	for _, tc := range []struct {
		name string
		cors sallyport.CORS
		want string // "": none
	}{
		{"an origin with a port", sallyport.CORS{Origins: []string{"https://a.example:8443"}}, ""},
		{"credentials for every origin", sallyport.CORS{Credentials: true}, "credentials for every origin: name the Origins that may send them"}, // peer-fw 20
		{"an origin in upper case", sallyport.CORS{Origins: []string{"https://A.example"}}, `origin "https://A.example": write it as browsers do, like "https://shop.example:8443"`},
		{"an origin with its own port", sallyport.CORS{Origins: []string{"https://a.example:443"}}, `origin "https://a.example:443": write it as browsers do, like "https://shop.example:8443"`}, // TC-147
		{"null", sallyport.CORS{Origins: []string{"null"}}, `origin "null": write it as browsers do, like "https://shop.example:8443"`},
		{"a star among others", sallyport.CORS{Origins: []string{"*"}}, `origin "*": leave Origins empty for every origin`},
		{"a negative age", sallyport.CORS{MaxAge: -1}, "MaxAge -1ns is negative"},
		{"no header field", sallyport.CORS{AllowHeaders: []string{"X Y"}}, `"X Y" is no header field`},
		{"every header field", sallyport.CORS{AllowHeaders: []string{"*", "Authorization"}, ExposeHeaders: []string{"*"}}, ""},
		{"every header field beside credentials", sallyport.CORS{Origins: []string{"https://a.example"}, Credentials: true, AllowHeaders: []string{"*"}}, `"*" beside credentials is not every header field but one of that name: list the fields`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.want == "" {
				require.NoError(t, tc.cors.Validate())
				return
			}
			require.EqualError(t, tc.cors.Validate(), tc.want)
		})
	}
}

func TestAPreflightHandlerOfOnesOwn(t *testing.T) { // FW-033, FW-037
	p := newProgram(sallyport.Config{})
	p.EnableGlobalPreflight(ownPreflight{})
	p.AddApi(api.GET("1", "users"), ok, open)
	res := send(p.build(t), request{method: "OPTIONS", path: "/api/v1/users", header: http.Header{"Origin": {"https://a.example"}, "Access-Control-Request-Method": {"GET"}}})
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `["OPTIONS v1/users"]`, body(t, res))
	require.Equal(t, "GET, HEAD, OPTIONS", res.Header.Get("Access-Control-Allow-Methods"))
}

func TestTheSmallestProgram(t *testing.T) { // TC-109
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "test", "api"), handler.AlwaysOk{}, open)
	res := get(p.build(t), "/api/v1/test/api")
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "application/json; charset=utf-8", res.Header.Get("Content-Type"))
	require.Equal(t, `{"status":"ok"}`, body(t, res))
}

func TestErrorHandlersKnowWhatWasAskedFor(t *testing.T) { // FW-028, TC-043
	var asked []string
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.Func(func(_ context.Context, r *api.Request, f *api.Failure) api.Response {
		asked = append(asked, r.Endpoint().String())
		return api.NoContent()
	})})
	p.AddApi(api.GET("1", "users"), ok, open)
	h := p.build(t)
	for _, path := range []string{"/api/v1/article/detail", "/api/v2/users/", "/elsewhere"} {
		get(h, path)
	}
	require.Equal(t, []string{"GET v1/article/detail", "GET v2/users", "GET v/"}, asked)
}

func TestOneHandlerServesSeveralEndpointsAtOnce(t *testing.T) { // FW-025, FW-026
	p := newProgram(sallyport.Config{})
	for _, pkg := range []string{"a", "b"} {
		p.AddApi(api.GET("1", pkg), says, open)
	}
	h := p.build(t)
	var group sync.WaitGroup
	for _, pkg := range []string{"a", "b"} {
		for range 4 {
			group.Go(func() {
				for range 50 {
					w := httptest.NewRecorder()
					h.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/"+pkg, nil))
					if w.Body.String() != "GET v1/"+pkg {
						t.Errorf("%s answered %s", pkg, w.Body)
					}
				}
			})
		}
	}
	group.Wait()
}

func TestLazyHandlersAreBuiltWhenTheyAreAsked(t *testing.T) { // FW-019, FW-020, TC-132
	built := map[string]int{}
	lazy := func(name string, err error) api.Handler {
		return handler.Lazy(func() (api.Handler, error) { built[name]++; return ok, err }, handler.LazyInfo{})
	}
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "a"), lazy("a", nil), open)
	p.AddApi(api.GET("1", "b"), lazy("b", nil), open)
	p.AddApi(api.GET("1", "c"), lazy("c", errors.New("no database")), open)
	h := p.build(t)
	require.Empty(t, built)
	require.Equal(t, []int{200, 200}, statuses(h, 2, request{path: "/api/v1/a"}))
	require.Equal(t, 500, get(h, "/api/v1/c").StatusCode)
	require.Equal(t, map[string]int{"a": 1, "c": 1}, built)
}

func TestHostileRequestLinesGetAnAnswer(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users", "{id}"), says, open)
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	for _, line := range []string{
		"GET http://other.example/api/v1/users/5 HTTP/1.1", "OPTIONS * HTTP/1.1", "CONNECT other.example:80 HTTP/1.1",
		"GET /api/v1/users/%zz HTTP/1.1", "GET /api/v1/users/%ff HTTP/1.1", "GET /api/v1/users/" + strings.Repeat("x", 20000) + " HTTP/1.1",
		"GET /api/v1/users/" + strings.Repeat("a/", 5000) + " HTTP/1.1", "GET //evil.example/ HTTP/1.1", "GET /api/v1/users/..%2f..%2fetc HTTP/1.1",
	} {
		t.Run(line[:min(len(line), 40)], func(t *testing.T) {
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "%s\r\nHost: x\r\nConnection: close\r\n\r\n", line)
			require.NoError(t, err)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			require.Less(t, res.StatusCode, 500)
			require.Empty(t, res.Header.Get("Location"))
			require.NoError(t, res.Body.Close())
		})
	}
}

func TestHandlersOfNetHTTPKnowTheirPattern(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "files", "{path...}"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s %s", r.Pattern, r.PathValue("path"))
	})), open)
	require.Equal(t, "GET /api/v1/files/{path...} a/b", body(t, get(p.build(t), "/api/v1/files/a/b")))
}
