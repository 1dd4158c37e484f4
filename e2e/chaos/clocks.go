package main

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

var clockScenarios = []scenario{
	jumping("memory", memories), jumping("files", files), jumping("Redis", redises),
	apart("Redis", 5*time.Second, redises), apart("Redis", 5*time.Minute, redises),
	apart("files", 5*time.Second, files), apart("files", 5*time.Minute, files),
}

// storages makes a function that opens the same counters again, as another server
// does.
type storages func(t *trial) func() ratelimit.Storage

func memories(*trial) func() ratelimit.Storage {
	m := ratelimit.NewMemory(ratelimit.MemoryOptions{})
	return func() ratelimit.Storage { return m }
}

func files(t *trial) func() ratelimit.Storage {
	dir := t.TempDir()
	return func() ratelimit.Storage { return filestorage.New(dir, filestorage.Options{}) }
}

func redises(t *trial) func() ratelimit.Storage {
	addr := redistest.Start(t).Addr
	return func() ratelimit.Storage {
		s, err := redisstorage.Open("redis://"+addr, redisstorage.Options{Timeout: 2 * time.Second})
		t.must(err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

var algorithms = []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket}

// skewed is a clock that is off.
type skewed time.Duration

func (s skewed) Now() time.Time { return time.Now().Add(time.Duration(s)) }

// serveLimits serves an endpoint for each algorithm.
func serveLimits(t *trial, s ratelimit.Storage, c ratelimit.Clock, limit int64, interval time.Duration) *site {
	options := ratelimit.Options{Storage: s, Clock: c, Budget: 2 * time.Second}
	return serve(t, sallyport.Server{}, sallyport.Config{RateLimiting: options}, func(d *sallyport.ApiDecider) {
		for _, a := range algorithms {
			d.AddApi(api.GET("1", a.Name()), fine, auth.None(), ratelimit.Policy{Name: "by." + a.Name(), Algorithm: a, Limit: limit, Interval: interval, OnStorageFailure: ratelimit.FailClosed})
		}
	})
}

// spend asks more often than a limit admits; it returns how many passed and the
// wait that the last refusal told.
func (s *site) spend(t *trial, a ratelimit.Algorithm, n int) (passed int, wait time.Duration) {
	for range n {
		res, text := s.ask(t, "/api/v1/"+a.Name())
		switch res.StatusCode {
		case http.StatusOK:
			passed++
		case http.StatusTooManyRequests:
			seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
			t.check(err == nil, "Retry-After: %q", res.Header.Get("Retry-After"))
			wait = time.Duration(seconds) * time.Second
		default:
			t.check(false, "answered %s %s", res.Status, text)
		}
	}
	return passed, wait
}

func jumping(name string, open storages) scenario {
	return scenario{
		name:    "clocks/jumps of 1 h, " + name,
		promise: "a clock that goes back mints no quota and refuses until its time has come; one that goes ahead opens a window, and not more",
		run: func(t *trial) {
			const limit = 20
			begin := time.Now().Truncate(time.Hour).Add(10 * time.Second)
			for _, a := range algorithms {
				clock := newMoved(begin)
				s := serveLimits(t, open(t)(), clock, limit, time.Minute)
				var passed []int
				var waits []string
				step := func(d time.Duration, want int) {
					clock.add(d)
					n, wait := s.spend(t, a, limit+5)
					passed = append(passed, n)
					waits = append(waits, wait.String())
					t.check(n == want, "%s: step %d: %d passed, not %d", a.Name(), len(passed), n, want)
				}
				step(0, limit)
				step(-time.Hour, 0)
				step(time.Hour, 0)
				step(time.Hour, limit)
				step(-time.Hour, 0)
				step(-time.Hour, 0)
				step(2*time.Hour, 0)
				step(2*time.Minute, limit) // long enough for each algorithm
				t.measure("%s: passed %v of %d each, waits told %s", a.Name(), passed, limit+5, strings.Join(slices.Compact(waits), " "))
				t.must(s.end())
			}
		},
	}
}

// apart has two servers count in real time, with clocks that differ.
func apart(name string, skew time.Duration, open storages) scenario {
	return scenario{
		name:    fmt.Sprintf("clocks/two servers %s apart, %s", skew, name),
		promise: "the newest time wins: both together admit the limit in each window, and the skew is worth one window more at most",
		run: func(t *trial) {
			const limit, interval = 20, 2 * time.Second
			again := open(t)
			servers := []*site{
				serveLimits(t, again(), skewed(0), limit, interval),
				serveLimits(t, again(), skewed(skew), limit, interval),
			}
			lasts := pick(t, 8*time.Second, 60*time.Second)
			var mu sync.Mutex
			passed := map[string][2]int{}
			var clients sync.WaitGroup
			begin := time.Now()
			for i, s := range servers {
				for _, a := range algorithms {
					clients.Go(func() {
						tick := time.NewTicker(25 * time.Millisecond)
						defer tick.Stop()
						for time.Since(begin) < lasts {
							n, _ := s.spend(t, a, 1)
							mu.Lock()
							both := passed[a.Name()]
							both[i] += n
							passed[a.Name()] = both
							mu.Unlock()
							<-tick.C
						}
					})
				}
			}
			clients.Wait()
			windows := int(lasts / interval)
			for _, a := range algorithms {
				both := passed[a.Name()]
				total := both[0] + both[1]
				t.check(total <= limit*(windows+2), "%s: %d passed in %d windows of %d", a.Name(), total, windows, limit)
				t.check(total >= limit*(windows-1)/2, "%s: only %d passed in %d windows of %d", a.Name(), total, windows, limit)
				t.measure("%s: %d + %d passed in %s, the limit is %d in %s (%.2f of it)", a.Name(), both[0], both[1], lasts, limit, interval, float64(total)/float64(limit*windows))
			}
		},
	}
}
