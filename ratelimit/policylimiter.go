package ratelimit

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"
)

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

// Consume is a gate of its own: it has the budget of one and catches panics.
func (l *policyLimiter) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) (results []Result, err error) {
	results = dst
	defer catch(&err)
	if l.memory == nil && rc.Stage == l.stage {
		bounded, cancel := withBudget(ctx, l.budget)
		defer cancel()
		ctx = bounded
	}
	return l.consumeStep(ctx, ctx, rc, cost, dst)
}

func (l *policyLimiter) prepare() error { return prepare(l.storage, l) }

// consumeStep expects a context that is bounded where the storage is not in memory.
func (l *policyLimiter) consumeStep(_, ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if rc.Stage != l.stage {
		return dst, checkStage(rc.Stage)
	}
	var buf [128]byte
	key, take, ok, err := l.ask(ctx, rc, cost, buf[:0])
	if !ok || err != nil {
		return dst, err
	}
	var d Decision
	if l.memory != nil {
		d, err = l.memory.Consume(ctx, key, l.algorithm, take)
	} else {
		d, err = l.storage.Consume(ctx, append([]byte(nil), key...), l.algorithm, take)
	}
	if err != nil {
		return l.storageFailed(ctx, rc, key, take, err, dst)
	}
	return append(dst, l.result(d, take.Limit)), nil
}

// tryAsk is ask, but a panic is its error.
func (l *policyLimiter) tryAsk(ctx context.Context, rc *Context, cost int64) (key []byte, t Take, ok bool, err error) {
	defer catch(&err)
	return l.ask(ctx, rc, cost, nil)
}

// ask makes the question for the storage; ok is false when the limit does not
// apply to the request. The key is appended to buf.
func (l *policyLimiter) ask(ctx context.Context, rc *Context, cost int64, buf []byte) (key []byte, t Take, ok bool, err error) {
	if t, err = l.take(rc, cost); err != nil {
		return nil, t, false, err
	}
	key, ok, err = appendKey(ctx, append(buf, l.prefix...), rc, l.key)
	if err != nil {
		return nil, t, false, fmt.Errorf("ratelimit: policy %q: key: %w", l.name, err)
	}
	return boundKey(key, len(l.prefix)), t, ok, nil
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
