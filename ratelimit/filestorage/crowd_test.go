package filestorage

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// A crowd on one key, with the budget that every gate has, is no outage. In the
// bubble time stands still while somebody works, so that a slow machine has the
// same budget as a fast one: what ends a wait is waiting for nobody.
func TestCrowdOnOneKey(t *testing.T) {
	for _, a := range []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		t.Run(a.Name(), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { crowd(t, a) }) })
	}
}

func crowd(t *testing.T, a ratelimit.BuiltIn) {
	t.Helper()
	s := New(t.TempDir(), Options{})
	var log bytes.Buffer
	l, err := ratelimit.NewLimiter(
		ratelimit.Policy{Name: "all", Limit: 5, Interval: time.Hour, Key: ratelimit.Endpoint, Algorithm: a},
		ratelimit.Options{Storage: s, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	var accepted, refused, passed atomic.Int64
	var group sync.WaitGroup
	start := make(chan struct{})
	for range 3000 {
		group.Go(func() {
			<-start
			results, err := l.Consume(t.Context(), &ratelimit.Context{Endpoint: "here"}, 1, nil)
			switch {
			case err != nil || len(results) != 1:
				passed.Add(1)
			case results[0].Accepted:
				accepted.Add(1)
			default:
				refused.Add(1)
			}
		})
	}
	close(start)
	group.Wait()
	require.Equal(t, []int64{5, 2995, 0}, []int64{accepted.Load(), refused.Load(), passed.Load()})
	require.Empty(t, log.String(), "nothing has failed")
}

// standInLine lets requests come together in the line of one slot, which is that of
// "policy:key", and returns when all stand there.
func standInLine(t *testing.T, s *Storage, requests ...func()) (group *sync.WaitGroup, begin func()) {
	t.Helper()
	l := &fileOf(s).slot.line
	begin = occupy(t, fileOf(s).slot)
	group = &sync.WaitGroup{}
	for i, request := range requests {
		group.Go(request)
		for {
			l.mu.Lock()
			standing := len(l.waiting)
			l.mu.Unlock()
			if standing > i {
				break
			}
			runtime.Gosched()
		}
	}
	return group, begin
}

// counted counts how often a file is put in place.
func counted(s *Storage) *int {
	writes := new(int)
	s.system.rename = func(from, to string) error {
		if info, err := os.Lstat(from); err == nil && info.Mode().IsRegular() {
			*writes++
		}
		return os.Rename(from, to)
	}
	return writes
}

func TestLineIsDecidedInItsOrder(t *testing.T) {
	s := New(t.TempDir(), Options{})
	writes := counted(s)
	locks := 0
	s.system.tryLock = func(f *os.File) error { locks++; return tryLock(f) }
	got := make([]ratelimit.Decision, 20)
	var requests []func()
	for i := range got {
		requests = append(requests, func() {
			got[i], _ = s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
		})
	}
	group, begin := standInLine(t, s, requests...)
	begin()
	group.Wait()
	for i, d := range got {
		require.Equal(t, i < 10, d.Accepted, i)
		require.EqualValues(t, max(0, 9-i), d.Remaining, i)
	}
	require.Equal(t, []int{1, 1}, []int{locks, *writes})
}

// Counters of one slot are written once each, and are kept apart.
func TestLineOfSeveralCounters(t *testing.T) {
	s := New(t.TempDir(), Options{})
	var keys []string
	for i := 0; len(keys) < 3; i++ {
		key := fmt.Sprint("policy:", i)
		if s.counter(ratelimit.CounterName([]byte(key), ratelimit.FixedWindow, take(10))).slot == fileOf(s).slot {
			keys = append(keys, key, key)
		}
	}
	got := make([]int64, len(keys))
	var requests []func()
	for i, key := range keys {
		requests = append(requests, func() { got[i] = ask(t, s, key) })
	}
	writes := counted(s)
	group, begin := standInLine(t, s, requests...)
	begin()
	group.Wait()
	require.Equal(t, []int64{9, 8, 9, 8}, got)
	require.Equal(t, 2, *writes)
}

// panics is an algorithm whose Step does something else than deciding.
type panics struct {
	ratelimit.BuiltIn
	do func()
}

func (p panics) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome {
	p.do()
	return ratelimit.Outcome{}
}

func TestPanicStaysWithItsRequest(t *testing.T) {
	s := New(t.TempDir(), Options{})
	good := func() { ask(t, s, "policy:key") }
	bad := func() {
		defer func() { require.Equal(t, "mine", recover()) }()
		_, _ = s.Consume(t.Context(), []byte("policy:key"), panics{ratelimit.FixedWindow, func() { panic("mine") }}, take(10))
		t.Error("it has not panicked")
	}
	for _, requests := range [][]func(){{bad, good, good}, {good, bad, good}} {
		group, begin := standInLine(t, s, requests...)
		begin()
		group.Wait()
	}
	require.EqualValues(t, 5, ask(t, s, "policy:key"))
}

// An algorithm can end its goroutine, too. Nobody waits for ever then, and
// nothing is answered that was not saved.
func TestStepThatEndsTheGoroutine(t *testing.T) {
	s := New(t.TempDir(), Options{})
	var errs [2]error
	ask := func(i int) func() {
		return func() {
			_, errs[i] = s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
		}
	}
	group, begin := standInLine(t, s, func() {
		_, _ = s.Consume(t.Context(), []byte("policy:key"), panics{ratelimit.FixedWindow, runtime.Goexit}, take(10))
	}, ask(0), ask(1))
	begin()
	group.Wait()
	require.Equal(t, [2]error{errNotDecided, errNotDecided}, errs)
	d, err := s.Consume(t.Context(), []byte("policy:key"), ratelimit.FixedWindow, take(10))
	require.NoError(t, err)
	require.EqualValues(t, 9, d.Remaining)
}
