package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

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
		{"a status without a message", request{}, returns(nil, api.Error{Status: 409}), open, 409, "Conflict", "Conflict"},
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
				require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))        // FW-269
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

func TestABrokenAuthorizationIsLoggedAndNeverShown(t *testing.T) { // FW-156
	secret := errors.New("pq: password=hunter2")
	for name, broken := range map[string]api.Authorization{
		"an error": refusing(secret),
		"a panic":  authFunc{f: func(context.Context, *api.Request) (api.Identity, error) { panic(secret) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{})
			p.AddApi(api.GET("1", "users"), panics("must not run"), broken)
			res := get(p.build(t), "/api/v1/users")
			require.Equal(t, 500, res.StatusCode)
			require.Equal(t, `{"status":"error","message":"Internal server error"}`, body(t, res))
			require.Equal(t, 1, strings.Count(p.log.String(), "hunter2"))
			require.Contains(t, p.log.String(), "request_id="+res.Header.Get("X-Request-Id"))
		})
	}
}

// pointerResponse fails when it is nil.

type pointerResponse struct{ status int }

func (p *pointerResponse) Status() int { return p.status }

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
	require.Equal(t, 204, get(h, "/elsewhere").StatusCode) // FW-159
}

func TestAnswersThatAreGivenUpLeaveNothingBehind(t *testing.T) { // peer-fw 58
	dirty := responseFunc(func(w http.ResponseWriter) error {
		for _, name := range []string{"Content-Encoding", "Content-Disposition", "Set-Cookie", "Retry-After", "Location", "Allow", "Trailer"} {
			w.Header().Set(name, "left")
		}
		w.Header().Del("X-Outer")
		return errors.New("no disk")
	})
	dirtyErrors := brokenErrorHandler(func() api.Response { return dirty })
	for name, errorHandler := range map[string]api.ErrorHandler{"of a handler": nil, "of the error handler, too": dirtyErrors} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{ErrorHandler: errorHandler})
			p.AddApi(api.GET("1", "users"), returns(dirty, nil), open)
			w := httptest.NewRecorder()
			w.Header().Set("X-Outer", "kept")
			p.build(t).ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/users", nil))
			got := w.Header()
			require.NotEmpty(t, got.Get("X-Request-Id"))
			got.Del("X-Request-Id")
			require.Equal(t, http.Header{
				"X-Outer": {"kept"}, "Cache-Control": {"no-store"}, "Content-Type": {"application/json; charset=utf-8"}, "Content-Length": {"52"},
				"X-Content-Type-Options": {"nosniff"}, "Access-Control-Allow-Origin": {"*"},
				"Access-Control-Expose-Headers": {"RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"},
			}, got)
		})
	}
}

func TestAFailureIsNeverAnsweredAsASuccess(t *testing.T) {
	for _, status := range []int{0, 103, 1000} {
		p := newProgram(sallyport.Config{ErrorHandler: brokenErrorHandler(func() api.Response { return silentResponse(status) })})
		p.AddApi(api.GET("1", "users"), returns(silentResponse(status), nil), open)
		res := get(p.build(t), "/api/v1/users")
		require.Equal(t, 500, res.StatusCode)
		require.Equal(t, `{"status":"error","message":"Internal server error"}`, body(t, res))
	}
}

// silentResponse writes nothing.
type silentResponse int

func (s silentResponse) Status() int                                   { return int(s) }
func (s silentResponse) Send(http.ResponseWriter, *http.Request) error { return nil }

func TestAnAnswerToAFailureThatBreaksOffIsCut(t *testing.T) {
	for name, rest := range map[string]streamResponse{
		"by an error": func(http.ResponseWriter) error { return errors.New("no disk") },
		"by a panic":  func(http.ResponseWriter) error { panic("no disk") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(sallyport.Config{ErrorHandler: brokenErrorHandler(func() api.Response { return rest })})
			p.AddApi(api.GET("1", "users"), returns(nil, errors.New("db")), open)
			server := httptest.NewServer(p.build(t))
			t.Cleanup(server.Close)
			res, err := server.Client().Get(server.URL + "/api/v1/users")
			require.NoError(t, err)
			_, err = io.ReadAll(res.Body)
			require.Error(t, err)
			require.NoError(t, res.Body.Close())
		})
	}
}

