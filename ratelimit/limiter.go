package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"
)

// A Limiter decides on requests. Most programs use policies; an own Limiter is
// for what no policy can say.
//
// An implementation must
//   - be safe for concurrent use;
//   - look at rc.Stage: Consume is called at both gates, and a limiter that
//     ignores the stage counts twice;
//   - append one Result per policy that applies in that stage, and leave dst as
//     it is when none does;
//   - return the results so far beside an error. An error is never failed open:
//     the request is answered 500;
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

	// Clock tells the time; nil: the system's clock.
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
		o.Clock = systemClock{}
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
func (o Options) Validate() error {
	var errs []error
	if o.Budget < 0 {
		errs = append(errs, fmt.Errorf("budget %s is negative", o.Budget))
	}
	if o.LocalShare < 0 {
		errs = append(errs, fmt.Errorf("local share %d is negative", o.LocalShare))
	}
	return errors.Join(append(errs, validate("storage", o.Storage), validate("clock", o.Clock))...)
}

// NewLimiter makes a policy a [Limiter], for programs without a presenter. The
// name is required. All that is wrong is reported together.
func NewLimiter(p Policy, o Options) (Limiter, error) {
	var nameless error
	if p.Name == "" {
		nameless = errors.New("a name is required")
	}
	if err := errors.Join(nameless, p.Validate(), o.Validate()); err != nil {
		return nil, fmt.Errorf("ratelimit: policy %q: %w", p.Name, err)
	}
	if p.Limiter != nil {
		return p.Limiter, nil
	}
	return newPolicyLimiter(p, o.withDefaults()), nil
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

// policyLimiter is a policy at work. It is immutable but for its warnings.
type policyLimiter struct {
	name      string
	prefix    string // name and ":", with which its counters' names begin
	limit     int64
	window    time.Duration
	interval  int64 // window in microseconds
	algorithm Algorithm
	key       Key
	stage     Stage
	limitFor  func(*Context) int64
	storage   Storage
	memory    *Memory // storage, when it is one: called directly
	onFailure FailureMode
	local     *Memory // counts while the storage is unavailable; nil: does not
	share     int64   // of this process in the limit then
	clock     Clock
	budget    time.Duration

	outage         *warner
	warnedIdentity atomic.Bool
	logger         *slog.Logger
}

// newPolicyLimiter expects a policy and options that are valid and complete.
func newPolicyLimiter(p Policy, o Options) *policyLimiter {
	l := &policyLimiter{
		name:      p.Name,
		prefix:    p.Name + ":",
		limit:     p.Limit,
		window:    p.Interval,
		interval:  p.Interval.Microseconds(),
		algorithm: p.Algorithm,
		key:       p.Key,
		limitFor:  p.LimitFor,
		storage:   p.Storage,
		onFailure: p.OnStorageFailure,
		clock:     o.Clock,
		budget:    o.Budget,
		outage:    &warner{logger: o.Logger},
		logger:    o.Logger,
	}
	if l.algorithm == nil {
		l.algorithm = SlidingWindow
	}
	if l.key == nil {
		l.key = IP
	}
	if l.storage == nil {
		l.storage = o.Storage
	}
	if l.key.NeedsIdentity() {
		l.stage = AfterAuthorization
	}
	l.memory, _ = l.storage.(*Memory)
	if l.onFailure == FailLocal {
		l.local, l.share = o.local, o.LocalShare
	}
	return l
}

// Consume is a gate of its own, with the budget of one.
func (l *policyLimiter) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if l.memory == nil && rc.Stage == l.stage {
		bounded, cancel := withBudget(ctx, l.budget)
		defer cancel()
		ctx = bounded
	}
	return l.consume(ctx, rc, cost, dst)
}

