package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// failing is a request that fails, and how it does.
type failing struct {
	status  int
	kind    api.Kind
	message string
	of      func(p *program, secret error) *http.Request
}

// users registers GET v1/users and asks for it.
func users(h api.Handler, a api.Authorization, rules ...ratelimit.Rule) func(*program, error) *http.Request {
	return func(p *program, _ error) *http.Request {
		p.AddApi(api.GET("1", "users"), h, a, rules...)
		return httptest.NewRequest(http.MethodGet, "/api/v1/users", nil)
	}
}

// posted asks for it with a body.
func posted(h api.Handler, body io.Reader) func(*program, error) *http.Request {
	return func(p *program, _ error) *http.Request {
		p.AddApi(api.POST("1", "users"), h, open)
		return httptest.NewRequest(http.MethodPost, "/api/v1/users", body)
	}
}

// everyFailure is a request for each status that the framework answers with.
var everyFailure = map[string]failing{
	"400": {400, api.KindInput, "wrong input", func(p *program, _ error) *http.Request {
		return users(handler.Echo{}, open)(p, nil)
	}},
	"401": {401, api.KindUnauthorized, "Authorization header HTTP_Authorization is not set", users(ok, bearer)},
	"403": {403, api.KindForbidden, "not yours", users(ok, refusing(api.Forbidden("not yours")))},
	"404": {404, api.KindNotFound, "Unknown api endpoint", func(p *program, _ error) *http.Request {
		p.AddApi(api.GET("1", "teams"), ok, open)
		return httptest.NewRequest(http.MethodGet, "/api/v1/users", nil)
	}},
	"405": {405, api.KindMethodNotAllowed, "Method not allowed", func(p *program, _ error) *http.Request {
		r := users(ok, open)(p, nil)
		r.Method = http.MethodPut
		return r
	}},
	"406": {406, api.KindNotAcceptable, "Not acceptable", func(p *program, _ error) *http.Request {
		r := users(handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			_, err := r.Negotiate("text/csv")
			return nil, err
		}), open)(p, nil)
		r.Header.Set("Accept", "image/png")
		return r
	}},
	"408": {408, api.KindTimeout, "The request body came too slowly", posted(bodyReader(0), iotest.ErrReader(os.ErrDeadlineExceeded))},
	"413": {413, api.KindTooLarge, "The request body is too large", posted(bodyReader(0), strings.NewReader("12345"))},
	"414": {414, api.KindURITooLong, "The address of the request is too long", func(p *program, _ error) *http.Request {
		users(ok, open)(p, nil)
		return httptest.NewRequest(http.MethodGet, "/api/v1/users?q="+strings.Repeat("x", sallyport.DefaultMaxURL), nil)
	}},
	"415": {415, api.KindUnsupportedMedia, "Unsupported media type", func(p *program, secret error) *http.Request {
		return users(returns(nil, api.Error{Status: 415, Err: secret}), open)(p, nil)
	}},
	"429": {429, api.KindRateLimit, "Too many requests.", users(ok, open, ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) {
		return []ratelimit.Result{{Policy: "perIp", Limit: 1, RetryAfter: ratelimit.Unknown}}, nil
	})))},
	"499": {499, api.KindCanceled, "Client closed request", func(p *program, _ error) *http.Request {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		return users(ok, open)(p, nil).WithContext(ctx)
	}},
	"500 handler": {500, api.KindHandler, "Internal server error", func(p *program, secret error) *http.Request {
		return users(returns(nil, fmt.Errorf("store: %w", secret)), open)(p, nil)
	}},
	"500 panic": {500, api.KindPanic, "Internal server error", func(p *program, secret error) *http.Request {
		return users(panics(secret), open)(p, nil)
	}},
	"500 authorization": {500, api.KindAuthorizationFailed, "Internal server error", func(p *program, secret error) *http.Request {
		return users(ok, refusing(secret))(p, nil)
	}},
	"500 output": {500, api.KindOutput, "Internal server error", func(p *program, secret error) *http.Request {
		return users(handler.Describe(returns(api.Text(200, secret.Error()), nil), api.Description{Outputs: []api.Output{output.Empty(204)}}), open)(p, nil)
	}},
	"503 limit": {503, api.KindUnavailable, "Service unavailable", func(p *program, secret error) *http.Request {
		return users(ok, open, ratelimit.Policy{
			Name: "perIp", Limit: 1, Interval: time.Hour, OnStorageFailure: ratelimit.FailClosed,
			Storage: storageFunc(func() error { return ratelimit.Unavailable(secret) }),
		})(p, nil)
	}},
	"503 timeout": {503, api.KindTimeout, "The request took too long", func(p *program, secret error) *http.Request {
		p.Add(api.Api{Endpoint: api.GET("1", "users"), Authorization: open, Timeout: time.Second, Handler: handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("%w: %w", secret, ctx.Err())
		})})
		return httptest.NewRequest(http.MethodGet, "/api/v1/users", nil)
	}},
}

// lines is a format of one's own. It is asked once for each failure.
type lines struct{ asked *[]api.Failure }

func (l lines) HandleError(_ context.Context, _ *api.Request, f *api.Failure) api.Response {
	*l.asked = append(*l.asked, *f)
	return api.Text(f.Status, "! "+f.Message)
}

