package filestorage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// slots is the number of lock files.
const slots = 64

// slot is one of the locks, with all that it covers. The lock is twofold: the
// goroutines of this Storage wait in line for the turn, and whoever has it locks
// the file against all others. The file alone would not do, as it does not
// exclude those who share its descriptor.
type slot struct {
	number int
	path   string        // of the lock file; "": there are no locks
	turn   chan struct{} // whoever has put the one value in owns the rest

	file     *os.File    // nil: not open
	info     os.FileInfo // of file
	locked   bool
	courtesy courtesy
	sweep    sweep
}

// acquire takes the lock of a slot. It waits until the request ends, whose error
// it then returns as it is, or for the time-out, which is an outage.
func (s *Storage) acquire(ctx context.Context, slot *slot) error {
	select {
	case slot.turn <- struct{}{}:
		if slot.path == "" || !slot.courtesy.due() && s.lock(ctx, slot) {
			return nil
		}
		return s.wait(ctx, slot, true)
	default:
		return s.wait(ctx, slot, false)
	}
}

// The pauses between two looks at a lock that another process has: short ones
// first, as a lock is held for some 50 µs.
const (
	firstPause = 50 * time.Microsecond
	lastPause  = time.Millisecond
)

// wait is acquire for a lock that is busy.
func (s *Storage) wait(ctx context.Context, slot *slot, hasTurn bool) error {
	patience, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if !hasTurn {
		select {
		case slot.turn <- struct{}{}:
		case <-patience.Done():
			return s.gaveUp(ctx)
		}
		if slot.path == "" {
			return nil
		}
	}
	if !slot.courtesy.due() && s.lock(ctx, slot) {
		return nil
	}
	timer := time.NewTimer(firstPause)
	defer timer.Stop()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		select {
		case <-timer.C:
		case <-patience.Done():
			<-slot.turn
			return s.gaveUp(ctx)
		}
		if s.lock(ctx, slot) {
			slot.courtesy.waited()
			return nil
		}
		timer.Reset(pause/2 + rand.N(pause)) //nolint:gosec // it only keeps processes out of step
	}
}

// gaveUp is the error of a wait that was in vain.
func (s *Storage) gaveUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ratelimit.Unavailable(fmt.Errorf("filestorage: a lock was busy for %s", s.timeout))
}

// release gives the lock back.
func (s *Storage) release(slot *slot) {
	if slot.locked {
		slot.locked = false
		if unlock(slot.file) != nil {
			slot.closeFile() // which ends the lock, too
		}
	}
	<-slot.turn
}
