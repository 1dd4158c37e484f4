package redisstorage

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	// retryEvery is how long a Redis that cannot be reached is left alone.
	retryEvery = time.Second

	// patience is how many calls in a row have to go unanswered for that. One late
	// answer is a hiccup, and limits should not be lost for a second because of it.
	patience = 3
)

var errDown = errors.New("redis could not be reached a moment ago")

// breaker keeps requests from waiting for a Redis that does not answer. While it
// is open all calls fail at once but one in a second, which tries it again. The
// zero breaker is closed.
type breaker struct {
	troubled atomic.Bool // there is something to remember below

	mu      sync.Mutex
	late    int       // unanswered calls in a row
	since   time.Time // when the first of them began
	open    bool
	trying  bool // a call tries whether Redis is back
	retryAt time.Time
	err     error // why it opened
}

// begin asks for leave. Whoever gets it tells end how the call went; trial is true
// for the call that tries a Redis again.
func (b *breaker) begin() (trial bool, err error) {
	if !b.troubled.Load() {
		return false, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.open:
		return false, nil
	case b.trying || time.Now().Before(b.retryAt):
		return false, ratelimit.Unavailable(errors.Join(errDown, b.err))
	default:
		b.trying = true
		return true, nil
	}
}

// end takes what a call tells about Redis and, when it could not be reached, why.
// When calls were late for too long, it returns when the first of them began, and
// else the zero time.
func (b *breaker) end(trial bool, r reach, began time.Time, err error) (silentSince time.Time) {
	if !trial && r <= answered && !b.troubled.Load() {
		return time.Time{}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.trying = false
	}
	switch r {
	case answered:
		b.late, b.open, b.err = 0, false, nil
	case late:
		if trial || b.late == 0 || began.Before(b.since) {
			b.since = began
		}
		if b.late++; b.late >= patience || trial {
			b.openLocked(err)
			silentSince = b.since
		}
	case unreachable:
		b.openLocked(err)
	case unknown:
	}
	b.troubled.Store(b.open || b.late > 0)
	return silentSince
}

func (b *breaker) openLocked(err error) {
	b.open, b.retryAt, b.err = true, time.Now().Add(retryEvery), err
}

// retryNow lets the next call try Redis: there is hope.
func (b *breaker) retryNow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.retryAt = time.Now()
}
