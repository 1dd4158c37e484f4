package sallyport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

// served is a server of a test.
type served struct {
	addr    net.Addr
	stop    context.CancelFunc
	stopped <-chan error // what Serve has returned
}

func (s *served) url() string { return "http://" + s.addr.String() }

// end stops it and returns what Serve has returned.
func (s *served) end() error {
	s.stop()
	return <-s.stopped
}

// startServer serves until the test ends, over a socket unless s says otherwise.
func startServer(t testing.TB, s sallyport.Server, h http.Handler) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	if s.Addr == "" {
		s.Addr = "127.0.0.1:0"
	}
	listens, stopped := make(chan net.Addr, 1), make(chan error, 1)
	s.OnListen = func(addr net.Addr) { listens <- addr }
	go func() { stopped <- s.Serve(ctx, h) }()
	select {
	case addr := <-listens:
		return &served{addr, stop, stopped}
	case err := <-stopped:
		require.NoError(t, err, "the server has not started")
		return nil
	}
}

// newClient has connections of its own, which end with the test.
func newClient(t testing.TB, h2c bool) *http.Client {
	t.Helper()
	protocols := &http.Protocols{}
	protocols.SetHTTP1(!h2c)
	protocols.SetUnencryptedHTTP2(h2c)
	transport := &http.Transport{Protocols: protocols, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// call makes a request and returns the whole answer.
func call(t testing.TB, client *http.Client, method, url string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	res, err := client.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(text)
}

func plain(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// noneLeft fails for goroutines that a server leaves behind. Those of closed
// connections end a moment later, so it asks for a while.
func noneLeft(t testing.TB, before int) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		require.True(t, time.Now().Before(end), "%d goroutines, and before there were %d", runtime.NumGoroutine(), before)
	}
}

func TestServe(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.GET("1", "users"), ok, auth.None())
	presenter := p.build(t)
	for name, h2c := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			client, before := newClient(t, h2c), runtime.NumGoroutine()
			s := startServer(t, sallyport.Server{H2C: true}, presenter)
			res, text := call(t, client, "GET", s.url()+"/api/v1/users")
			require.Equal(t, 200, res.StatusCode)
			require.Equal(t, map[bool]int{false: 1, true: 2}[h2c], res.ProtoMajor)
			require.Equal(t, `{"status":"ok"}`, text)
			require.NoError(t, s.end())
			client.CloseIdleConnections()
			noneLeft(t, before)
		})
	}
}

func TestServeWithDefaults(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, sallyport.Serve(ctx, "127.0.0.1:0", okPage), "stopped before it began")
	require.EqualError(t, sallyport.Serve(t.Context(), "", okPage),
		`sallyport: serve: there is no address: write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`)
}

var okPage = plain("ok")

func TestTheMistakesOfAServer(t *testing.T) {
	check := func(context.Context) error { return nil }
	for name, row := range map[string]struct {
		server  sallyport.Server
		handler http.Handler
		want    []string
	}{
		"no address":   {sallyport.Server{}, okPage, []string{`there is no address: write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`}},
		"a port":       {sallyport.Server{Addr: "8080"}, okPage, []string{`the address "8080": write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`}},
		"no such port": {sallyport.Server{Addr: "localhost:99999"}, okPage, []string{`the address "localhost:99999": there is no port "99999"`}},
		"no path":      {sallyport.Server{Addr: "unix:"}, okPage, []string{`the address "unix:": the path of the socket is missing`}},
		"no handler":   {sallyport.Server{Addr: ":0"}, nil, []string{"there is no handler"}}, // peer-fw 74
		"a nil one":    {sallyport.Server{Addr: ":0"}, (*sallyport.Presenter)(nil), []string{"there is no handler"}},
		"a nil listener": {sallyport.Server{Listener: (*net.TCPListener)(nil)}, okPage,
			[]string{"the listener: it is a nil *net.TCPListener"}},
		"a file that is not there": {sallyport.Server{Addr: ":0", CertFile: "testdata/no.pem", KeyFile: "testdata/no.key"}, okPage, []string{
			"the certificate: stat testdata/no.pem: no such file or directory",
			"the certificate: stat testdata/no.key: no such file or directory"}},
		"a file that is none": {sallyport.Server{Addr: ":0", CertFile: "go.mod", KeyFile: "go.mod"}, okPage,
			[]string{"the certificate of go.mod and go.mod: tls: failed to find any PEM data in certificate input"}},
		"all at once": {sallyport.Server{
			ReadHeaderTimeout: -2, ReadTimeout: -2, WriteTimeout: -2, IdleTimeout: -time.Second, Grace: -2, DrainDelay: -1, MaxHeaderBytes: -1,
			CertFile: "a.pem", H2C: true,
			Health: sallyport.Health{LivenessPath: "/health", ReadinessPath: "/health", Timeout: -1},
		}, nil, []string{
			`there is no address: write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`,
			"ReadHeaderTimeout -2ns: a duration, or -1 for none",
			"ReadTimeout -2ns: a duration, or -1 for none",
			"WriteTimeout -2ns: a duration, or -1 for none",
			"IdleTimeout -1s: a duration, or -1 for none",
			"Grace -2ns: a duration, or -1 for none",
			"DrainDelay -1ns: a duration, or 0 for none",
			"MaxHeaderBytes -1: bytes, or 0 for the default; a header without a bound cannot be",
			"CertFile and KeyFile: one of them is missing",
			"H2C is HTTP/2 without TLS, but there is a certificate, which brings HTTP/2 along",
			`health: LivenessPath and ReadinessPath are both "/health"`,
			"health: the Timeout -1ns: a duration, or 0 for the default",
			"there is no handler",
		}},
		"a header without a bound": {sallyport.Server{Addr: ":0", MaxHeaderBytes: math.MaxInt32}, okPage,
			[]string{"MaxHeaderBytes 2147483647: at most 1073741824, which is 1 GiB"}},
		"health": {sallyport.Server{Addr: ":0", Health: sallyport.Health{
			LivenessPath: "livez", Checks: map[string]func(context.Context) error{"a": nil, "b": check, "c": nil},
		}}, okPage, []string{
			`health: LivenessPath "livez": a plain path like "/readyz", or "" for none`,
			"health: there are Checks, but no ReadinessPath asks them",
			`health: the check "a" is nil`,
			`health: the check "c" is nil`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			row.server.OnListen = func(net.Addr) { t.Error("it listens") }
			want := "sallyport: serve: " + strings.Join(row.want, "\nsallyport: serve: ")
			require.EqualError(t, row.server.Serve(t.Context(), row.handler), want)
		})
	}
	require.NoError(t, sallyport.Server{Addr: ":http", ReadHeaderTimeout: -1, ReadTimeout: -1, WriteTimeout: -1, IdleTimeout: -1, Grace: -1}.Validate())
}

