package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
)

// site is a presenter in this process behind a real listener.
type site struct {
	addr, url string
	client    *http.Client
	text      logBuffer // the access log in the text format of slog
	json      logBuffer // the same as JSON
	errors    logBuffer // Config.ErrorLog and Server.ErrorLog

	end func() error // stops it, once
}

// both logs into two loggers.
type both [2]api.Logger

func (b both) Log(ctx context.Context, rec *api.Record) { b[0].Log(ctx, rec); b[1].Log(ctx, rec) }

// serve runs a program until the end of the trial.
func serve(t *trial, server sallyport.Server, c sallyport.Config, register func(d *sallyport.ApiDecider)) *site {
	s := &site{client: newClient(64)}
	c.Logger = both{
		sallyport.LogTo(slog.New(slog.NewTextHandler(&s.text, nil))),
		sallyport.LogTo(slog.New(slog.NewJSONHandler(&s.json, nil))),
	}
	c.LogRefused = true
	c.ErrorLog = slog.New(slog.NewTextHandler(&s.errors, nil))
	if c.RateLimiting.Logger == nil {
		c.RateLimiting.Logger = c.ErrorLog
	}
	if c.ErrorHandler == nil {
		c.ErrorHandler = errorhandler.ProblemDetails{}
	}
	d := sallyport.NewApiDecider(c)
	register(d)
	presenter, err := sallyport.NewPresenter(d)
	t.must(err)
	server.Addr, server.ErrorLog = "127.0.0.1:0", c.ErrorLog
	listening := make(chan net.Addr, 1)
	server.OnListen = func(a net.Addr) { listening <- a }
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, presenter) }()
	s.end = sync.OnceValue(func() error {
		s.client.CloseIdleConnections()
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = s.end() })
	select {
	case a := <-listening:
		s.addr, s.url = a.String(), "http://"+a.String()
	case err := <-ended:
		ended <- err
		t.must(err)
	}
	return s
}

// target is the program that the hostile clients of these scenarios talk to.
type target struct {
	*site
	reached atomic.Int64 // requests that got to the endpoint that nobody may reach
	running atomic.Int64 // of the slow handler
	most    atomic.Int64 // of them at the same time
}

const bigAnswer = 32 << 20

// numbers is a body that says what it takes.
type numbers struct {
	N    int64    `json:"n"`
	F    float64  `json:"f"`
	List []int    `json:"list"`
	Any  any      `json:"any"`
	Text string   `json:"text"`
	Tags []string `json:"tags"`
}

type fields struct {
	A string   `form:"a"`
	B []string `form:"b"`
}

type query struct {
	A string   `query:"a"`
	B []string `query:"b"`
}

func startTarget(t *trial, server sallyport.Server, c sallyport.Config) *target {
	h := &target{}
	dir := t.TempDir()
	t.must(os.MkdirAll(filepath.Join(dir, "public"), 0o700))
	t.must(os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("TOP-SECRET"), 0o600))
	t.must(os.WriteFile(filepath.Join(dir, "public", "page.txt"), []byte("page"), 0o600))
	piece := bytes.Repeat([]byte("x"), 1<<15)
	files := os.DirFS(filepath.Join(dir, "public"))
	bearer := auth.Bearer(auth.StaticTokens{"s3cr3t-token-of-the-admin": "*"})
	h.site = serve(t, server, c, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "open"), handler.AlwaysOk{}, auth.None())
		d.AddApi(api.GET("1", "query"), handler.Typed(func(_ context.Context, in query) (query, error) { return in, nil }), auth.None())
		d.AddApi(api.POST("1", "numbers"), handler.Typed(func(_ context.Context, in numbers) (struct{}, error) { return struct{}{}, nil }), auth.None())
		d.AddApi(api.POST("1", "form"), handler.Typed(func(_ context.Context, in fields) (struct{}, error) { return struct{}{}, nil }), auth.None())
		d.AddApi(api.POST("1", "raw"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, err := io.Copy(io.Discard, r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			_, _ = fmt.Fprint(w, n)
		})), auth.None())
		d.AddApi(api.POST("1", "read"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			data, err := r.Bytes(1 << 20)
			if err != nil {
				return nil, err
			}
			return api.Text(200, fmt.Sprint(len(data))), nil
		}), auth.None())
		d.AddApi(api.GET("1", "names", "{name}"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			return api.JSON(200, r.PathValue("name")), nil
		}), auth.None())
		d.AddApi(api.GET("1", "files", "{path...}"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			return api.File(files, r.PathValue("path")), nil
		}), auth.None())
		d.AddApi(api.GET("1", "big"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for range bigAnswer / len(piece) {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		})), auth.None())
		d.AddApi(api.GET("1", "slow"), handler.Func(func(ctx context.Context, _ *api.Request) (api.Response, error) {
			n := h.running.Add(1)
			defer h.running.Add(-1)
			for m := h.most.Load(); n > m && !h.most.CompareAndSwap(m, n); m = h.most.Load() {
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
			return api.NoContent(), nil
		}), auth.None())
		secret := handler.Func(func(context.Context, *api.Request) (api.Response, error) {
			h.reached.Add(1)
			return api.Text(200, "TOP-SECRET"), nil
		})
		d.AddApi(api.GET("1", "admin"), secret, bearer)
		d.AddApi(api.GET("1", "admin", "{what}"), secret, bearer)
		d.AddApi(api.GET("1", "smuggled"), secret, auth.None())
	})
	return h
}

