package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

var processScenarios = []scenario{
	{name: "process/SIGTERM under load", promise: "every answer that begins is whole, no order is lost or taken twice, exit status 0", run: sigterm},
	{name: "process/SIGTERM with requests that take a second", promise: "all that a handler has seen are answered, HTTP/1.1 and HTTP/2, exit status 0", run: sigtermSlow},
	{name: "process/a stop with clients that hold on", promise: "it ends within Grace (1 s), a second for handlers that do not listen, and 1 s more", run: heldStop},
	{name: "process/no more files can be opened", promise: "connections that are open are served meanwhile, and new ones within 2 s after", run: fewFiles},
	{name: "process/panics, errors as problem details", promise: "500 in the format of the errors (or the answer that was due), the process lives", run: panics("problem")},
	{name: "process/panics, errors as plain JSON", promise: "500 in the format of the errors (or the answer that was due), the process lives", run: panics("default")},
}

const calmConfig = `
rateLimits:
  perIp: {limit: 100000000, interval: 1 minute}
  perCustomer: {limit: 10000000, interval: 1 minute, key: identity}
  login: {limit: 1000, interval: 15 minutes}
  export: {algorithm: tokenBucket, limit: 2, interval: 1 hour, key: identity}
defaults: {rateLimit: perIp}
`

const (
	book   = "9781491904244"
	copies = 1_000_000
)

// librarian asks as lina.
func (s *shop) librarian(t *trial, method, path, body string) []byte {
	r, err := http.NewRequestWithContext(t.ctx, method, s.url+path, strings.NewReader(body))
	t.must(err)
	r.SetBasicAuth("lina", "quiet please")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := s.client.Do(r)
	t.must(err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	t.must(err)
	if res.StatusCode > 299 {
		t.must(fmt.Errorf("%s %s: %s %s", method, path, res.Status, text))
	}
	return text
}

func protocol(h2c bool) *http.Client {
	var p http.Protocols
	p.SetHTTP1(!h2c)
	p.SetUnencryptedHTTP2(h2c)
	return &http.Client{Transport: &http.Transport{Protocols: &p, MaxIdleConnsPerHost: 64}, Timeout: 20 * time.Second}
}

// sigterm orders books with 64 clients while the shop is told to stop.
func sigterm(t *trial) {
	var ordered, begun, cut, refused, rounds int64
	var slowest time.Duration
	for range pick(t, 2, 10) {
		db := filepath.Join(t.TempDir(), "books.db")
		s := startShop(t, calmConfig, "-db", db)
		s.librarian(t, "POST", "/api/v2/books", fmt.Sprintf(`{"isbn":"%s","title":"Much read","authors":["A"],"year":2026,"price":{"amount":1,"currency":"EUR"},"stock":%d}`, book, copies))
		token := s.login(t)
		var taken, reset, none atomic.Int64
		var clients sync.WaitGroup
		for i := range 64 {
			client := protocol(i%2 == 1)
			clients.Go(func() {
				defer client.CloseIdleConnections()
				for {
					r, err := http.NewRequestWithContext(t.ctx, "POST", s.url+"/api/v2/orders", strings.NewReader(`{"lines":[{"isbn":"`+book+`","quantity":1}]}`))
					if err != nil {
						return
					}
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer "+token)
					res, err := client.Do(r)
					switch {
					case errors.Is(err, syscall.ECONNREFUSED):
						none.Add(1)
						return
					case err != nil:
						reset.Add(1)
						return
					}
					text, err := io.ReadAll(res.Body)
					_ = res.Body.Close()
					var order struct{ ID int64 }
					if !t.check(err == nil && res.StatusCode == 201 && json.Unmarshal(text, &order) == nil && order.ID > 0, "an answer that is not whole: %s %q %v", res.Status, text, err) {
						return
					}
					taken.Add(1)
				}
			})
		}
		t.sleep(500 * time.Millisecond)
		begin := time.Now()
		t.must(s.cmd.Process.Signal(syscall.SIGTERM))
		clients.Wait()
		err := s.ended()
		slowest = max(slowest, time.Since(begin))
		t.check(err == nil, "the shop ended with %v: %s", err, s.log.String())
		again := startShop(t, calmConfig, "-db", db)
		var b struct{ Stock int64 }
		t.must(json.Unmarshal(again.librarian(t, "GET", "/api/v2/books/"+book, ""), &b))
		t.check(copies-b.Stock == taken.Load(), "%d orders were answered, %d were taken", taken.Load(), copies-b.Stock)
		ordered, begun = ordered+taken.Load(), begun+copies-b.Stock
		cut, refused = cut+reset.Load(), refused+none.Load()
		rounds++
	}
	t.measure("%d stops: %d orders answered, %d in the databases; clients ended by %d refused connections and %d without a byte of an answer; the longest stop took %s",
		rounds, ordered, begun, refused, cut, ms(slowest))
}

// heldStop stops a server whose clients drip, read nothing, or wait for a handler
// that never ends.
func heldStop(t *trial) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	s := serve(t, sallyport.Server{H2C: true, Grace: time.Second}, sallyport.Config{}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.POST("1", "read"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
			_, err := r.Bytes(1 << 20)
			return api.NoContent(), err
		}), auth.None())
		d.AddApi(api.GET("1", "deaf"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
			<-release
			return api.NoContent(), nil
		}), auth.None())
		d.AddApi(api.GET("1", "stream"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
			return api.Stream("text/plain", func(ctx context.Context, w io.Writer) error {
				for ctx.Err() == nil {
					if _, err := w.Write(make([]byte, 1<<16)); err != nil {
						return err
					}
				}
				return nil
			}), nil
		}), auth.None())
	})
	var conns []net.Conn
	for _, first := range []string{
		"", "GET /api/v1/re", "POST /api/v1/read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx", "POST /api/v1/read HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n",
		"GET /api/v1/deaf HTTP/1.1\r\nHost: a\r\n\r\n", "GET /api/v1/stream HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
	} {
		for range 10 {
			c, err := connect(s.addr)
			t.must(err)
			_, _ = io.WriteString(c, first)
			conns = append(conns, c)
			go func() {
				for {
					time.Sleep(100 * time.Millisecond)
					if _, err := c.Write([]byte("x")); err != nil {
						return
					}
				}
			}()
		}
	}
	t.Cleanup(func() {
		for _, c := range conns {
			_ = c.Close()
		}
	})
	t.sleep(500 * time.Millisecond)
	begin := time.Now()
	err := s.end()
	took := time.Since(begin)
	t.check(err != nil, "the handlers that were left behind are not told")
	t.check(took < 3*time.Second, "it took %s", took)
	t.measure("%d clients, the stop took %.1f s: %v", len(conns), took.Seconds(), err)
}