func TestEveryStatusHasTheChosenFormat(t *testing.T) { // FW-148, FW-149, FW-159, peer-fw 53
	secret := errors.New("pq: password=hunter2")
	type answer struct{ mediaType, body string }
	for name, tc := range everyFailure {
		var asked []api.Failure
		for format, row := range map[string]struct {
			h    api.ErrorHandler
			want answer
		}{
			"default": {errorhandler.Default{}, answer{"application/json; charset=utf-8", fmt.Sprintf(`{"status":"error","message":%q}`, tc.message)}},
			"problem": {errorhandler.ProblemDetails{}, answer{"application/problem+json", ""}},
			"own":     {lines{&asked}, answer{"text/plain; charset=utf-8", "! " + tc.message}},
		} {
			t.Run(name+"/"+format, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					log := &recorder{}
					p := newProgram(sallyport.Config{ErrorHandler: row.h, MaxBody: 4, Output: sallyport.Switches{Schema: true}, Logger: log, LogRefused: true})
					r := tc.of(p, secret)
					w := httptest.NewRecorder()
					p.build(t).ServeHTTP(w, r)

					require.Equal(t, tc.status, w.Code)
					require.NotContains(t, w.Body.String(), "hunter2")
					require.Len(t, log.records, 1)
					require.Equal(t, tc.kind, log.records[0].Kind)
					got := answer{w.Header().Get("Content-Type"), w.Body.String()}
					if format == "problem" { // its members stand in the tests of errorhandler
						require.Equal(t, row.want.mediaType, got.mediaType)
						require.Contains(t, got.body, fmt.Sprintf(`,"status":%d,"detail":%q`, tc.status, tc.message))
						return
					}
					require.Equal(t, row.want, got)
					if tc.status < 500 {
						require.NotContains(t, p.log.String(), "level=ERROR", "it is no failure of the server")
					}
					if tc.status == 500 {
						require.Contains(t, p.log.String(), "level=ERROR")                                         // FW-156
						require.Equal(t, name == "500 panic", strings.Contains(p.log.String(), "stack="))          // FW-150
						require.Equal(t, name != "500 output", strings.Contains(p.log.String(), "hunter2"), p.log) // FW-156
					}
				})
			})
		}
		require.Len(t, asked, 1, "the error handler is asked once for each failure") // peer-fw 56
		require.Equal(t, tc.kind, asked[0].Kind)
		if tc.status >= 500 && name != "500 output" && tc.kind != api.KindPanic {
			require.ErrorIs(t, asked[0].Err, secret, "the original is reached")
		}
	}
}

func TestProgramsInOneProcessHaveTheirOwnFormats(t *testing.T) { // peer-fw 47
	build := func(h api.ErrorHandler) http.Handler {
		p := newProgram(sallyport.Config{ErrorHandler: h})
		p.AddApi(api.GET("1", "users"), returns(nil, api.NotFound("user")), open)
		p.Add(api.Api{Endpoint: api.GET("1", "own"), Handler: returns(nil, api.NotFound("user")), Authorization: open, ErrorHandler: lines{new([]api.Failure)}})
		return p.build(t)
	}
	plain, problem := build(nil), build(errorhandler.ProblemDetails{})
	require.Equal(t, `{"status":"error","message":"There is no such user"}`, body(t, get(plain, "/api/v1/users")))
	require.Equal(t, `{"type":"about:blank","title":"Not Found","status":404,"detail":"There is no such user","instance":"/api/v1/users"}`, body(t, get(problem, "/api/v1/users")))
	for _, h := range []http.Handler{plain, problem} {
		require.Equal(t, "! There is no such user", body(t, get(h, "/api/v1/own")))
	}
}

func TestErrorHandlersAreNotCalledWhenAProgramIsBuilt(t *testing.T) { // peer-fw 50
	var asked []api.Failure
	p := newProgram(sallyport.Config{ErrorHandler: errorhandler.Map{Base: lines{&asked}}})
	p.AddApi(api.GET("1", "users"), ok, open)
	p.build(t)
	require.Empty(t, asked)
}

func TestLoggingAnErrorAnswersNothing(t *testing.T) { // peer-fw 56
	p := newProgram(sallyport.Config{})
	handlers := handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
		err := errors.New("db")
		return api.Text(200, "part"), err // both: the error counts
	})
	p.AddApi(api.GET("1", "users"), handlers, open)
	w := &statusWriter{ResponseRecorder: httptest.NewRecorder()}
	p.build(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/users", nil))
	require.Equal(t, `{"status":"error","message":"Internal server error"}`, w.Body.String())
	require.Equal(t, []int{500}, w.statuses)
}

type statusWriter struct {
	*httptest.ResponseRecorder
	statuses []int
}

func (w *statusWriter) WriteHeader(status int) {
	w.statuses = append(w.statuses, status)
	w.ResponseRecorder.WriteHeader(status)
}

// A time-out ends the context and nothing else: the handler runs where it was
// called, so its answer cannot meet another one.
func TestHandlersOutliveTheirTime(t *testing.T) { // peer-fw 61
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(sallyport.Config{})
		returned := false
		p.Add(api.Api{Endpoint: api.GET("1", "users"), Authorization: open, Timeout: time.Second, Handler: handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
			time.Sleep(time.Minute) // of the bubble
			returned = true
			return api.Text(200, fmt.Sprint(ctx.Err())), nil
		})})
		res := get(p.build(t), "/api/v1/users")
		require.True(t, returned)
		require.Equal(t, 200, res.StatusCode)
		require.Equal(t, "context deadline exceeded", body(t, res))
	})
}
