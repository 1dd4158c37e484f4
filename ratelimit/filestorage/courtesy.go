package filestorage

import "time"

// courtesy leaves a lock file to other processes now and then. A process whose
// goroutines wait in line locks the file again within a microsecond, and others,
// who look at it now and then, would hardly ever find it free.
type courtesy struct {
	met   time.Time // when another process was last seen with the lock
	since time.Time // when the present run of locks began
}

const (
	meets  = 100 * time.Millisecond // how long somebody who was met is reckoned with
	maxRun = time.Millisecond       // how long a process then goes on without a pause
)

// due tells that it is the turn of others: the next look has to be after a
// pause.
func (c *courtesy) due() bool {
	if c.met.IsZero() {
		return false
	}
	now := time.Now()
	return now.Sub(c.met) < meets && now.Sub(c.since) > maxRun
}

// meet notes that another process has the lock.
func (c *courtesy) meet() { c.met = time.Now() }

// waited begins a run of locks.
func (c *courtesy) waited() { c.since = time.Now() }
