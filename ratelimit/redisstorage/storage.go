package redisstorage

import (
	"context"
	"fmt"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Storage keeps counters in Redis. It is a [ratelimit.BatchStorage], safe for
// concurrent use.
//
// A counter is one key, prefix + "{policy:key}:algorithm:seconds", that expires
// when it no longer matters to the server that has answered last. To a server
// whose clock is behind it matters for longer, so a limit is exact up to the skew
// of the servers' clocks.
//
// While Redis cannot be reached all calls fail at once but one in a second.
type Storage struct {
	client    *goRedis  // or nil
	evaluator Evaluator // where there is no client
	prefix    string
	together  bool // all limits of a gate in one call
	timeout   time.Duration
	scripts   scripts
	breakers  breakers
	denied    alarm
	mistakes  []error
	close     func() error

	// closeSilent closes what has not answered since then, if anything. nil: the
	// connections are somebody else's.
	closeSilent func(since time.Time) (closed bool)
}

var (
	_ ratelimit.BatchStorage = (*Storage)(nil)
	_ ratelimit.Preparer     = (*Storage)(nil)
)

// Close closes the client that [Open] has made. It does nothing to others, and
// nothing when it is called again.
func (s *Storage) Close() error {
	if s.close == nil {
		return nil
	}
	return s.close()
}

// Prepare writes the script of a group of limits. An algorithm that Redis cannot
// run is an error.
func (s *Storage) Prepare(algorithms []ratelimit.Algorithm) error {
	items := make([]ratelimit.Item, len(algorithms))
	for i, a := range algorithms {
		items[i].Algorithm = a
	}
	if !s.together {
		for i := range items {
			if _, _, err := s.scripts.of(items[i:i+1], nil); err != nil {
				return fmt.Errorf("redisstorage: %w", err)
			}
		}
		return nil
	}
	if _, _, err := s.scripts.of(items, nil); err != nil {
		return fmt.Errorf("redisstorage: %w", err)
	}
	return nil
}

// Consume decides one request.
func (s *Storage) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	var room [1]ratelimit.Decision
	decisions, err := s.call(ctx, []ratelimit.Item{{Key: key, Algorithm: a, Take: t}}, room[:0], ratelimit.Lost)
	if err != nil {
		return ratelimit.Decision{}, err
	}
	return decisions[0], nil
}

// ConsumeAll decides the items in one call, or one by one where they may be on
// different servers. There a lost answer is about one item, and the rest can be
// asked: no error is a [ratelimit.Lost].
func (s *Storage) ConsumeAll(ctx context.Context, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	if s.together {
		return s.call(ctx, items, dst, ratelimit.Lost)
	}
	for i := range items {
		var err error
		if dst, err = s.call(ctx, items[i:i+1], dst, ratelimit.Unavailable); err != nil || !dst[len(dst)-1].Accepted {
			return dst, err
		}
	}
	return dst, nil
}

// call asks Redis once. Of items that no algorithm can decide it asks only those
// before. lost marks the error when nobody knows whether the call has counted.
func (s *Storage) call(ctx context.Context, items []ratelimit.Item, dst []ratelimit.Decision, lost func(error) error) ([]ratelimit.Decision, error) {
	var invalid error
	for i := range items {
		if invalid = items[i].Take.Validate(); invalid != nil {
			items = items[:i]
			break
		}
	}
	if len(items) == 0 {
		return dst, invalid
	}
	q, err := s.question(items)
	if err != nil {
		return dst, fmt.Errorf("redisstorage: %w", err)
	}
	reply, err := s.evaluate(ctx, q)
	if err != nil {
		return dst, s.failed(ctx, items, err, lost)
	}
	before := len(dst)
	if dst, err = appendDecisions(dst, reply, items); err != nil {
		return dst, s.failed(ctx, items[len(dst)-before:], err, lost)
	}
	if !dst[len(dst)-1].Accepted {
		return dst, nil
	}
	return dst, invalid
}

// evaluate bounds the call, and makes none while Redis cannot be reached.
func (s *Storage) evaluate(ctx context.Context, q question) (reply any, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := s.breakers.of(q.firstKey())
	trial, err := b.begin()
	if err != nil {
		return nil, err
	}
	told, start := unknown, time.Now()
	defer func() { // after a panic, too
		since := b.end(trial, told, start, err)
		if !since.IsZero() && s.closeSilent != nil && s.closeSilent(since) && !trial {
			b.retryNow()
		}
	}()
	bounded, deadline := ctx, start.Add(s.timeout)
	if sooner, ok := ctx.Deadline(); ok && !sooner.After(deadline) {
		deadline = sooner
	} else {
		var cancel context.CancelFunc
		bounded, cancel = context.WithDeadline(ctx, deadline)
		defer cancel()
	}
	if s.client != nil {
		reply, err = s.client.ask(bounded, q)
	} else {
		keys, args := q.forEvaluator()
		reply, err = s.evaluator.Evaluate(bounded, q.script, keys, args)
	}
	told = reachOf(ctx, err, s.patient(time.Since(start), deadline.Sub(start)))
	return reply, err
}

// leastPatience is what a call has to wait, whatever it was given, before Redis
// gets the blame: what is left of a request's time says nothing.
const leastPatience = 2 * time.Millisecond

// patient tells whether a call that had this much time has used enough of it.
func (s *Storage) patient(waited, given time.Duration) bool {
	return waited >= max(given/2, min(leastPatience, s.timeout/2))
}
