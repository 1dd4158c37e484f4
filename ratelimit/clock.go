package ratelimit

import (
	"sync/atomic"
	"time"
)

// A Clock tells the time. Limits follow the clock of the application, never
// that of a storage. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

// systemClock is the system's clock for those who ask it often. The monotonic
// clock takes half the time to read, so it tells what has passed since the last
// look at the wall clock. When that was [lookEvery] ago, or the monotonic clock
// is another one (that of a synctest bubble), the wall clock is looked at again:
// somebody may have set it.
type systemClock struct {
	looked atomic.Int64 // at the wall clock, in nanoseconds since processStart
	ahead  atomic.Int64 // the wall clock then, less looked
}

// lookEvery is the longest time for which limits count by a wall clock that
// has been set.
const lookEvery = 10 * time.Millisecond

var processStart = time.Now()

func newSystemClock() *systemClock {
	c := new(systemClock)
	c.look()
	return c
}

func (c *systemClock) Now() time.Time { return time.UnixMicro(c.micros()) }

// micros is the time in microseconds since the Unix epoch.
func (c *systemClock) micros() int64 {
	passed := int64(time.Since(processStart))
	if uint64(passed-c.looked.Load()) >= uint64(lookEvery) {
		passed = c.look()
	}
	return (c.ahead.Load() + passed) / 1000
}

// look stores looked last: who reads it finds the ahead that belongs to it, or a
// newer one.
func (c *systemClock) look() (passed int64) {
	now := time.Now()
	passed = int64(now.Sub(processStart))
	c.ahead.Store(now.UnixNano() - passed)
	c.looked.Store(passed)
	return passed
}

// sameClock does not compare clocks that may not be comparable.
func sameClock(a, b Clock) bool {
	if _, ok := a.(*systemClock); ok {
		_, ok = b.(*systemClock)
		return ok
	}
	return isPointer(a) && isPointer(b) && a == b
}
