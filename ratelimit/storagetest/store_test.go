package storagetest

import (
	"context"
	"errors"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// store is a simple storage that is right. Its parts can be replaced by wrong
// ones.
type store struct {
	lock    chan struct{} // whoever has put something in has it
	entries map[string]entry

	name  func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string
	gone  func(e entry, t ratelimit.Take) bool
	save  func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry
	apart func() // runs between reading and writing, without the lock; nil: the lock is kept
}

type entry struct {
	state   ratelimit.State
	expires int64
}

func newStore() *store {
	return &store{
		lock:    make(chan struct{}, 1),
		entries: map[string]entry{},
		name:    ratelimit.CounterName,
		gone:    func(e entry, t ratelimit.Take) bool { return t.Now >= e.expires },
		save: func(old, e entry, o ratelimit.Outcome, _ ratelimit.Take) entry {
			if o.TTL > 0 {
				return e
			}
			return old
		},
	}
}

func (s *store) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	if err := t.Validate(); err != nil {
		return ratelimit.Decision{}, err
	}
	name := s.name(key, a, t)
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-ctx.Done():
		return ratelimit.Decision{}, ctx.Err()
	}
	old := s.entries[name]
	state := old.state
	if s.gone(old, t) {
		state = ratelimit.State{}
	}
	o := s.step(a, state, t)
	if e := s.save(old, entry{o.State, t.Now + o.TTL}, o, t); e != old {
		s.entries[name] = e
	}
	return o.Decision, nil
}

func (s *store) step(a ratelimit.Algorithm, state ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	if s.apart != nil {
		<-s.lock
		defer func() { s.lock <- struct{}{} }()
		s.apart()
	}
	return a.Step(state, t)
}

// consumeFunc is a storage that is one function, mostly around another storage.
type consumeFunc func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error)

func (f consumeFunc) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	return f(ctx, key, a, t)
}

// stepFunc is an algorithm whose decisions are made by a function.
type stepFunc struct {
	ratelimit.Algorithm
	step func(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome
}

func (f stepFunc) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome { return f.step(s, t) }

// The kinds of faults.

// withName takes other names for the counters.
func withName(name func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string) func() ratelimit.Storage {
	return func() ratelimit.Storage { s := newStore(); s.name = name; return s }
}

// withKey changes the key.
func withKey(change func(key string) string) func() ratelimit.Storage {
	return withName(func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string {
		return ratelimit.CounterName([]byte(change(string(key))), a, t)
	})
}

// withSave saves something else.
func withSave(save func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry) func() ratelimit.Storage {
	return func() ratelimit.Storage { s := newStore(); s.save = save; return s }
}

// withLifetime changes what is saved, when something is.
func withLifetime(change func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) int64) func() ratelimit.Storage {
	return withSave(func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry {
		if o.TTL == 0 {
			return old
		}
		return entry{e.state, t.Now + change(old, e, o, t)}
	})
}

// withWord changes the words of a state.
func withWord(change func(word int64) int64) func() ratelimit.Storage {
	return withSave(func(old, e entry, o ratelimit.Outcome, _ ratelimit.Take) entry {
		if o.TTL == 0 {
			return old
		}
		for i, word := range e.state {
			e.state[i] = change(word)
		}
		return e
	})
}

// withGap lets others come between reading and writing.
func withGap(apart func()) func() ratelimit.Storage {
	return func() ratelimit.Storage { s := newStore(); s.apart = apart; return s }
}

// around is a storage with something before and behind it. It has memory of its
// own if it wants.
func around(wrap func(inner ratelimit.Storage) consumeFunc) func() ratelimit.Storage {
	return func() ratelimit.Storage { return wrap(newStore()) }
}

// withTake changes what is asked.
func withTake(change func(t ratelimit.Take) ratelimit.Take) func() ratelimit.Storage {
	return around(func(inner ratelimit.Storage) consumeFunc {
		return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
			if err := t.Validate(); err != nil {
				return ratelimit.Decision{}, err
			}
			return inner.Consume(ctx, key, a, change(t))
		}
	})
}

// withAnswer changes what is answered.
func withAnswer(change func(d ratelimit.Decision) ratelimit.Decision) func() ratelimit.Storage {
	return around(func(inner ratelimit.Storage) consumeFunc {
		return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
			d, err := inner.Consume(ctx, key, a, t)
			return change(d), err
		}
	})
}

// withStep changes how one algorithm decides.
func withStep(algorithm ratelimit.BuiltIn, step func(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome) func() ratelimit.Storage {
	return around(func(inner ratelimit.Storage) consumeFunc {
		return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
			if a == algorithm {
				a = stepFunc{a, step}
			}
			return inner.Consume(ctx, key, a, t)
		}
	})
}

// batching is a storage that decides several limits in one go.
type batching struct {
	ratelimit.Storage
	all func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error)
}

func (b batching) ConsumeAll(_ context.Context, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	return b.all(b.Storage, items, dst)
}

// withBatch decides batches in another way.
func withBatch(all func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error)) func() ratelimit.Storage {
	return func() ratelimit.Storage { return batching{newStore(), all} }
}

// inOrder is how a batch is decided.
func inOrder(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	for _, i := range items {
		d, err := one.Consume(context.Background(), i.Key, i.Algorithm, i.Take)
		if err != nil {
			return dst, err
		}
		if dst = append(dst, d); !d.Accepted {
			break
		}
	}
	return dst, nil
}

// toTheEnd decides a batch although something in it is refused.
func toTheEnd(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	for i := range items {
		var err error
		if dst, err = inOrder(one, items[i:i+1], dst); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// picky is a storage that wants to know what it is asked, and refuses all.
type picky struct{ ratelimit.Storage }

func (picky) Prepare([]ratelimit.Algorithm) error { return errors.New("I run nothing") }
