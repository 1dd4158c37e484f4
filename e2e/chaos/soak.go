package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/goleak"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

var soakScenarios = []scenario{
	{name: "process/soak", promise: "heap and goroutines are flat under mixed traffic, and nothing is left at the end (goleak)", bound: 4 * time.Minute, run: soak},
}

// state is what the program under test tells of itself.
type state struct {
	Heap       uint64
	Goroutines int
	Counters   int
}

// soakProgram has a bit of everything.
func soakProgram() {
	memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: 20_000})
	c := sallyport.Config{
		ErrorHandler: errorhandler.ProblemDetails{},
		IPDetector:   ipdetector.NewTrustedProxies("X-Forwarded-For", "127.0.0.1"),
		RateLimiting: ratelimit.Options{Storage: memory},
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 1000, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 50, Interval: time.Second, Key: ratelimit.Identity},
		},
		Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
	}
	d := sallyport.NewApiDecider(c)
	d.AddApi(api.GET("1", "open"), fine, auth.None())
	d.AddApi(api.GET("1", "mine"), fine, auth.Bearer(auth.StaticTokens{"a-token": "*"}), ratelimit.Named("perIp", "perUser"))
	d.AddApi(api.POST("1", "numbers"), handler.Typed(func(_ context.Context, in numbers) (numbers, error) { return in, nil }), auth.None())
	d.AddApi(api.GET("1", "panic"), handler.Func(func(context.Context, *api.Request) (api.Response, error) { panic("kaboom") }), auth.None())
	d.AddApi(api.GET("1", "events"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		return api.Events(func(ctx context.Context, send func(api.Event) error) error {
			for ctx.Err() == nil {
				if err := send(api.Event{Data: "x"}); err != nil {
					return err
				}
				select {
				case <-ctx.Done():
				case <-time.After(50 * time.Millisecond):
				}
			}
			return nil
		}), nil
	}), auth.None())
	d.AddApi(api.GET("1", "state"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return api.JSON(200, state{m.HeapAlloc, runtime.NumGoroutine(), memory.Stats().Counters}), nil
	}), auth.None(), ratelimit.Off)
	p, err := sallyport.NewPresenter(d)
	exit(err)
	before := goleak.IgnoreCurrent()
	exit(serveChild(p))
	// The parent's pipe and the signals are those of this program, not of the product.
	exit(goleak.Find(before, goleak.IgnoreAnyFunction("os/signal.loop"), goleak.IgnoreAnyFunction("io.Copy")))
}

func soak(t *trial) {
	c := startChild(t, "soak")
	client := newClient(16)
	ask := func() (s state) {
		res, err := getFrom(t, client, c.url+"/api/v1/state")
		t.must(err)
		defer func() { _ = res.Body.Close() }()
		t.must(json.NewDecoder(res.Body).Decode(&s))
		return s
	}
	lasts := pick(t, 20*time.Second, 30*time.Minute)
	deadline := time.Now().Add(lasts)
	var requests atomic.Int64
	var clients sync.WaitGroup
	stop := make(chan struct{})
	var once sync.Once
	end := func() { once.Do(func() { close(stop) }); clients.Wait() }
	t.Cleanup(end)
	for i := range 8 {
		clients.Go(func() {
			soakClient(c.url, i, stop, &requests)
		})
	}
	// A quarter of the time is for caches and pools to fill.
	t.sleep(lasts / 4)
	var heaps []uint64
	var goroutines []int
	for time.Now().Before(deadline) {
		s := ask()
		heaps, goroutines = append(heaps, s.Heap), append(goroutines, s.Goroutines)
		t.sleep(lasts / 40)
	}
	end()
	client.CloseIdleConnections()
	t.sleep(500 * time.Millisecond)
	last := ask()
	third := len(heaps) / 3
	early, lateHeap := average(heaps[:third]), average(heaps[len(heaps)-third:])
	t.check(lateHeap <= early*1.1+1<<20, "the heap grew from %s to %s", mib(int64(early)), mib(int64(lateHeap)))
	g, l := average(goroutines[:third]), average(goroutines[len(goroutines)-third:])
	t.check(l <= g*1.2+10, "goroutines grew from %.0f to %.0f", g, l)
	t.check(last.Goroutines <= 12, "%d goroutines are left when all clients are gone", last.Goroutines)
	client.CloseIdleConnections()
	t.must(c.Process.Signal(syscall.SIGTERM))
	err := c.ended()
	t.check(err == nil, "goleak: %v: %.3000s", err, tail(c.log.String(), 3000))
	t.measure("%s, %d requests: heap %s at first, %s at the end; goroutines %.0f and %.0f, %d without clients; %d counters; goleak: %v",
		lasts, requests.Load(), mib(int64(early)), mib(int64(lateHeap)), g, l, last.Goroutines, last.Counters, err == nil)
}

// soakClient does what clients do, well and badly.
func soakClient(url string, i int, stop <-chan struct{}, requests *atomic.Int64) {
	client := protocol(i%2 == 1)
	defer client.CloseIdleConnections()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
		requests.Add(1)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		method, path, body := "GET", "open", ""
		switch n % 10 {
		case 1, 2:
			path = "mine"
		case 3:
			method, path, body = "POST", "numbers", `{"n":1,"list":[1,2,3],"any":{"a":[1,2]}}`
		case 4:
			method, path, body = "POST", "numbers", `{"n":"x"`
		case 5:
			path = "panic"
		case 6: // leaves in the middle
			path = "events"
			cancel()
			ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
		case 7:
			path = "nothing/here"
		case 8: // a connection that says half of something
			cut(url)
		}
		r, err := http.NewRequestWithContext(ctx, method, url+"/api/v1/"+path, strings.NewReader(body))
		if err == nil {
			r.Header.Set("X-Forwarded-For", fmt.Sprintf("2001:db8:%x:%x::1", i, n%60_000))
			r.Header.Set("Authorization", "Bearer a-token")
			if body != "" {
				r.Header.Set("Content-Type", "application/json")
			}
			if res, err := client.Do(r); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}
		cancel()
	}
}

// cut opens a connection and closes it in the middle of a request.
func cut(url string) {
	c, err := connect(strings.TrimPrefix(url, "http://"))
	if err != nil {
		return
	}
	_, _ = io.WriteString(c, "POST /api/v1/numbers HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"n\":")
	_ = c.Close()
}

func average[T uint64 | int](values []T) float64 {
	var sum float64
	for _, v := range values {
		sum += float64(v)
	}
	return sum / float64(max(len(values), 1))
}

func tail(s string, n int) string { return s[max(len(s)-n, 0):] }
