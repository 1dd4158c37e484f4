package main

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
)

var floodScenarios = []scenario{
	{name: "floods/memory, sliding window", promise: memoryPromise, run: floodMemory(ratelimit.SlidingWindow)},
	{name: "floods/memory, token bucket", promise: memoryPromise, run: floodMemory(ratelimit.TokenBucket)},
	{name: "floods/memory, all of them refused", promise: "new keys share one counter when every place is taken by a refusal: the cap holds, and nobody gets out of his", run: floodRefused},
	{name: "floods/over HTTP", promise: memoryPromise, run: floodHTTP},
	{name: "floods/files", promise: "files of expired counters are removed by the requests that come: no more files than counters of two intervals", run: floodFiles},
}

const memoryPromise = "counters <= the cap, bytes <= 100 for each, a client that is refused stays refused, no new one is while counters could go for his, evictions are counted"

// moved is a clock that is set by hand.
type moved struct{ nanos atomic.Int64 }

func newMoved(at time.Time) *moved {
	m := &moved{}
	m.nanos.Store(at.UnixNano())
	return m
}

func (m *moved) Now() time.Time      { return time.Unix(0, m.nanos.Load()) }
func (m *moved) add(d time.Duration) { m.nanos.Add(int64(d)) }

// from is a request of the nth /64.
func from(n uint64) *http.Request {
	var a [16]byte
	a[0], a[1] = 0x20, 0x01
	binary.BigEndian.PutUint64(a[:8], 0x2001_0db8_0000_0000+n)
	binary.BigEndian.PutUint64(a[8:], n*0x9e3779b97f4a7c15) // anybody in it
	return &http.Request{RemoteAddr: netip.AddrPortFrom(netip.AddrFrom16(a), 4000).String()}
}

// client asks a limiter as the nth client.
func ask(t *trial, l ratelimit.Limiter, n uint64) bool {
	rc := &ratelimit.Context{Request: from(n), Detector: ipdetector.RemoteAddr{}}
	var space [1]ratelimit.Result
	results, err := l.Consume(t.ctx, rc, 1, space[:0])
	if err != nil {
		t.must(err)
	}
	return len(results) == 1 && ratelimit.Refused(results) == nil
}

func floodMemory(a ratelimit.Algorithm) func(t *trial) {
	return func(t *trial) {
		const maxCounters, limit = 100_000, 10
		keys := pick[uint64](t, 2_000_000, 20_000_000)
		memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: maxCounters})
		l, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perIp", Algorithm: a, Limit: limit, Interval: time.Hour}, ratelimit.Options{Storage: memory, Clock: newMoved(time.Now())})
		t.must(err)
		grown := watchMemory()
		const victims = 1000
		passed := 0
		for n := range uint64(victims) {
			for range limit + 5 {
				if ask(t, l, n) {
					passed++
				}
			}
		}
		t.check(passed == victims*limit, "%d of %d requests passed before the flood", passed, victims*limit)
		begin := time.Now()
		var most, escaped, asked, worst, innocent atomic.Int64
		var floods sync.WaitGroup
		const each = 2
		for i := range uint64(each) {
			floods.Go(func() {
				for n := victims + i; n < victims+keys; n += each {
					if !ask(t, l, n) {
						innocent.Add(1)
					}
					if n%1000 < each {
						asked.Add(1)
						if ask(t, l, n/1000%victims) {
							escaped.Add(1)
						}
					}
					if n%100_000 < each {
						s := memory.Stats()
						most.Store(max(most.Load(), int64(s.Counters)))
						worst.Store(max(worst.Load(), int64(s.Bytes)))
					}
				}
			})
		}
		floods.Wait()
		took := time.Since(begin)
		s := memory.Stats()
		t.check(most.Load() <= maxCounters, "%d counters", most.Load())
		t.check(worst.Load() <= 100*maxCounters, "%s taken", mib(worst.Load()))
		t.check(escaped.Load() == 0, "%d of %d requests of refused clients passed", escaped.Load(), asked.Load())
		t.check(innocent.Load() == 0, "%d of %d new clients were refused", innocent.Load(), keys)
		t.check(s.Evicted >= keys-2*maxCounters, "%d evictions", s.Evicted)
		g := grown()
		t.check(g < 64<<20, "the heap grew by %s", mib(g))
		t.measure("%d /64 in %.1f s (%d ns each), at most %d counters of %d in %s, heap +%s; %d of %d requests of %d refused clients passed; %d new ones refused; %d evicted, %d decided by a shared counter",
			keys, took.Seconds(), took.Nanoseconds()/int64(keys), most.Load(), maxCounters, mib(worst.Load()), mib(g), escaped.Load(), asked.Load(), victims, innocent.Load(), s.Evicted, s.Overflowed)
	}
}

