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
	calls     calls
	shortcut  shortcut
	limit     int64
	window    time.Duration
	interval  int64 // window in microseconds
	algorithm Algorithm
	key       Key
	stage     Stage
	limitFor  func(*Context) int64
	storage   Storage
	memory    *Memory // storage, when it is one
	onFailure FailureMode
	local     *Memory // counts while the storage is unavailable; nil: does not
	share     int64   // of this process in the limit then
	clock     Clock
	system    *systemClock // clock, when it is one
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
	l.system, _ = l.clock.(*systemClock)
	l.calls, l.shortcut = l.callsOf(), l.shortcutOf()
	if l.onFailure == FailLocal {
		l.local, l.share = o.local, o.LocalShare
	}
	return l
}

// Consume is a gate of its own: it has the budget of one and catches panics.
func (l *policyLimiter) Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if l.callsNobody(rc) {
		return l.consume(ctx, rc, cost, dst)
	}
	return l.consumeGuarded(ctx, rc, cost, dst)
}

func (l *policyLimiter) consumeGuarded(ctx context.Context, rc *Context, cost int64, dst []Result) (results []Result, err error) {
	results = dst
	defer catch(&err)
	if l.memory == nil && rc.Stage == l.stage {
		bounded, cancel := withBudget(ctx, l.budget)
		defer cancel()
		ctx = bounded
	}
	return l.consume(ctx, rc, cost, dst)
}

func (l *policyLimiter) prepare() error { return prepare(l.storage, l) }

func (l *policyLimiter) consumeStep(_, bounded context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	return l.consume(bounded, rc, cost, dst)
}

// consume expects a context that is bounded where the storage is not in memory.
func (l *policyLimiter) consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error) {
	if rc.Stage != l.stage {
		return dst, checkStage(rc.Stage)
	}
	var t Take
	if err := l.take(rc, cost, &t); err != nil {
		return dst, err
	}
	if tail, ok := l.shortcut.tail(rc); ok && t.inRange() {
		return l.appendResult(dst, l.decide(tail, &t), t.Limit), nil
	}
	return l.consumeText(ctx, rc, &t, dst)
}

func (l *policyLimiter) consumeText(ctx context.Context, rc *Context, t *Take, dst []Result) ([]Result, error) {
	var buf [128]byte
	key, ok, err := l.appendKey(ctx, buf[:0], rc)
	if !ok || err != nil {
		return dst, err
	}
	var d Decision
	if l.memory != nil {
		d, err = l.memory.Consume(ctx, key, l.algorithm, *t)
	} else {
		d, err = l.storage.Consume(ctx, append([]byte(nil), key...), l.algorithm, *t)
	}
	if err != nil {
		return l.storageFailed(ctx, rc, key, *t, err, dst)
	}
	return l.appendResult(dst, d, t.Limit), nil
}

// ask makes the question for the storage; ok is false when the limit does not
// apply to the request. A panic is its error.
func (l *policyLimiter) ask(ctx context.Context, rc *Context, cost int64) (key []byte, t Take, ok bool, err error) {
	defer catch(&err)
	if err = l.take(rc, cost, &t); err != nil {
		return nil, t, false, err
	}
	key, ok, err = l.appendKey(ctx, nil, rc)
	return key, t, ok, err
}

// appendKey appends the key of the request's counter; ok is false when the limit
// does not apply.
func (l *policyLimiter) appendKey(ctx context.Context, dst []byte, rc *Context) (key []byte, ok bool, err error) {
	key, ok, err = appendKey(ctx, append(dst, l.prefix...), rc, l.key)
	if err != nil {
		return nil, false, fmt.Errorf("ratelimit: policy %q: key: %w", l.name, err)
	}
	return boundKey(key, len(l.prefix)), ok, nil
}

func (l *policyLimiter) take(rc *Context, cost int64, t *Take) error {
	if cost < 1 {
		return fmt.Errorf("ratelimit: policy %q: a cost of %d: at least 1", l.name, cost)
	}
	t.Limit, t.Cost, t.Interval = l.limit, cost, l.interval
	switch {
	case !rc.Now.IsZero():
		t.Now = max(0, rc.Now.UnixMicro())
	case l.system != nil:
		t.Now = max(0, l.system.micros())
	default:
		t.Now = max(0, l.clock.Now().UnixMicro())
	}
	if l.limitFor == nil {
		return nil
	}
	if limit := l.limitFor(rc); limit != 0 {
		t.Limit = limit
	}
	if t.Limit < 1 || t.Limit > MaxLimit {
		return fmt.Errorf("ratelimit: policy %q: LimitFor returned %d: 1 to %d, or 0 for Limit", l.name, t.Limit, MaxLimit)
	}
	return nil
}

// appendResult fills the result in where it stands: it is large.
func (l *policyLimiter) appendResult(dst []Result, d Decision, limit int64) []Result {
	dst = append(dst, Result{})
	r := &dst[len(dst)-1]
	r.Policy, r.Limit, r.Window = l.name, limit, l.window
	r.Accepted, r.Remaining, r.ResetAfter = d.Accepted, d.Remaining, fromMicros(d.ResetAfter)
	switch {
	case d.Accepted:
	case d.RetryAfter == NeverMicros:
		r.RetryAfter = Never
	default:
		r.RetryAfter = fromMicros(d.RetryAfter)
	}
	return dst
}

// fromMicros saturates below Never.
func fromMicros(us int64) time.Duration {
	if us > math.MaxInt64/1000-1 {
		return Never - 1
	}
	return time.Duration(us) * time.Microsecond
}
