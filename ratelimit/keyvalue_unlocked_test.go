package ratelimit_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// meetingStore lets the first two loads end only when both have begun.
type meetingStore struct {
	*mapStore
	mu    sync.Mutex
	loads int
	met   chan struct{}
}

func (s *meetingStore) Load(ctx context.Context, key string, now time.Time) (ratelimit.State, error) {
	state, err := s.mapStore.Load(ctx, key, now)
	s.mu.Lock()
	if s.loads++; s.loads == 2 {
		close(s.met)
	}
	s.mu.Unlock()
	select {
	case <-s.met:
		return state, err
	case <-ctx.Done():
		return state, ctx.Err()
	}
}

func TestWithoutALockAKeyValueCanAdmitTooMany(t *testing.T) {
	store := &meetingStore{mapStore: newMapStore(), met: make(chan struct{})}
	storage := ratelimit.FromKeyValue(store, ratelimit.KeyValueOptions{})
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Hour, Storage: storage},
		ratelimit.Options{Clock: newHeldClock(), Budget: time.Minute})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			results, err := l.Consume(t.Context(), from("192.0.2.1"), 1, nil)
			if err != nil || len(results) != 1 || !results[0].Accepted { // RL-226: two of a limit of one
				t.Errorf("results %v, error %v", results, err)
			}
		})
	}
	group.Wait()
	require.False(t, consume(t, l, from("192.0.2.1"))[0].Accepted, "what was saved counts")
}