func floodRefused(t *trial) {
	const maxCounters = 10_000
	memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: maxCounters})
	l, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perIp", Algorithm: ratelimit.FixedWindow, Limit: 1, Interval: time.Hour}, ratelimit.Options{Storage: memory, Clock: newMoved(time.Unix(1_700_000_000, 0))})
	t.must(err)
	keys := pick[uint64](t, 500_000, 5_000_000)
	admitted := 0
	for n := range keys {
		if ask(t, l, n) {
			admitted++
		}
	}
	again := 0
	for n := range uint64(maxCounters / 2) {
		if ask(t, l, n) {
			again++
		}
	}
	s := memory.Stats()
	t.check(again == 0, "%d of the first refused clients passed again", again)
	t.check(s.Counters <= maxCounters && s.Shared <= 1, "%d counters and %d shared", s.Counters, s.Shared)
	t.check(admitted <= maxCounters+1, "%d of %d were admitted", admitted, keys)
	t.check(s.Overflowed > 0, "no request was decided by the shared counter")
	t.measure("%d /64 with one request an hour each: %d admitted, %d of the first %d passed again; %d counters of %d and %d shared; %d decided by it",
		keys, admitted, again, maxCounters/2, s.Counters, maxCounters, s.Shared, s.Overflowed)
}

// floodHTTP comes through a trusted proxy that tells a new /64 with each request.
func floodHTTP(t *trial) {
	const maxCounters, limit, each = 1000, 5, 8
	memory := ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: maxCounters})
	s := serve(t, sallyport.Server{}, sallyport.Config{
		IPDetector:   ipdetector.NewTrustedProxies("X-Forwarded-For", "127.0.0.1"),
		RateLimiting: ratelimit.Options{Storage: memory, Clock: newMoved(time.Now())},
	}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "open"), fine, auth.None(), ratelimit.Policy{Name: "perIp", Limit: limit, Interval: time.Hour})
	})
	from := func(ip string) int {
		res, _ := s.ask(t, "/api/v1/open", "X-Forwarded-For", ip)
		return res.StatusCode
	}
	for range limit {
		t.check(from("192.0.2.1") == 200, "the client is refused too early")
	}
	t.check(from("192.0.2.1") == 429, "the client is not refused")
	n := pick(t, 30_000, 300_000)
	var refused, asked, others atomic.Int64
	most := 0
	var floods sync.WaitGroup
	begin := time.Now()
	for i := range each {
		floods.Go(func() {
			for k := i; k < n; k += each {
				if from(fmt.Sprintf("2001:db8:%x:%x::%x", k>>16, k&0xffff, i)) == 200 {
					others.Add(1)
				}
				if k%200 == i {
					asked.Add(1)
					if from("192.0.2.1") == 429 {
						refused.Add(1)
					}
				}
			}
		})
	}
	floods.Wait()
	most = max(most, memory.Stats().Counters)
	stats := memory.Stats()
	t.check(refused.Load() == asked.Load(), "%d of %d requests of the refused client passed", asked.Load()-refused.Load(), asked.Load())
	t.check(others.Load() == int64(n), "%d of %d new clients were refused", int64(n)-others.Load(), n)
	t.check(most <= maxCounters && stats.Evicted > 0, "%d counters, %d evicted", most, stats.Evicted)
	t.measure("%d /64 in %.1f s, %d served; the refused client refused %d of %d times; %d counters of %d, %d evicted", n, time.Since(begin).Seconds(), others.Load(), refused.Load(), asked.Load(), most, maxCounters, stats.Evicted)
}

func floodFiles(t *trial) {
	dir := t.TempDir()
	clock := newMoved(time.Now())
	var log logBuffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	storage := filestorage.New(dir, filestorage.Options{Logger: logger})
	l, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "perIp", Algorithm: ratelimit.FixedWindow, Limit: 5, Interval: time.Minute, OnStorageFailure: ratelimit.FailClosed},
		ratelimit.Options{Storage: storage, Clock: clock, Logger: logger, Budget: 5 * time.Second})
	t.must(err)
	each := pick[uint64](t, 20_000, 200_000)
	const victims = 10
	most, escaped, asked := 0, 0, 0
	var sizes []int
	begin := time.Now()
	const intervals = 6
	for interval := range uint64(intervals) {
		for n := range uint64(victims) {
			for range 6 {
				ask(t, l, n)
			}
		}
		for n := range each {
			ask(t, l, 1000+interval*each+n)
			if n%100 == 0 {
				asked++
				if ask(t, l, n/100%victims) {
					escaped++
				}
			}
		}
		files, _ := filesIn(t, dir)
		sizes = append(sizes, files)
		most = max(most, files)
		clock.add(2 * time.Minute)
	}
	took := time.Since(begin)
	files, bytes := filesIn(t, dir)
	t.check(most <= int(2*each)+victims+100, "%d files at most", most)
	t.check(escaped == 0, "%d of %d requests of refused clients passed", escaped, asked)
	t.check(len(log.lines) == 0, "there are warnings:\n%.1000s", log.String())
	t.must(storage.Clear(t.ctx))
	left, _ := filesIn(t, dir)
	t.check(left == 0, "%d files are left after Clear", left)
	t.measure("%d new /64 in each of %d intervals, %d µs each: %v files after each, %d bytes in them at the end; %d of %d requests of refused clients passed; %d files after Clear",
		each, intervals, took.Microseconds()/int64(intervals*each), sizes, bytes, escaped, asked, left)
	_ = files
}

// filesIn counts the files of counters.
func filesIn(t *trial, dir string) (files int, bytes int64) {
	t.must(filepath.WalkDir(filepath.Join(dir, "counters"), func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		if info, err := e.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	}))
	return files, bytes
}
