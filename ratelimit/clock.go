package ratelimit

import "time"

// A Clock tells the time. Limits follow the clock of the application, never
// that of a storage. Implementations are safe for concurrent use.
type Clock interface {
	Now() time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
