package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

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

// storageFailed answers a question that the storage did not: an outage as the
// policy's mode says, the end of the request and faults of the program by their
// error.
func (l *policyLimiter) storageFailed(ctx context.Context, rc *Context, key []byte, t Take, err error, dst []Result) ([]Result, error) {
	overBudget := ctx.Err() != nil && errors.Is(context.Cause(ctx), errBudget)
	switch {
	case ctx.Err() != nil && !overBudget:
		return dst, ctx.Err()
	case overBudget && errors.Is(err, ctx.Err()):
		err = Unavailable(errBudget)
	case !errors.Is(err, ErrUnavailable):
		return dst, fmt.Errorf("ratelimit: policy %q: storage: %w", l.name, err)
	}
	l.outage.warn(ctx, rc, l.name, l.onFailure, err)
	switch l.onFailure {
	case FailClosed:
		return dst, &ClosedError{Policy: l.name, Err: err}
	case FailLocal:
		return l.consumeLocally(ctx, key, t, dst)
	default:
		return dst, nil
	}
}

// consumeLocally counts this process's share of the limit.
func (l *policyLimiter) consumeLocally(ctx context.Context, key []byte, t Take, dst []Result) ([]Result, error) {
	t.Limit = max(1, t.Limit/l.share)
	d, err := l.local.Consume(ctx, key, l.algorithm, t)
	if err != nil {
		return dst, fmt.Errorf("ratelimit: policy %q: local storage: %w", l.name, err)
	}
	return l.appendResult(dst, d, t.Limit), nil
}

// warner logs the outage of a storage at most once a second and tells how many
// like it were left out: a flood of log lines takes programs down, too.
type warner struct {
	logger *slog.Logger

	mu      sync.Mutex
	last    time.Time // of the last record, by the monotonic clock
	skipped int64
}

const warnEvery = time.Second

var consequences = [...]string{
	FailOpen:   "the request passed without this limit",
	FailClosed: "the request was refused",
	FailLocal:  "the request was counted in memory",
}

func (w *warner) warn(ctx context.Context, rc *Context, policy string, mode FailureMode, err error) {
	skipped, due := w.due(time.Now())
	if !due {
		return
	}
	safelog.Warn(ctx, w.logger, "rate limit storage is unavailable, "+consequences[mode],
		slog.String("policy", policy),
		slog.String("endpoint", rc.Endpoint),
		slog.Int64("not_logged", skipped),
		slog.Any("err", err))
}

func (w *warner) due(now time.Time) (skipped int64, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.last.IsZero() && now.Sub(w.last) < warnEvery {
		w.skipped++
		return 0, false
	}
	skipped, w.skipped, w.last = w.skipped, 0, now
	return skipped, true
}
