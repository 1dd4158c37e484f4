package sallyport_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

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
		{"a success", false, request{path: "/api/v1/users?page=2", token: "my-token", header: http.Header{"User-Agent": {"curl"}, "Accept": {"text/html", "*/*"}}}, ok, 1, // FW-066, FW-352, FW-354, FW-401, TC-141, TC-232
			[]api.Record{{Method: "GET", Path: "/api/v1/users", URI: "/api/v1/users?page=2", Header: http.Header{"User-Agent": {"curl"}, "Accept": {"text/html", "*/*"}, "Authorization": {"REDACTED"}}, Endpoint: api.GET("1", "users"), Status: 200, Bytes: 15, ClientIP: "192.0.2.1", UserAgent: "curl", Identity: "bearer:fece50d2287f7245aea5819b75f95ee8"}}},
		{"an unknown path", false, request{path: "/api/v1/nowhere"}, ok, 1, // TC-127, FW-355
			[]api.Record{{Method: "GET", Path: "/api/v1/nowhere", URI: "/api/v1/nowhere", Header: http.Header{}, Endpoint: api.GET("1", "nowhere"), Status: 404, Bytes: 51, ClientIP: "192.0.2.1", Kind: api.KindNotFound}}},
		{"a refused caller", false, request{}, ok, 1, // FW-069
			[]api.Record{{Method: "GET", Path: "/api/v1/users", URI: "/api/v1/users", Header: http.Header{}, Endpoint: api.GET("1", "users"), Status: 401, Bytes: 81, ClientIP: "192.0.2.1", Kind: api.KindUnauthorized, Err: &api.Refusal{Kind: api.KindUnauthorized, Message: "Authorization header HTTP_Authorization is not set", Challenge: `Bearer realm="api"`}}}},
		{"a handler that fails", false, request{token: "my-token"}, returns(nil, down), 1, // FW-355
			[]api.Record{{Method: "GET", Path: "/api/v1/users", URI: "/api/v1/users", Header: http.Header{"Authorization": {"REDACTED"}}, Endpoint: api.GET("1", "users"), Status: 500, Bytes: 52, ClientIP: "192.0.2.1", Identity: "bearer:fece50d2287f7245aea5819b75f95ee8", Kind: api.KindHandler, Err: down}}},
		{"a refused limit is left out", false, request{}, ok, 4, nil}, // RL-319, TC-142
		{"unless it is asked for", true, request{}, ok, 4, // RL-319
			[]api.Record{{Method: "GET", Path: "/api/v1/users", URI: "/api/v1/users", Header: http.Header{}, Endpoint: api.GET("1", "users"), Status: 429, Bytes: 73, ClientIP: "192.0.2.1", Kind: api.KindRateLimit}}},
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
	send(p.build(t), request{path: "/api/v1/users/a%0Ab?token=hunter2", header: http.Header{"User-Agent": {"x\ny"}}})
	require.Equal(t, 1, strings.Count(text.String(), "\n"), "no client can forge a line")
	require.Contains(t, text.String(), `level=ERROR msg=request request_id=`)
	require.Contains(t, text.String(), `method=GET uri="/api/v1/users/a%0Ab?token=REDACTED" endpoint="GET v1/users/{id}" status=500 bytes=52`)
	require.Contains(t, text.String(), `client_ip=192.0.2.1 user_agent=x\ny failure=handler err="a\nb"`)
}

