package ratelimit

import "time"

// A Clock tells the time. Limits follow the clock of the application, never
// that of a storage. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

// sameClock does not compare clocks that may not be comparable.
func sameClock(a, b Clock) bool {
	if _, ok := a.(systemClock); ok {
		_, ok = b.(systemClock)
		return ok
	}
	return isPointer(a) && isPointer(b) && a == b
}
