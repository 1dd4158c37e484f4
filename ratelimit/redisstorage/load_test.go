package redisstorage_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// load is many requests for one counter.
type load struct {
	admitted, failed atomic.Int64
	stop             func() int64
	t                *testing.T
}

// callers is how many requests of a load are on their way at a time.
const callers = 8

func (l *load) end() int64 { return l.stop() }

func (l *load) waitFor(admitted int64) {
	l.t.Helper()
	waitUntil(l.t, func() bool { return l.admitted.Load() >= admitted })
}

func startLoad(t *testing.T, s ratelimit.Storage, limit int64) *load {
	t.Helper()
	l := &load{t: t}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for ctx.Err() == nil {
				d, err := s.Consume(context.Background(), []byte("p:k"), ratelimit.SlidingWindow, take(limit, 1))
				switch {
				case err == nil && d.Accepted:
					l.admitted.Add(1)
				case err != nil && !errors.Is(err, ratelimit.ErrUnavailable):
					t.Error(err)
				case err != nil:
					l.failed.Add(1)
				}
			}
		})
	}
	l.stop = sync.OnceValue(func() int64 {
		cancel()
		all.Wait()
		return l.admitted.Load()
	})
	t.Cleanup(func() { l.stop() })
	return l
}