// child is this program, run again as a program under test.
type child struct {
	*exec.Cmd
	url   string
	log   logBuffer
	ended func() error
}

func startChild(t *trial, program string, args ...string) *child {
	self, err := os.Executable()
	t.must(err)
	c := &child{Cmd: exec.Command(self, args...)} //nolint:gosec,noctx // this program; the trial ends it
	c.Env = append(os.Environ(), childVariable+"="+program)
	c.Stderr = &c.log
	in, err := c.StdinPipe() // it ends with this process
	t.must(err)
	out, err := c.StdoutPipe()
	t.must(err)
	t.must(c.Start())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	c.ended = sync.OnceValue(func() error {
		_, _ = io.Copy(io.Discard, lines)
		return c.Wait()
	})
	t.Cleanup(func() {
		_ = in.Close()
		_ = c.Process.Signal(syscall.SIGKILL)
		_ = c.ended()
	})
	if err != nil {
		t.must(fmt.Errorf("the child did not start: %s", c.log.String()))
	}
	c.url = strings.TrimSpace(first)
	return c
}

func sigtermSlow(t *trial) {
	c := startChild(t, "slow")
	var answered, broken atomic.Int64
	var clients sync.WaitGroup
	for i := range 64 {
		client := protocol(i%2 == 1)
		clients.Go(func() {
			defer client.CloseIdleConnections()
			r, err := http.NewRequestWithContext(t.ctx, "POST", c.url+"/api/v1/slow", bytes.NewReader(make([]byte, 100_000)))
			t.must(err)
			res, err := client.Do(r)
			if err != nil {
				broken.Add(1)
				t.check(false, "no answer: %v", err)
				return
			}
			text, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if t.check(err == nil && res.StatusCode == 200 && len(text) == 100_000, "not whole: %s %d %v", res.Status, len(text), err) {
				answered.Add(1)
			}
		})
	}
	t.sleep(400 * time.Millisecond)
	t.must(c.Process.Signal(syscall.SIGTERM))
	clients.Wait()
	err := c.ended()
	t.check(err == nil, "the program ended with %v: %s", err, c.log.String())
	t.measure("64 requests under way, %d answered whole, %d broken", answered.Load(), broken.Load())
}

