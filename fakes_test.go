package sallyport_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// program is a decider under test with a held clock and a log.
type program struct {
	*sallyport.ApiDecider
	clock *apitest.Clock
	log   *bytes.Buffer
}

func newProgram(c sallyport.Config) *program {
	p := &program{clock: apitest.NewClock(), log: &bytes.Buffer{}}
	if c.RateLimiting.Clock == nil {
		c.RateLimiting.Clock = p.clock
	}
	c.ErrorLog = slog.New(slog.NewTextHandler(&lockedWriter{w: p.log}, nil))
	p.ApiDecider = sallyport.NewApiDecider(c)
	return p
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func (p *program) build(t *testing.T) *sallyport.Presenter {
	t.Helper()
	presenter, err := sallyport.NewPresenter(p.ApiDecider)
	require.NoError(t, err)
	return presenter
}

// request is what a test sends. The zero value of a field is the usual one.
type request struct {
	method, path string
	from         string // the client's address
	token        string
	header       http.Header
	body         string
}

func send(h http.Handler, q request) *http.Response {
	if q.method == "" {
		q.method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(context.Background(), q.method, q.path, strings.NewReader(q.body))
	if q.header != nil {
		r.Header = q.header
	}
	r.RemoteAddr = "192.0.2.1:1234"
	if q.from != "" {
		r.RemoteAddr = q.from + ":1234"
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func get(h http.Handler, path string) *http.Response { return send(h, request{path: path}) }

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return string(b)
}

var ok = handler.AlwaysOk{}

// returns is a handler that returns what it is given.
func returns(response api.Response, err error) api.Handler {
	return handler.Func(func(context.Context, *api.Request) (api.Response, error) { return response, err })
}

func panics(v any) api.Handler {
	return handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic(v) })
}

// authFunc is an authorization as a function.
type authFunc struct {
	scheme api.Scheme
	f      func(ctx context.Context, r *api.Request) (api.Identity, error)
}

func (a authFunc) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	return a.f(ctx, r)
}
func (a authFunc) Scheme() api.Scheme { return a.scheme }

var (
	open   = auth.None()
	bearer = auth.Bearer(auth.StaticTokens{"my-token": "*", "other-token": "*"})

	perIP   = ratelimit.Policy{Name: "perIp", Limit: 3, Interval: time.Minute}
	perUser = ratelimit.Policy{Name: "perUser", Limit: 2, Interval: time.Hour, Key: ratelimit.Identity}
)
