package main

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

// patience is more than any answer takes on a busy machine.
const patience = 10 * time.Second

func TestItIsAStorage(t *testing.T) { // RL-228
	addr, _ := startMemcached(t)
	client, opened := newMemcached(addr, "", patience).client, 0
	open := func(testing.TB) ratelimit.Storage {
		opened++
		return memcached{client, fmt.Sprintf("scenario-%d:", opened)}
	}
	other := newMemcached(addr, "", patience).client
	second := func(_ testing.TB, first ratelimit.Storage) ratelimit.Storage {
		return memcached{other, first.(memcached).prefix}
	}
	storagetest.Run(t, open, storagetest.Options{OwnClock: true, Steps: 1000, Second: second})
	require.NoError(t, client.Close())
	require.NoError(t, other.Close())
}

// meddler does something between the read and the write of a request, the first
// time that it decides.
type meddler struct {
	ratelimit.Algorithm
	once *func()
}

func (m meddler) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	if meddle := *m.once; meddle != nil {
		*m.once = nil
		meddle()
	}
	return m.Algorithm.Step(s, t)
}

func yearly(cost int64) ratelimit.Take {
	return ratelimit.Take{Limit: 10, Cost: cost, Interval: ratelimit.MaxInterval.Microseconds(), Now: time.Now().UnixMicro()}
}

func consume(t *testing.T, m memcached, key string, cost int64) ratelimit.Decision {
	t.Helper()
	d, err := m.Consume(t.Context(), []byte(key), ratelimit.TokenBucket, yearly(cost))
	require.NoError(t, err)
	return d
}

func TestWhatHappensBetweenReadAndWrite(t *testing.T) {
	addr, _ := startMemcached(t)
	m := newMemcached(addr, "", patience)
	remove := func(t *testing.T, key string) {
		t.Helper()
		require.NoError(t, m.client.Delete(m.itemKey(ratelimit.CounterName([]byte(key), ratelimit.TokenBucket, yearly(1)))))
	}
	for name, tc := range map[string]struct {
		before int64 // 0: the counter is new
		meddle func(t *testing.T, key string)
		left   int64
	}{
		"nothing":                   {1, func(*testing.T, string) {}, 8},
		"another is first":          {0, func(t *testing.T, key string) { consume(t, m, key, 3) }, 6},
		"another is faster":         {1, func(t *testing.T, key string) { consume(t, m, key, 3) }, 5},
		"the counter goes":          {1, remove, 9},
		"the counter goes and back": {1, func(t *testing.T, key string) { remove(t, key); consume(t, m, key, 3) }, 6},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.before > 0 {
				consume(t, m, name, tc.before)
			}
			meddle := func() { tc.meddle(t, name) }
			d, err := m.Consume(t.Context(), []byte(name), meddler{ratelimit.TokenBucket, &meddle}, yearly(1))
			require.NoError(t, err)
			require.True(t, d.Accepted)
			require.Equal(t, tc.left, d.Remaining)
			require.Equal(t, tc.left, consume(t, m, name, 0).Remaining)
		})
	}

	ctx, cancel := context.WithCancel(t.Context())
	meddle := func() { consume(t, m, "canceled", 1); cancel() }
	_, err := m.Consume(ctx, []byte("canceled"), meddler{ratelimit.TokenBucket, &meddle}, yearly(1))
	require.Equal(t, context.Canceled, err)
	require.EqualValues(t, 9, consume(t, m, "canceled", 0).Remaining)
}

func TestAnItemOfSomebodyElseIsNone(t *testing.T) {
	addr, _ := startMemcached(t)
	m := newMemcached(addr, "", patience)
	key := m.itemKey(ratelimit.CounterName([]byte("key"), ratelimit.TokenBucket, yearly(1)))
	require.NoError(t, m.client.Set(&memcache.Item{Key: key, Value: []byte("somebody else's")}))
	require.EqualValues(t, 9, consume(t, m, "key", 1).Remaining)
	require.EqualValues(t, 8, consume(t, m, "key", 1).Remaining)
}

func TestOutages(t *testing.T) {
	const broken = "SERVER_ERROR out of memory\r\n"
	for name, answers := range map[string]map[string]string{
		"a read that fails":              {"gets": broken},
		"a read that is not answered":    {"gets": ""},
		"a read that is cut short":       {"gets": "VALUE x 0 24 1\r\n"},
		"a first write that fails":       {"gets": "END\r\n", "add": broken},
		"a later write that fails":       {"gets": "VALUE x 0 1 7\r\nx\r\nEND\r\n", "cas": broken},
		"a write that is not answered":   {"gets": "END\r\n", "add": ""},
		"a write to a read-only replica": {"gets": "END\r\n", "add": "ERROR\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemcached(startFake(t, answers), "", 50*time.Millisecond)
			_, err := m.Consume(t.Context(), []byte("key"), ratelimit.FixedWindow, yearly(1))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		})
	}

	addr, stop := startMemcached(t)
	m := newMemcached(addr, "", patience)
	consume(t, m, "key", 1)
	stop()
	for range 2 { // the connection that is open, and none
		_, err := m.Consume(t.Context(), []byte("key"), ratelimit.FixedWindow, yearly(1))
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
	}
	_, err := m.Consume(t.Context(), []byte("key"), ratelimit.FixedWindow, ratelimit.Take{})
	require.ErrorContains(t, err, "out of range")
	require.NotErrorIs(t, err, ratelimit.ErrUnavailable, "a fault of the program lets nothing pass")
}

func TestExpiration(t *testing.T) {
	const second, day = int64(1_000_000), 24 * 60 * 60 * int64(1_000_000)
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		ttl  int64
		now  time.Time
		want int64
	}{
		"the shortest":              {1000, now, 2},
		"a second":                  {second, now, 2},
		"more than a second":        {second + 1, now, 3},
		"the longest relative one":  {30*day - second, now, 30 * 86_400},
		"the shortest absolute one": {30*day - second + 1, now, now.Unix() + 30*86_400 + 1},
		"two years":                 {732 * day, now, now.Unix() + 732*86_400 + 1},
		"the last second there is":  {31 * day, time.Unix(math.MaxInt32-31*86_400-1, 0), math.MaxInt32},
		"beyond it":                 {31 * day, time.Unix(math.MaxInt32-31*86_400, 0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.EqualValues(t, tc.want, expiration(tc.ttl, tc.now))
		})
	}
}