func TestServeNamesAnAddressInUse(t *testing.T) {
	addr := startServer(t, sallyport.Server{}, okPage).addr.String()
	require.EqualError(t, sallyport.Serve(t.Context(), addr, okPage), fmt.Sprintf(
		"sallyport: serve: the address %[1]s is in use, maybe by another instance of the program: listen tcp %[1]s: bind: address already in use", addr))
}

// registerSecret does what the import of net/http/pprof does.
var registerSecret = sync.OnceFunc(func() { http.HandleFunc("/debug/peer-74", plain("secret")) })

// What other packages register in http.DefaultServeMux is not served.
func TestServeKnowsNoDefaultServeMux(t *testing.T) {
	registerSecret()
	p := newProgram(sallyport.Config{BasePath: "/"})
	p.AddApi(api.GET("1", "users"), ok, auth.None())
	s := startServer(t, sallyport.Server{}, p.build(t))
	res, text := call(t, newClient(t, false), "GET", s.url()+"/debug/peer-74")
	require.Equal(t, 404, res.StatusCode) // peer-fw 74
	require.NotContains(t, text, "secret")
}

// The writer of net/http is behind all that the presenter puts around it.
func TestServeLetsThroughWhatAConnectionCan(t *testing.T) {
	flushed := make(chan struct{})
	p := newProgram(sallyport.Config{Logger: sallyport.LogTo(slog.New(slog.DiscardHandler))})
	p.AddApi(api.GET("1", "flushed"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil { // peer-fw 65
			panic(err)
		}
		<-flushed
	})), auth.None())
	p.AddApi(api.GET("1", "taken"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack() // peer-fw 65
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 299 Own\r\nConnection: close\r\n\r\n")
	})), auth.None())
	s, client := startServer(t, sallyport.Server{}, p.build(t)), newClient(t, false)

	r, err := http.NewRequestWithContext(t.Context(), "GET", s.url()+"/api/v1/flushed", nil)
	require.NoError(t, err)
	res, err := client.Do(r)
	require.NoError(t, err)
	first := make([]byte, len("first"))
	_, err = io.ReadFull(res.Body, first)
	require.NoError(t, err)
	require.Equal(t, "first", string(first))
	close(flushed)
	require.NoError(t, res.Body.Close())

	res, _ = call(t, client, "GET", s.url()+"/api/v1/taken")
	require.Equal(t, 299, res.StatusCode)
	require.NoError(t, s.end())
}