// consume expects a context that is bounded where the storage is not in memory.
func (l *policyLimiter) consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if rc.Stage != l.stage {
		return dst, nil
	}
	take, err := l.take(rc, cost)
	if err != nil {
		return dst, err
	}
	var buf [128]byte
	key, ok, err := appendKey(ctx, append(buf[:0], l.prefix...), rc, l.key)
	if err != nil {
		return dst, fmt.Errorf("ratelimit: policy %q: key: %w", l.name, err)
	}
	if !ok {
		return dst, nil
	}
	key = boundKey(key, len(l.prefix))
	var d Decision
	if l.memory != nil {
		d, err = l.memory.Consume(ctx, key, l.algorithm, take)
	} else {
		d, err = l.storage.Consume(ctx, append([]byte(nil), key...), l.algorithm, take)
	}
	if err == nil {
		return append(dst, l.result(d, take.Limit)), nil
	}
	if err = l.storageFailed(ctx, rc, err); err != nil || l.local == nil {
		return dst, err
	}
	take.Limit = max(1, take.Limit/l.share)
	if d, err = l.local.Consume(ctx, key, l.algorithm, take); err != nil {
		return dst, fmt.Errorf("ratelimit: policy %q: local storage: %w", l.name, err)
	}
	return append(dst, l.result(d, take.Limit)), nil
}

func (l *policyLimiter) take(rc *Context, cost int64) (Take, error) {
	if cost < 1 {
		return Take{}, fmt.Errorf("ratelimit: policy %q: a cost of %d: at least 1", l.name, cost)
	}
	now := rc.Now
	if now.IsZero() {
		now = l.clock.Now()
	}
	t := Take{Limit: l.limit, Cost: cost, Interval: l.interval, Now: max(0, now.UnixMicro())}
	if l.limitFor != nil {
		if limit := l.limitFor(rc); limit != 0 {
			t.Limit = limit
		}
		if t.Limit < 1 || t.Limit > MaxLimit {
			return Take{}, fmt.Errorf("ratelimit: policy %q: LimitFor returned %d: 1 to %d, or 0 for Limit", l.name, t.Limit, MaxLimit)
		}
	}
	return t, nil
}

func (l *policyLimiter) result(d Decision, limit int64) Result {
	r := Result{
		Policy:     l.name,
		Limit:      limit,
		Window:     l.window,
		Accepted:   d.Accepted,
		Remaining:  d.Remaining,
		ResetAfter: fromMicros(d.ResetAfter),
	}
	switch {
	case d.Accepted:
	case d.RetryAfter == NeverMicros:
		r.RetryAfter = Never
	default:
		r.RetryAfter = fromMicros(d.RetryAfter)
	}
	return r
}

// fromMicros saturates below Never.
func fromMicros(us int64) time.Duration {
	if us > math.MaxInt64/1000-1 {
		return Never - 1
	}
	return time.Duration(us) * time.Microsecond
}

// ClosedError is the error of a [FailClosed] policy whose storage is
// unavailable; the presenter answers it 503. errors.Is(err, ErrUnavailable)
// holds.
type ClosedError struct {
	Policy string
	Err    error // what the storage said
}

// Error names the policy and the cause.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("ratelimit: policy %q fails closed: %v", e.Policy, e.Err)
}

// Unwrap is the error of the storage.
func (e *ClosedError) Unwrap() error { return e.Err }

var errBudget = errors.New("ratelimit: the time budget of the gate is used up")

func withBudget(ctx context.Context, budget time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, budget, errBudget)
}

// storageFailed tells an outage, which the policy's mode answers, from the end
// of the request and from a fault of the program, which are returned.
func (l *policyLimiter) storageFailed(ctx context.Context, rc *Context, err error) error {
	overBudget := ctx.Err() != nil && errors.Is(context.Cause(ctx), errBudget)
	switch {
	case ctx.Err() != nil && !overBudget:
		return ctx.Err()
	case overBudget && errors.Is(err, ctx.Err()):
		err = Unavailable(errBudget)
	case !errors.Is(err, ErrUnavailable):
		return fmt.Errorf("ratelimit: policy %q: storage: %w", l.name, err)
	}
	l.outage.warn(ctx, rc, l.name, l.onFailure, err)
	if l.onFailure == FailClosed {
		return &ClosedError{Policy: l.name, Err: err}
	}
	return nil
}
