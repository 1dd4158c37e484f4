package ratelimit_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// mapStore is the smallest KeyValue: a map with lifetimes.
type mapStore struct {
	mu      sync.Mutex
	entries map[string]mapEntry
	loadErr error
	saveErr error
	saves   int
}

type mapEntry struct {
	state   ratelimit.State
	expires time.Time
}

func newMapStore() *mapStore { return &mapStore{entries: map[string]mapEntry{}} }

func (m *mapStore) Load(_ context.Context, key string, now time.Time) (ratelimit.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, known := m.entries[key]
	if !known || !now.Before(e.expires) {
		return ratelimit.State{}, m.loadErr
	}
	return e.state, m.loadErr
}

func (m *mapStore) Save(_ context.Context, key string, s ratelimit.State, ttl time.Duration, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[key] = mapEntry{s, now.Add(ttl)}
	m.saves++
	return m.saveErr
}

func TestAKeyValueServesEveryAlgorithm(t *testing.T) { // RL-220
	for _, algorithm := range []ratelimit.Algorithm{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		store, clock := newMapStore(), newHeldClock()
		l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: algorithm, Limit: 2, Interval: time.Minute, Storage: ratelimit.FromKeyValue(store, ratelimit.KeyValueOptions{})}, ratelimit.Options{Clock: clock})
		require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted) // RL-222: an unknown key is no state
		require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
		refused := consume(t, l, from("192.0.2.1"))[0]
		require.False(t, refused.Accepted)
		require.Equal(t, 2, store.saves) // RL-252
		require.Contains(t, store.entries, "perIp:ip:192.0.2.1:"+algorithm.Name()+":60")
		clock.Advance(refused.RetryAfter)
		require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
	}
}

func TestTheTimeComesWithTheCall(t *testing.T) { // RL-221
	var loaded, saved time.Time
	store := storeFuncs{
		load: func(now time.Time) (ratelimit.State, error) { loaded = now; return ratelimit.State{}, nil },
		save: func(ttl time.Duration, now time.Time) error { saved = now.Add(ttl); return nil },
	}
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: ratelimit.FixedWindow, Limit: 2, Interval: time.Minute, Storage: ratelimit.FromKeyValue(store, ratelimit.KeyValueOptions{})}, ratelimit.Options{Clock: newHeldClock()})
	require.EqualValues(t, 1, consume(t, l, from("192.0.2.1"))[0].Remaining)
	require.EqualValues(t, 1, consume(t, l, from("192.0.2.1"))[0].Remaining, "what keeps nothing lets everything pass") // RL-143
	require.True(t, noon.Equal(loaded))
	require.True(t, noon.Add(time.Minute).Equal(saved))
}

type storeFuncs struct {
	load func(now time.Time) (ratelimit.State, error)
	save func(ttl time.Duration, now time.Time) error
}

func (s storeFuncs) Load(_ context.Context, _ string, now time.Time) (ratelimit.State, error) {
	return s.load(now)
}

func (s storeFuncs) Save(_ context.Context, _ string, _ ratelimit.State, ttl time.Duration, now time.Time) error {
	return s.save(ttl, now)
}

func TestErrorsOfAKeyValue(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name       string
		ctx        context.Context
		load, save error
		is, not    error
	}{
		{"a read that fails is an outage", t.Context(), sql.ErrConnDone, nil, ratelimit.ErrUnavailable, ratelimit.ErrBug},                // RL-224, RL-231
		{"a write that fails is an outage", t.Context(), nil, sql.ErrConnDone, ratelimit.ErrUnavailable, ratelimit.ErrBug},               // RL-224, RL-230
		{"so is one that says so", t.Context(), ratelimit.Unavailable(sql.ErrConnDone), nil, ratelimit.ErrUnavailable, ratelimit.ErrBug}, // RL-233
		{"a bug is none", t.Context(), ratelimit.Bug(errors.New("bad state")), nil, ratelimit.ErrBug, ratelimit.ErrUnavailable},          // RL-225
		{"nor is the end of the request", ended, context.Canceled, nil, context.Canceled, ratelimit.ErrUnavailable},                      // RL-185
	} {
		t.Run(tc.name, func(t *testing.T) {
			store := newMapStore()
			store.loadErr, store.saveErr = tc.load, tc.save
			_, err := ratelimit.FromKeyValue(store, ratelimit.KeyValueOptions{}).Consume(tc.ctx, []byte("x:y"), ratelimit.FixedWindow, ratelimit.Take{Limit: 1, Cost: 1, Interval: 1e6})
			require.ErrorIs(t, err, tc.is)
			require.NotErrorIs(t, err, tc.not)
		})
	}
	_, err := ratelimit.FromKeyValue(newMapStore(), ratelimit.KeyValueOptions{}).Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, ratelimit.Take{Cost: 1})
	require.ErrorContains(t, err, "take out of range")
	require.NotErrorIs(t, err, ratelimit.ErrUnavailable)
	require.EqualError(t, ratelimit.Policy{Limit: 1, Interval: time.Second, Storage: ratelimit.FromKeyValue(nil, ratelimit.KeyValueOptions{})}.Validate(), "storage: FromKeyValue has no KeyValue")
}

func TestALockMakesAKeyValueExact(t *testing.T) { // RL-227
	var mu sync.Mutex
	lock := func(context.Context, string) (func(), error) { mu.Lock(); return mu.Unlock, nil }
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 50, Interval: time.Hour, Storage: ratelimit.FromKeyValue(newMapStore(), ratelimit.KeyValueOptions{Lock: lock})},
		ratelimit.Options{Clock: newHeldClock(), Budget: time.Minute})
	var accepted atomic.Int64
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 20 {
				results, err := l.Consume(t.Context(), from("192.0.2.1"), 1, nil)
				if err != nil || len(results) != 1 {
					t.Errorf("results %v, error %v", results, err)
				} else if results[0].Accepted {
					accepted.Add(1)
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 50, accepted.Load())

	down := errors.New("lock server")
	failing := ratelimit.FromKeyValue(newMapStore(), ratelimit.KeyValueOptions{Lock: func(context.Context, string) (func(), error) { return nil, down }})
	_, err := failing.Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, ratelimit.Take{Limit: 1, Cost: 1, Interval: 1e6})
	require.ErrorIs(t, err, ratelimit.ErrUnavailable)
	require.ErrorIs(t, err, down)
}

func TestALockWithoutUnlockIsABug(t *testing.T) {
	store := newMapStore()
	lock := func(context.Context, string) (func(), error) { return nil, nil }
	_, err := ratelimit.FromKeyValue(store, ratelimit.KeyValueOptions{Lock: lock}).Consume(t.Context(), []byte("x:y"), ratelimit.FixedWindow, oneTake)
	require.ErrorIs(t, err, ratelimit.ErrBug)
	require.NotErrorIs(t, err, ratelimit.ErrUnavailable)
	require.Zero(t, store.saves, "nothing is counted")
}
