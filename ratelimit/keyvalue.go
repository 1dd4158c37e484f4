package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// KeyValue is all that a storage of one's own needs to have for every algorithm
// to work on it, see [FromKeyValue].
//
// An implementation must
//   - be safe for concurrent use;
//   - return when its context ends: it carries the budget of the gate;
//   - return the zero State and no error for a key that it does not know or
//     whose lifetime has passed. A failed read is an error, not a miss;
//   - keep a state for at least its lifetime. The key is text of any bytes, up
//     to 512 of them;
//   - mark with [Bug] what is a fault of the program. Every other error is an
//     outage and lets requests pass as the policy's OnStorageFailure says.
//
// The time comes with the call; a KeyValue reads no clock.
type KeyValue interface {
	Load(ctx context.Context, key string, now time.Time) (State, error)
	Save(ctx context.Context, key string, s State, ttl time.Duration, now time.Time) error
}

// KeyValueOptions make a [KeyValue] exact.
type KeyValueOptions struct {
	// Lock excludes everybody else from the counter until unlock is called. It
	// waits no longer than the context lasts. Its errors are those of a KeyValue;
	// neither an error nor an unlock is a [Bug]. nil: there is no lock, so
	// requests at the same time can read the same state and all be admitted.
	Lock func(ctx context.Context, key string) (unlock func(), err error)
}

// FromKeyValue is the [Storage] that loads a state, lets the algorithm decide,
// and saves what has changed. Without a Lock it is not exact under concurrency.
// A storage that can compare and swap does better as a Storage of its own.
func FromKeyValue(kv KeyValue, o KeyValueOptions) Storage { return &keyValueStorage{kv, o.Lock} }

type keyValueStorage struct {
	kv   KeyValue
	lock func(ctx context.Context, key string) (unlock func(), err error)
}

// Validate refuses a missing KeyValue and passes on the mistakes of one that
// knows its own.
func (s *keyValueStorage) Validate() error {
	if s.kv == nil {
		return errors.New("FromKeyValue has no KeyValue")
	}
	return part.Validate("key-value store", s.kv)
}

func (s *keyValueStorage) Consume(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error) {
	if err := t.Validate(); err != nil {
		return Decision{}, err
	}
	name := CounterName(key, a, t)
	if s.lock != nil {
		unlock, err := s.lock(ctx, name)
		if err != nil {
			return Decision{}, outage(ctx, "lock", err)
		}
		if unlock == nil {
			return Decision{}, Bug(errors.New("the lock returned nothing to unlock it"))
		}
		defer unlock()
	}
	now := time.UnixMicro(t.Now)
	state, err := s.kv.Load(ctx, name, now)
	if err != nil {
		return Decision{}, outage(ctx, "load", err)
	}
	o := a.Step(state, t)
	if o.TTL > 0 {
		if err := s.kv.Save(ctx, name, o.State, fromMicros(o.TTL), now); err != nil {
			return Decision{}, outage(ctx, "save", err)
		}
	}
	return o.Decision, nil
}

// outage marks the error of a store, unless it is the context's end or a fault
// of the program.
func outage(ctx context.Context, what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	if errors.Is(err, ErrBug) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	return Unavailable(err)
}

// CounterName is the name under which a storage outside the process keeps a
// counter: key ":" algorithm ":" interval in seconds. It keeps counters of
// different algorithms and intervals apart, so a policy that changes its
// algorithm starts afresh instead of reading the state of another one.
func CounterName(key []byte, a Algorithm, t Take) string {
	name := make([]byte, 0, len(key)+32)
	name = append(append(append(append(name, key...), ':'), a.Name()...), ':')
	return string(strconv.AppendInt(name, t.Interval/minInterval, 10))
}

// ErrBug is what [Bug] marks errors with.
var ErrBug = errors.New("ratelimit: a fault of the program")

// Bug marks err as a fault of the program: it is answered 500 and never taken
// for an outage. errors.Is(err, ErrBug) holds.
func Bug(err error) error {
	if err == nil {
		return ErrBug
	}
	return fmt.Errorf("%w: %w", ErrBug, err)
}