func getFrom(t *trial, client *http.Client, url string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(t.ctx, "GET", url, nil)
	t.must(err)
	return client.Do(r)
}

// fewFiles connects more often than the process may open files.
func fewFiles(t *trial) {
	c := startChild(t, "few files")
	addr := strings.TrimPrefix(c.url, "http://")
	kept := newClient(1)
	defer kept.CloseIdleConnections()
	ok := func(client *http.Client) bool {
		client.Timeout = time.Second
		res, err := getFrom(t, client, c.url+"/api/v1/fine")
		if err != nil {
			return false
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode == 200
	}
	t.check(ok(kept), "it does not answer at first")
	var conns []net.Conn
	for range 300 {
		if conn, err := connect(addr); err == nil {
			conns = append(conns, conn)
		}
	}
	t.sleep(time.Second)
	served := 0
	for range 50 {
		if ok(kept) {
			served++
		}
	}
	t.check(served == 50, "%d of 50 requests over the open connection were answered", served)
	for _, conn := range conns {
		_ = conn.Close()
	}
	back := t.within(2*time.Second, "new connections are served", func() bool {
		fresh := newClient(1)
		defer fresh.CloseIdleConnections()
		return ok(fresh)
	})
	lines := len(c.log.with("accept"))
	t.check(lines < 100, "%d lines in the log", lines)
	t.must(c.Process.Signal(syscall.SIGTERM))
	err := c.ended()
	t.check(err == nil, "the program ended with %v: %s", err, c.log.String())
	t.measure("64 files, %d connections: %d of 50 requests over an open one answered, new ones %s after the end, %d lines in the log", len(conns), served, ms(back), lines)
}

// panics asks a program for each of its parts that panic.
func panics(format string) func(t *trial) {
	return func(t *trial) {
		c := startChild(t, "panics", format)
		client := newClient(8)
		defer client.CloseIdleConnections()
		got := map[string]int{}
		for round := range pick(t, 3, 30) {
			for _, part := range panicking {
				r, err := http.NewRequestWithContext(t.ctx, "GET", c.url+"/api/v1/"+part.name, nil)
				t.must(err)
				if part.method != "" {
					r.Method = part.method
				}
				if part.name == "authorization" || part.name == "lookup" {
					r.Header.Set("Authorization", "Bearer x")
				}
				res, err := client.Do(r)
				if err != nil {
					got["cut"]++
					t.check(part.status == 0, "%s, round %d: %v", part.name, round, err)
					continue
				}
				text, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil {
					got["cut"]++
					t.check(part.status == 0, "%s, round %d: %v", part.name, round, err)
					continue
				}
				got[fmt.Sprint(res.StatusCode)]++
				t.check(res.StatusCode == part.status, "%s, round %d: answered %s %.200q", part.name, round, res.Status, text)
				t.check(!bytes.Contains(text, []byte("kaboom")) && !bytes.Contains(text, []byte("goroutine")), "%s: the cause is shown: %.200q", part.name, text)
				if res.StatusCode >= 500 {
					own := format
					if part.name == "errorhandler" || part.name == "errorhandler-nil" {
						own = "default"
					}
					t.check(inFormat(own, res, text), "%s: not as %s: %s %.200q", part.name, own, res.Header.Get("Content-Type"), text)
				}
			}
			alive, err := getFrom(t, client, c.url+"/api/v1/fine")
			if t.check(err == nil && alive.StatusCode == 200, "round %d: the process does not answer: %v\n%.3000s", round, err, c.log.String()) {
				_ = alive.Body.Close()
			} else {
				return
			}
		}
		t.measure("%d parts that panic: %s", len(panicking), counts(got))
		t.measure("%d causes in the log", len(c.log.with("kaboom")))
		ctx, cancel := context.WithTimeout(t.ctx, 5*time.Second)
		defer cancel()
		t.must(c.Process.Signal(syscall.SIGTERM))
		done := make(chan error, 1)
		go func() { done <- c.ended() }()
		select {
		case err := <-done:
			t.check(err == nil, "the process ended with %v: %.2000s", err, c.log.String())
		case <-ctx.Done():
			t.check(false, "the process did not stop")
		}
	}
}

func inFormat(format string, res *http.Response, text []byte) bool {
	var answer map[string]any
	if json.Unmarshal(text, &answer) != nil {
		return false
	}
	if format == "problem" {
		return res.Header.Get("Content-Type") == "application/problem+json" && answer["status"] == float64(res.StatusCode)
	}
	return strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") && answer["status"] == "error"
}