// talk is what one connection has answered.
type talk struct {
	statuses []int
	bodies   []string
	headers  []http.Header
	closed   bool  // by the server, within the time
	sent     int64 // bytes
	took     time.Duration
}

func (k talk) String() string { return fmt.Sprintf("%v, closed: %v", k.statuses, k.closed) }

// onlyRefused says that nothing but 4xx (or the given others) was answered, or the
// connection closed.
func (k talk) onlyRefused(others ...int) bool {
	for _, s := range k.statuses {
		if (s < 400 || s > 499) && !slices.Contains(others, s) {
			return false
		}
	}
	return len(k.statuses) > 0 || k.closed
}

// say writes the bytes into a connection of its own and reads what comes within a
// time.
func say(addr, bytes string, patience time.Duration) (k talk) {
	begin := time.Now()
	defer func() { k.took = time.Since(begin) }()
	c, err := connect(addr)
	if err != nil {
		return talk{closed: true}
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(begin.Add(patience))
	wrote := make(chan int64, 1)
	go func() {
		n, _ := io.Copy(struct{ io.Writer }{c}, strings.NewReader(bytes))
		wrote <- n
	}()
	k = hear(c)
	_ = c.Close()
	k.sent = <-wrote
	return k
}

// hear reads answers until the connection ends or its time is over.
func hear(c net.Conn) (k talk) {
	r := bufio.NewReader(c)
	for {
		if _, err := r.Peek(1); err != nil {
			k.closed = !isTimeout(err)
			return k
		}
		res, err := http.ReadResponse(r, nil) //nolint:bodyclose // the connection is
		if err != nil {
			k.closed = !isTimeout(err)
			return k
		}
		body, err := io.ReadAll(res.Body)
		if res.StatusCode >= 200 {
			k.statuses, k.bodies, k.headers = append(k.statuses, res.StatusCode), append(k.bodies, string(body)), append(k.headers, res.Header)
		}
		if err != nil {
			k.closed = !isTimeout(err)
			return k
		}
	}
}

// sayRaw is say for those who look at the bytes of the answer.
func sayRaw(addr, bytes string, patience time.Duration) []byte {
	c, err := connect(addr)
	if err != nil {
		return nil
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = io.WriteString(c, bytes)
	answer, _ := io.ReadAll(c)
	return answer
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.As(err, &n) && n.Timeout()
}

// watchMemory samples the heap of this process until the function it returns is
// called, which tells by how many bytes it has grown at most.
func watchMemory() func() int64 {
	runtime.GC()
	first := heap()
	var most atomic.Int64
	most.Store(first)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most.Store(max(most.Load(), heap()))
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-ended
		return max(most.Load(), heap()) - first
	}
}

func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// honest sends requests beside an attack, and tells how they went.
func (h *target) honest(t *trial) func() string {
	stalls := t.watchStalls()
	l := startLoad(t, 4, 50*time.Millisecond, newClient(4), func() *http.Request {
		r, err := http.NewRequestWithContext(t.ctx, "GET", h.url+"/api/v1/open", nil)
		t.must(err)
		return r
	})
	return func() string {
		l.stop()
		all := l.between(time.Time{}, time.Now())
		for _, x := range all {
			t.check(x.status == 200, "a client beside it got %d %v", x.status, x.err)
		}
		t.check(quantile(all, 0.99) < 250*time.Millisecond+stalls(), "p99 of a client beside it is %s", quantile(all, 0.99))
		return "beside it " + latency(all)
	}
}

// forged looks for lines in the access log that no request accounts for, and
// says how many there are.
func (h *target) forged(t *trial) string {
	h.json.mu.Lock()
	records := len(h.json.lines)
	h.json.mu.Unlock()
	h.text.mu.Lock()
	defer h.text.mu.Unlock()
	forged := 0
	check := func(ok bool, format string, args ...any) {
		if !t.check(ok, format, args...) {
			forged++
		}
	}
	check(len(h.text.lines) == records, "%d lines of text for %d records of JSON", len(h.text.lines), records)
	for _, l := range h.text.lines {
		check(strings.HasPrefix(l.text, "time=20") && strings.Contains(l.text, " status="), "a line that nobody wrote: %.200q", l.text)
		check(strings.IndexFunc(l.text, func(r rune) bool {
			return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0x202e
		}) < 0, "a control character: %.300q", l.text)
	}
	return fmt.Sprintf("%d records, %d forged", records, forged)
}

// connect opens a connection.
func connect(addr string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(context.Background(), "tcp", addr)
}