func TestNoClientCanForgeALineOfALog(t *testing.T) {
	log := &recorder{}
	p := newProgram(sallyport.Config{Logger: log, IPDetector: detectorFunc(func(*http.Request) string { return "1\r\n2" })})
	p.AddApi(api.GET("1", "users", "{id}"), ok, open)
	h := p.build(t)
	hostile := http.Header{"User-Agent": {"a\r\nb\x1b[2J"}, "X-Note": {"\u202ec\x85"}}
	send(h, request{path: "/api/v1/users/a%0Ab%1B%E2%80%A8", header: hostile})
	send(h, request{path: "/api/v1/no%0Awhere?%0A=\xff", header: hostile})
	header := http.Header{"User-Agent": {`a\r\nb\x1b[2J`}, "X-Note": {`\u202ec` + "\uFFFD"}}
	for i := range log.records {
		rec := &log.records[i]
		rec.Start, rec.Duration, rec.RequestID, rec.Bytes = time.Time{}, 0, "", 0
	}
	require.Equal(t, []api.Record{
		{Method: "GET", Path: `/api/v1/users/a\nb\x1b\u2028`, URI: "/api/v1/users/a%0Ab%1B%E2%80%A8", Header: header, Endpoint: api.GET("1", "users", "{id}"), Status: 200, ClientIP: `1\r\n2`, UserAgent: `a\r\nb\x1b[2J`},
		{Method: "GET", Path: `/api/v1/no\nwhere`, URI: "/api/v1/no%0Awhere?%0A=\uFFFD", Header: header, Endpoint: api.GET("1", `no\nwhere`), Status: 404, ClientIP: `1\r\n2`, UserAgent: `a\r\nb\x1b[2J`, Kind: api.KindNotFound},
	}, log.records)
	require.Equal(t, "a\r\nb\x1b[2J", hostile.Get("User-Agent"), "the request stays as it is")
}

func TestSecretsAreRedactedInRecords(t *testing.T) { // FW-124, FW-356
	log := &recorder{}
	p := newProgram(sallyport.Config{Logger: log})
	p.AddApi(api.GET("1", "users"), ok, bearer)
	p.AddApi(api.GET("1", "other"), ok, auth.Any(auth.QueryKey("customer", auth.StaticTokens{"hunter2": "*"}), auth.HeaderKey("X-Customer", auth.StaticTokens{"hunter2": "*"})))
	sent := http.Header{"Authorization": {"Bearer my-token"}, "Cookie": {"sid=hunter2", "a=b"}, "X-Api-Key": {"hunter2"}, "X-Customer": {"hunter2"}, "Referer": {"https://a.example/?api_key=hunter2"}}
	res := send(p.build(t), request{path: "/api/v1/users?page=2&api_key=hunter2&API%5FKEY=hunter2&customer=hunter2", header: sent})
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "/api/v1/users?page=2&api_key=REDACTED&API%5FKEY=REDACTED&customer=REDACTED", log.records[0].URI)
	require.Equal(t, http.Header{
		"Authorization": {"REDACTED"}, "Cookie": {"REDACTED", "REDACTED"}, "X-Api-Key": {"REDACTED"}, "X-Customer": {"REDACTED"}, "Referer": {"https://a.example/?api_key=REDACTED"},
	}, log.records[0].Header)
	require.Equal(t, "Bearer my-token", sent.Get("Authorization"), "the request stays as it is")
}

func TestTheStatusOfARecordIsTheOneThatWasSent(t *testing.T) { // FW-357
	refusing := ratelimit.Use(ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) {
		return []ratelimit.Result{{Policy: "a", Response: api.Text(200, "later")}}, nil
	}))
	for _, tc := range []struct {
		name string
		h    api.Handler
		rule ratelimit.Rule
		want int
	}{
		{"of a response that sends another", returns(responseFunc(func(w http.ResponseWriter) error { w.WriteHeader(201); return nil }), nil), ratelimit.Off, 201},
		{"of a response that is given up", returns(api.JSON(200, func() {}), nil), ratelimit.Off, 500},
		{"of a refusal that says 200", ok, refusing, 429},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := &recorder{}
			p := newProgram(sallyport.Config{Logger: log, LogRefused: true})
			p.AddApi(api.GET("1", "users"), tc.h, open, tc.rule)
			require.Equal(t, tc.want, get(p.build(t), "/api/v1/users").StatusCode)
			require.Equal(t, tc.want, log.records[0].Status)
		})
	}
}

func TestWithoutALoggerThereIsNoRecord(t *testing.T) { // FW-353
	var log strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	asked := 0
	d := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{perIP}, // which no endpoint takes
		IPDetector: detectorFunc(func(*http.Request) string { asked++; return "" }),
	})
	d.AddApi(api.GET("1", "users"), ok, open)
	h, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.Contains(t, log.String(), "level=WARN")
	log.Reset()
	for _, path := range []string{"/api/v1/users", "/nowhere"} {
		get(h, path)
	}
	require.Empty(t, log.String())
	require.Zero(t, asked)
}

