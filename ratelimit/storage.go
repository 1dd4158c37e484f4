package ratelimit

import (
	"context"
	"errors"
	"fmt"
)

// A Storage keeps the counters and lets an [Algorithm] decide on them.
//
// An implementation must
//   - be safe for concurrent use, and atomic: of two calls for one counter, the
//     second sees what the first has saved;
//   - keep counters of different keys, algorithm names and intervals apart;
//   - give Step the zero State for a counter it does not know or whose lifetime
//     has passed, and save a state only when the Outcome's TTL is positive;
//   - not keep key, which is valid until Consume returns;
//   - return [Unavailable] when it cannot be reached, and nothing else so: only
//     that fails open. The context's own end is returned as it is;
//   - not take contention for an outage, or a crowd on one counter would switch
//     its limit off. A call that others get in the way of waits or tries again
//     while its context lasts, or at least for seconds.
//
// The time comes with the call, in Take.Now; a storage reads no clock to decide.
type Storage interface {
	// Consume decides one request for the counter key, which has the form
	// "policy:key". A Take outside its ranges is a programming error.
	Consume(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error)
}

// ErrUnavailable is the error of a storage that cannot be reached at the
// moment: the one kind of error that a policy may let pass ([FailOpen]).
var ErrUnavailable = errors.New("ratelimit: storage unavailable")

// Unavailable marks err as the outage of a storage, so that
// errors.Is(err, ErrUnavailable) holds. The cause stays reachable. A nil err is
// an outage without a cause.
func Unavailable(err error) error {
	if err == nil {
		return ErrUnavailable
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// ErrLost is what [Lost] marks errors with.
var ErrLost = errors.New("ratelimit: the answer of the storage is lost")

// Lost marks an outage after which nobody knows what was decided: the request
// has gone out and its answer never came. The error is [Unavailable], too. Of a
// [BatchStorage] it covers all items without a decision, and none of them is
// asked again: some may have been charged.
func Lost(err error) error {
	if err == nil {
		return fmt.Errorf("%w: %w", ErrLost, ErrUnavailable)
	}
	return fmt.Errorf("%w: %w", ErrLost, Unavailable(err))
}

// Validate refuses what no algorithm can decide. Storages call it before Step.
func (t Take) Validate() error {
	if t.inRange() {
		return nil
	}
	return fmt.Errorf("ratelimit: take out of range: limit %d, cost %d, interval %d µs, now %d µs", t.Limit, t.Cost, t.Interval, t.Now)
}

func (t *Take) inRange() bool {
	return t.Limit >= 1 && t.Limit <= MaxLimit && t.Cost >= 0 &&
		t.Interval >= minInterval && t.Interval <= maxInterval && t.Now >= 0 && t.Now <= maxTime
}
