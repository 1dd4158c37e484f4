package redisstorage

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// alarm logs at most once a second that Redis denies access: limits are not held
// until somebody puts that right.
type alarm struct {
	logger *slog.Logger

	mu   sync.Mutex
	last time.Time
}

func (a *alarm) raise(ctx context.Context, err error) {
	if a.due(time.Now()) {
		safelog.Error(ctx, a.logger, "redis denies access to the rate limits", slog.Any("err", err))
	}
}

func (a *alarm) due(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.last.IsZero() && now.Sub(a.last) < retryEvery {
		return false
	}
	a.last = now
	return true
}