func TestARecordCountsTheTimeFromTheFirstStep(t *testing.T) { // FW-050
	synctest.Test(t, func(t *testing.T) {
		log := &recorder{}
		slow := slog.New(slowHandler{slog.DiscardHandler})
		d := sallyport.NewApiDecider(sallyport.Config{Logger: log, Debug: true, ErrorLog: slow}) // which warns of the proxy
		d.AddApi(api.GET("1", "users"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
			time.Sleep(8 * time.Second)
			return api.NoContent(), nil
		}), authFunc{f: func(context.Context, *api.Request) (api.Identity, error) {
			time.Sleep(4 * time.Second)
			return api.Identity{}, nil
		}}, ratelimit.Use(spyLimiter(func(*ratelimit.Context) { time.Sleep(time.Second) })))
		h, err := sallyport.NewPresenter(d)
		require.NoError(t, err)
		start := time.Now()
		send(h, request{path: "/api/v1/users", header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}})
		require.Equal(t, start, log.records[0].Start)
		require.Equal(t, 30*time.Second, log.records[0].Duration) // 16 for the warning, 1 at each gate
	})
}

// slowHandler takes its time for each record.
type slowHandler struct{ slog.Handler }

func (slowHandler) Enabled(context.Context, slog.Level) bool { return true }

func (slowHandler) Handle(context.Context, slog.Record) error {
	time.Sleep(16 * time.Second)
	return nil
}

func TestTheDurationOfARecordLeavesTheSendingOut(t *testing.T) { // FW-068
	synctest.Test(t, func(t *testing.T) {
		log := &recorder{}
		p := newProgram(sallyport.Config{Logger: log})
		p.AddApi(api.GET("1", "users"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
			time.Sleep(time.Second)
			return responseFunc(func(http.ResponseWriter) error { time.Sleep(time.Minute); return nil }), nil
		}), open)
		get(p.build(t), "/api/v1/users")
		require.Equal(t, time.Second, log.records[0].Duration)
	})
}

func TestRecordsAreMadeWhateverElseBreaks(t *testing.T) {
	hijack := responseFunc(func(w http.ResponseWriter) error {
		conn, _, err := http.NewResponseController(w).Hijack()
		return errors.Join(err, conn.Close())
	})
	for _, tc := range []struct {
		name   string
		config sallyport.Config
		h      api.Handler
		want   api.Record
	}{
		{"a detector that panics", sallyport.Config{IPDetector: detectorFunc(func(*http.Request) string { panic("bug") })}, ok, api.Record{Status: 200}},
		{"a handler that aborts", sallyport.Config{}, panics(http.ErrAbortHandler), api.Record{Kind: api.KindHandler, Err: http.ErrAbortHandler}},
		{"a connection that was taken over", sallyport.Config{}, returns(hijack, nil), api.Record{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := &doneRecorder{done: make(chan api.Record, 1)}
			tc.config.Logger, tc.config.Timeout = log, time.Hour
			p := newProgram(tc.config)
			p.AddApi(api.GET("1", "users"), tc.h, open)
			server := httptest.NewServer(p.build(t))
			t.Cleanup(server.Close)
			if res, err := server.Client().Get(server.URL + "/api/v1/users"); err == nil {
				require.NoError(t, res.Body.Close())
			}
			rec := <-log.done
			require.Equal(t, tc.want, api.Record{Status: rec.Status, Kind: rec.Kind, Err: rec.Err})
			require.NoError(t, log.ctxErr, "a logger gets a context that is alive")
		})
	}
}

// doneRecorder tells when it has a record.
type doneRecorder struct {
	done   chan api.Record
	ctxErr error
}

func (l *doneRecorder) Log(ctx context.Context, rec *api.Record) {
	l.ctxErr = ctx.Err()
	l.done <- *rec
}