// errorLog is a log of JSON records whose last record can be waited for.
type errorLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func newErrorLog() (*errorLog, *slog.Logger) {
	l := &errorLog{}
	return l, slog.New(slog.NewJSONHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (l *errorLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *errorLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// records are level and message, and the attributes of the server's own records.
func (l *errorLog) records(t testing.TB) (list []string) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var record struct{ Level, Msg, Check, Error string }
		require.NoError(t, json.Unmarshal([]byte(line), &record))
		list = append(list, strings.TrimSpace(record.Level+" "+record.Msg+" "+record.Check+" "+record.Error))
	}
	return list
}

func TestTheLogOfAServer(t *testing.T) {
	log, logger := newErrorLog()
	s := startServer(t, sallyport.Server{ErrorLog: logger}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/panic" {
			panic(errors.New("forged\nWARN \x1b[31mentry"))
		}
		w.WriteHeader(200)
		w.WriteHeader(500)
	}))
	client := newClient(t, false)
	_, _ = call(t, client, "GET", s.url()+"/")
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.url()+"/panic", nil)
	require.NoError(t, err)
	_, err = client.Do(r)
	require.Error(t, err)
	require.NoError(t, s.end())
	records := log.records(t)
	require.Len(t, records, 2)
	require.Regexp(t, `^WARN http: superfluous response\.WriteHeader call from .*$`, records[0])
	require.Regexp(t, `^WARN http: panic serving 127\.0\.0\.1:[0-9]+: forged WARN  \[31mentry goroutine .*$`, records[1])
}

func TestTheBoundOfAHeader(t *testing.T) {
	s := startServer(t, sallyport.Server{}, okPage)
	for size, want := range map[int]int{60 << 10: 200, 70 << 10: 431} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", s.url(), nil)
		require.NoError(t, err)
		r.Header.Set("X-Long", strings.Repeat("a", size))
		res, err := newClient(t, false).Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.Equal(t, want, res.StatusCode)
	}
}

// The largest sizes and times are as good as none.
func TestTheLargestBoundsOfAServer(t *testing.T) {
	const longest = time.Duration(math.MaxInt64)
	for name, h2c := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, sallyport.Server{
				MaxHeaderBytes: 1 << 30, H2C: true, Grace: longest,
				ReadHeaderTimeout: longest, ReadTimeout: longest, WriteTimeout: longest, IdleTimeout: longest,
				Health: sallyport.Health{ReadinessPath: "/readyz", Timeout: longest,
					Checks: map[string]func(context.Context) error{"a": func(ctx context.Context) error { return ctx.Err() }}},
			}, okPage)
			client := newClient(t, h2c)
			for path, want := range map[string]string{"/": "200 ok", "/readyz": `200 {"status":"ok"}`} {
				res, text := call(t, client, "GET", s.url()+path)
				require.Equal(t, want, res.Status[:4]+text)
			}
			require.NoError(t, s.end())
		})
	}
}

// A program whose OnListen does not return has nothing left to stop the server with.
func TestServeWhenOnListenDoesNotReturn(t *testing.T) {
	for name, leave := range map[string]func(){"it panics": func() { panic("no") }, "it ends its goroutine": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			running := make(chan context.Context, 1)
			h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				running <- r.Context()
				<-r.Context().Done()
			})
			conns := make(chan net.Conn, 2)
			var addr net.Addr
			server := sallyport.Server{Addr: "127.0.0.1:0", OnListen: func(at net.Addr) {
				addr = at
				for _, sent := range []string{"", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"} {
					conn := dial(t, at)
					_, _ = io.WriteString(conn, sent)
					conns <- conn
				}
				running <- <-running // a request is
				leave()
			}}
			returned := make(chan any)
			go func() {
				defer func() { returned <- recover() }()
				_ = server.Serve(t.Context(), h)
			}()
			require.Equal(t, map[bool]any{true: "no"}[name == "it panics"], <-returned)
			for range cap(conns) {
				_, err := (<-conns).Read(make([]byte, 1))
				require.Error(t, err)
				require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
			}
			<-(<-running).Done()
			var dialer net.Dialer
			_, err := dialer.DialContext(t.Context(), "tcp", addr.String())
			require.ErrorIs(t, err, syscall.ECONNREFUSED)
			noneLeft(t, before)
		})
	}
}

// Clients that send slowly are cut, and hold nothing up.
func TestTheTimeoutsOfAServer(t *testing.T) {
	const short = 50 * time.Millisecond
	for name, row := range map[string]struct {
		server sallyport.Server
		sent   string
		want   string // what is answered before the connection ends
	}{
		"nothing":       {sallyport.Server{ReadHeaderTimeout: short}, "", ""},
		"a slow header": {sallyport.Server{ReadHeaderTimeout: short}, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow", ""},
		"a slow body":   {sallyport.Server{ReadTimeout: short}, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na", "HTTP/1.1 408 Request Timeout\r\n"},
		"idle":          {sallyport.Server{IdleTimeout: short}, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, row.server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := io.ReadAll(r.Body); err != nil {
					w.WriteHeader(http.StatusRequestTimeout)
				}
			}))
			conn := dial(t, s.addr)
			_, err := io.WriteString(conn, row.sent)
			require.NoError(t, err)
			answer := bufio.NewReader(conn)
			if row.want != "" {
				line, err := answer.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, row.want, line)
			}
			_, err = io.Copy(io.Discard, answer) // until the server closes
			require.NoError(t, err)
			require.NoError(t, s.end())
		})
	}
}

// dial connects. What a test waits for there comes within ten seconds.
func dial(t testing.TB, addr net.Addr) net.Conn {
	t.Helper()
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), addr.Network(), addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
	return conn
}
