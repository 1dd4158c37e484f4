package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// A Limiter decides on requests. Most programs use policies; an own Limiter is
// for what no policy can say.
//
// An implementation must
//   - be safe for concurrent use;
//   - look at rc.Stage: Consume is called at both gates, and a limiter that
//     ignores the stage counts twice;
//   - append one Result per policy that applies in that stage to dst, and return
//     dst as it is when none does. A [Chain] lends an own limiter a dst without
//     results: what the limiters before it have said is none of its business, and
//     all that it returns is taken for its own;
//   - return the results so far beside an error. An error is never failed open:
//     the request is answered 500, and so is a panic, see [PanicError];
//   - refuse a cost below 1 with an error, and answer a cost above the limit
//     with a refusal whose RetryAfter is [Never].
type Limiter interface {
	Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error)
}

// Options are what the limits of a program share. The zero value counts in
// memory, by the system's clock, and warns through slog.Default.
type Options struct {
	// Storage keeps the counters; nil: a [Memory] of its own.
	Storage Storage

	// Clock tells the time; nil: the system's clock. That it was set is noticed
	// within 10 ms.
	Clock Clock

	// Logger gets the warnings; nil: slog.Default.
	Logger *slog.Logger

	// Budget bounds how long one gate may wait for storages outside this
	// process; 0: 50 ms. What is over is an unavailable storage. The deadline of
	// the request cuts it short.
	Budget time.Duration

	// LocalShare is by what a limit is divided while its policy counts by
	// FailLocal: the number of servers, so that together they admit the limit;
	// at least one request each. 0: 1.
	LocalShare int64

	// local counts for FailLocal. The policies of a Set share it.
	local *Memory
}

// DefaultBudget is how long one gate may wait for its storages.
const DefaultBudget = 50 * time.Millisecond

func (o Options) withDefaults() Options {
	if o.Storage == nil {
		o.Storage = NewMemory(MemoryOptions{})
	}
	if o.Clock == nil {
		o.Clock = newSystemClock()
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.LocalShare == 0 {
		o.LocalShare = 1
	}
	o.local = NewMemory(MemoryOptions{})
	return o
}

// Validate reports what is wrong with the options.
func (o Options) Validate() error { return unreported(o.mistakes(checker{})) }

// mistakes can have [errReported] among them.
func (o Options) mistakes(c checker) error {
	var errs []error
	if o.Budget < 0 {
		errs = append(errs, fmt.Errorf("budget %s is negative", o.Budget))
	}
	if o.LocalShare < 0 {
		errs = append(errs, fmt.Errorf("local share %d is negative", o.LocalShare))
	}
	return errors.Join(append(errs, c.part("storage", o.Storage), c.part("clock", o.Clock))...)
}

// NewLimiter makes a policy a [Limiter], for programs without a presenter. The
// name is required. All that is wrong is reported together. The Limiter returns a
// panic of a part as a [PanicError].
func NewLimiter(p Policy, o Options) (Limiter, error) {
	var nameless error
	if p.Name == "" {
		nameless = errors.New("a name is required")
	}
	checked := checker{}
	if err := errors.Join(nameless, p.mistakes(checked), o.mistakes(checked)); err != nil {
		return nil, part.Within(fmt.Sprintf("ratelimit: policy %q", p.Name), unreported(err))
	}
	if p.Limiter != nil {
		return named(p), nil
	}
	l := newPolicyLimiter(p, o.withDefaults())
	if err := l.prepare(); err != nil {
		return nil, part.Within("ratelimit", err)
	}
	return l, nil
}

// NewFixedWindow is [NewLimiter] with the fixed window.
func NewFixedWindow(name string, limit int64, interval time.Duration, key Key, o Options) (Limiter, error) {
	return NewLimiter(Policy{Name: name, Algorithm: FixedWindow, Limit: limit, Interval: interval, Key: key}, o)
}

// NewSlidingWindow is [NewLimiter] with the sliding window.
func NewSlidingWindow(name string, limit int64, interval time.Duration, key Key, o Options) (Limiter, error) {
	return NewLimiter(Policy{Name: name, Algorithm: SlidingWindow, Limit: limit, Interval: interval, Key: key}, o)
}

// NewTokenBucket is [NewLimiter] with the token bucket.
func NewTokenBucket(name string, limit int64, interval time.Duration, key Key, o Options) (Limiter, error) {
	return NewLimiter(Policy{Name: name, Algorithm: TokenBucket, Limit: limit, Interval: interval, Key: key}, o)
}
