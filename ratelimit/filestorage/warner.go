package filestorage

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// warner logs one kind of warning at most once a minute and tells how many like
// it were left out.
type warner struct {
	logger *slog.Logger
	now    func() time.Time

	mu      sync.Mutex
	last    time.Time
	skipped int64
}

const warnEvery = time.Minute

func (w *warner) warn(ctx context.Context, msg string, attrs ...slog.Attr) {
	skipped, due := w.due()
	if due {
		safelog.Warn(ctx, w.logger, msg, append(attrs, slog.Int64("not_logged", skipped))...)
	}
}

func (w *warner) due() (skipped int64, due bool) {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.last.IsZero() && now.Sub(w.last) < warnEvery {
		w.skipped++
		return 0, false
	}
	skipped, w.skipped, w.last = w.skipped, 0, now
	return skipped, true
}
