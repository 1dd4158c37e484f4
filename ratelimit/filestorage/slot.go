package filestorage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// slots is the number of lock files.
const slots = 64

// slot is one of the locks, with all that it covers. The lock is twofold: the
// goroutines of this Storage stand in line, and whoever leads locks the file
// against all others. The file alone would not do, as it does not exclude those
// who share its descriptor.
type slot struct {
	number int
	path   string // of the lock file; "": there are no locks
	line   line   // its leader owns the rest

	file     *os.File    // nil: not open
	info     os.FileInfo // of file
	locked   bool
	courtesy courtesy
	givenUp  time.Time // when somebody last waited for the file in vain
	sweep    sweep
}

// The pauses between two looks at a lock that another process has: short ones
// first, as a lock is held for some 50 µs.
const (
	firstPause = 50 * time.Microsecond
	lastPause  = time.Millisecond
)

const (
	// stuckAfter is how long a lock is busy before that is more than the work of
	// others.
	stuckAfter = 10 * time.Millisecond
	// A lock that somebody has waited for in vain is remembered for a second:
	// whoever comes meanwhile waits a moment only.
	rememberBusy  = time.Second
	shortPatience = 5 * time.Millisecond
	// grace is how much longer than its deadline a request waits that only stands
	// behind others of its own process: that is no outage, it will be decided.
	grace = 250 * time.Millisecond
)

// enter waits until q leads or has its answer. It ends early with the request,
// whose error it then returns as it is, or with the time-out, which is an outage.
func (s *Storage) enter(ctx context.Context, slot *slot, q *question) (leads bool, err error) {
	if slot.line.join(q) {
		return true, nil
	}
	patience := time.NewTimer(s.timeout)
	defer patience.Stop()
	ended := ctx.Done()
	for {
		select {
		case <-q.wake:
			return q.place == leading, q.err
		case <-ended:
			if errors.Is(ctx.Err(), context.DeadlineExceeded) && !slot.line.isStuck() {
				ended = nil
				patience.Reset(min(grace, s.timeout))
				continue
			}
		case <-patience.C:
		}
		if slot.line.leave(q) {
			return false, s.gaveUp(ctx, s.timeout)
		}
		<-q.wake
		return q.place == leading, q.err
	}
}

// acquire takes the file lock for the leader of a slot. It waits as enter does.
func (s *Storage) acquire(ctx context.Context, slot *slot) error {
	if slot.path == "" {
		return nil
	}
	if !slot.courtesy.due() {
		if done, err := s.lock(ctx, slot); done || err != nil {
			return err
		}
	}
	return s.wait(ctx, slot)
}

// wait is acquire for a lock that is busy.
func (s *Storage) wait(ctx context.Context, slot *slot) error {
	start := time.Now()
	bound, remembered := s.timeout, start.Sub(slot.givenUp) < rememberBusy
	if remembered {
		bound = min(bound, shortPatience)
	}
	from := ctx
	if errors.Is(ctx.Err(), context.DeadlineExceeded) { // it has stood in line for longer
		from, bound = context.WithoutCancel(ctx), min(bound, stuckAfter)
	}
	patience, cancel := context.WithTimeout(from, bound)
	defer cancel()
	timer := time.NewTimer(firstPause)
	defer timer.Stop()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		select {
		case <-timer.C:
		case <-patience.Done():
			return s.inVain(ctx, slot, time.Since(start), remembered)
		}
		if done, err := s.lock(ctx, slot); done || err != nil {
			slot.courtesy.waited()
			return err
		}
		if time.Since(start) >= stuckAfter {
			slot.line.setStuck(true)
		}
		timer.Reset(pause/2 + rand.N(pause)) //nolint:gosec // it only keeps processes out of step
	}
}

// inVain ends a wait for the file. When that was to be expected, nobody else in
// the line has to wait for the same.
func (s *Storage) inVain(ctx context.Context, slot *slot, waited time.Duration, expected bool) error {
	if expected {
		slot.line.refuseAll(busyFor(waited))
	} else if waited >= stuckAfter {
		slot.givenUp = time.Now()
	}
	return s.gaveUp(ctx, waited)
}

// gaveUp is the error of a wait that was in vain.
func (s *Storage) gaveUp(ctx context.Context, waited time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return busyFor(waited)
}

func busyFor(waited time.Duration) error {
	return ratelimit.Unavailable(fmt.Errorf("filestorage: a lock was busy for %s", waited.Round(time.Millisecond)))
}

// release gives the file lock back.
func (s *Storage) release(slot *slot) {
	if slot.locked {
		slot.locked = false
		if unlock(slot.file) != nil {
			slot.closeFile() // which ends the lock, too
		}
	}
}
