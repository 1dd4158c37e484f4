package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

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