// evil is an error that nobody can read.
type evil struct{}

func (evil) Error() string { panic(evil{}) }

func TestErrorsThatCannotBeReadAreAnswered(t *testing.T) {
	for name, h := range map[string]api.Handler{
		"returned": returns(nil, evil{}), "joined": returns(nil, errors.Join(evil{})), "panicked with": panics(evil{}),
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			p := newProgram(sallyport.Config{Debug: true, Logger: sallyport.LogTo(slog.New(slog.NewTextHandler(&log, nil)))})
			p.AddApi(api.GET("1", "users"), h, open)
			require.Equal(t, 500, get(p.build(t), "/api/v1/users").StatusCode)
			require.Contains(t, p.log.String(), "whose text panics")
			require.Contains(t, log.String(), "status=500")
		})
	}
}

func TestADeadlineFromOutsideIsNoGoneClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(sallyport.Config{})
		p.AddApi(api.GET("1", "users"), handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}), open)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		w := httptest.NewRecorder()
		p.build(t).ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "/api/v1/users", nil))
		require.Equal(t, 503, w.Code)
	})
}

func TestStatusesOfHandlersKeepTheirDuties(t *testing.T) {
	for _, tc := range []struct {
		status int
		header string
		want   []string
	}{
		{401, "Www-Authenticate", []string{`Bearer realm="api"`}},
		{405, "Allow", []string{""}}, // RFC 9110, section 15.5.6: it may be empty
		{503, "Retry-After", nil},    // nobody has said when
		{429, "Retry-After", nil},
	} {
		log := &recorder{}
		p := newProgram(sallyport.Config{Logger: log})
		p.AddApi(api.GET("1", "users"), returns(nil, api.Error{Status: tc.status, Message: "mine"}), bearer)
		res := send(p.build(t), request{path: "/api/v1/users", token: "my-token"})
		require.Equal(t, tc.status, res.StatusCode)
		require.Equal(t, tc.want, res.Header[tc.header])
		require.Equal(t, `{"status":"error","message":"mine"}`, body(t, res))
		require.Len(t, log.records, 1, "it is not the answer of a gate")
	}
}

// What HTTP cannot transport is left out of the answer, and told to the log.
func TestHeaderFieldsOfErrorsAreChecked(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), returns(nil, api.Error{Status: 409, Header: http.Header{
		"X-Fine": {"1"}, "X-Nul": {"a\x00b"}, "X-Line": {"fine", "a\r\nSet-Cookie: x=1"}, "X Y": {"1"}, "WWW-Authenticate": {"\x1b[2J"},
	}}), open)
	h := get(p.build(t), "/api/v1/users").Header
	require.Equal(t, "1", h.Get("X-Fine"))
	for _, name := range []string{"X-Nul", "X-Line", "X Y", "Www-Authenticate", "WWW-Authenticate"} {
		require.NotContains(t, h, name)
	}
	require.Equal(t, 4, strings.Count(p.log.String(), "a header field of an error cannot be sent"))
}

func TestErrorHandlersCannotChangeTheFields(t *testing.T) {
	p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{perIP}, ErrorHandler: errorHandlerFunc(func(f *api.Failure) { f.RateLimits[0].Policy = "forged" })})
	p.AddApi(api.GET("1", "users"), returns(nil, errors.New("db")), open, ratelimit.Named("perIp"))
	require.Equal(t, `"perIp";r=2;t=60`, get(p.build(t), "/api/v1/users").Header.Get("RateLimit"))
}
