package apitest

import (
	"sync"
	"time"
)

// Clock stands still until it is moved: a ratelimit.Clock for
// ratelimit.Options.Clock. It moves the limits alone; time-outs and the log keep the
// time of the system. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock is a clock that stands at noon of a day in UTC, where windows of every
// usual interval begin.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)}
}

// Now is the time at which it stands.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves it. A negative d moves it back, as the clocks of servers are
// sometimes.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
