package storagetest

import (
	"context"
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// withRoom has so many counters and forgets the oldest one for a new one.
func withRoom(most int) func() ratelimit.Storage {
	return func() ratelimit.Storage {
		s := newStore()
		var names []string
		s.name = func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string {
			name := ratelimit.CounterName(key, a, t)
			if _, known := s.entries[name]; !known {
				names = append(names, name)
			}
			if len(names) > most {
				delete(s.entries, names[0])
				names = names[1:]
			}
			return name
		}
		return s
	}
}

// copying answers with the nth decision for all items behind it.
func copying(n int) func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	return func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
		all, err := inOrder(one, items, nil)
		for i := n; i < len(all); i++ {
			all[i] = all[n-1]
		}
		return append(dst, all...), err
	}
}

// withPool answers so when more than most requests are inside of it.
func withPool(most int, d ratelimit.Decision, err error) func() ratelimit.Storage {
	return around(func(inner ratelimit.Storage) consumeFunc {
		inside := make(chan struct{}, most)
		return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
			select {
			case inside <- struct{}{}:
				defer func() { <-inside }()
				return inner.Consume(ctx, key, a, t)
			default:
				return d, err
			}
		}
	})
}

// waitingForEver keeps a lock that nobody stops waiting for.
func waitingForEver() ratelimit.Storage {
	var mu sync.Mutex
	inner := newStore()
	return consumeFunc(func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
		mu.Lock()
		defer mu.Unlock()
		return inner.Consume(ctx, key, a, t)
	})
}

// handle is a storage whose lock is its own, and whose counters are not.
type handle struct {
	consumeFunc
	shared ratelimit.Storage
}

func newHandle(shared ratelimit.Storage) ratelimit.Storage {
	var mu sync.Mutex
	return handle{func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
		mu.Lock()
		defer mu.Unlock()
		return shared.Consume(ctx, key, a, t)
	}, shared}
}

// swapping compares and swaps, and gives up after so many attempts.
type swapping struct {
	mu       sync.Mutex
	entries  map[string]entry
	attempts int
}

func newSwapping(attempts int) *swapping {
	return &swapping{entries: map[string]entry{}, attempts: attempts}
}

func (s *swapping) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	if err := t.Validate(); err != nil {
		return ratelimit.Decision{}, err
	}
	name := ratelimit.CounterName(key, a, t)
	for range s.attempts {
		if ctx.Err() != nil {
			return ratelimit.Decision{}, ctx.Err()
		}
		old := s.load(name)
		state := old.state
		if t.Now >= old.expires {
			state = ratelimit.State{}
		}
		o := a.Step(state, t)
		if o.TTL == 0 || s.swap(name, old, entry{o.State, t.Now + o.TTL}) {
			return o.Decision, nil
		}
	}
	return ratelimit.Decision{}, ratelimit.Unavailable(nil)
}

func (s *swapping) load(name string) entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.entries[name]
}

func (s *swapping) swap(name string, old, e entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[name] != old {
		return false
	}
	s.entries[name] = e
	return true
}
