package filestorage

import (
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// question is a request that wants the lock of a slot.
type question struct {
	counter   counter
	algorithm ratelimit.Algorithm // nil: it wants the slot for itself alone
	take      ratelimit.Take

	decision ratelimit.Decision
	err      error
	panicked any // what Step has panicked with

	place place         // in the line, whose mutex guards it
	wake  chan struct{} // gets one value: it leads now, or has its answer
}

// place is where a question stands.
type place int

const (
	inLine  place = iota
	leading       // it may take the lock
	taken         // somebody else decides it
	gone          // it did not want to wait any longer
)

// step lets the algorithm decide. A panic stays with the question, as it may be
// another goroutine than the one that asked. It returns false after one.
func (q *question) step(s ratelimit.State) (o ratelimit.Outcome, ok bool) {
	defer func() {
		if !ok {
			q.panicked = recover()
		}
	}()
	return q.algorithm.Step(s, q.take), true
}

// line is where the goroutines of a Storage wait for a slot. The first becomes
// the leader. It takes the file lock and decides for all who have come
// meanwhile, so a crowd costs one round of the lock and not one for each. Then
// another leads.
type line struct {
	mu      sync.Mutex
	led     bool
	stuck   bool // another process has had the lock for a while
	waiting []*question
}

// join makes q the leader, or the last in the line.
func (l *line) join(q *question) (leads bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.led {
		l.led, q.place = true, leading
		return true
	}
	q.wake = make(chan struct{}, 1)
	l.waiting = append(l.waiting, q)
	return false
}

// leave is false when it is too late: q leads, or is being decided.
func (l *line) leave(q *question) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.place != inLine {
		return false
	}
	q.place = gone // whoever takes it out is quicker than a search for it
	return true
}

// takeAll takes all questions out that the leader can decide with its own.
func (l *line) takeAll() (asked []*question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 && l.waiting[0].algorithm != nil {
		if q := l.waiting[0]; q.place == inLine {
			q.place = taken
			asked = append(asked, q)
		}
		l.waiting = l.waiting[1:]
	}
	return asked
}

// handOver ends the lead. The next in the line has it then.
func (l *line) handOver() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		q := l.waiting[0]
		l.waiting = l.waiting[1:]
		if q.place == inLine {
			q.place = leading
			q.wake <- struct{}{}
			return
		}
	}
	l.led, l.waiting = false, nil
}

// refuseAll answers everybody in the line with an error.
func (l *line) refuseAll(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, q := range l.waiting {
		if q.place == inLine {
			q.place, q.err = taken, err
			q.wake <- struct{}{}
		}
	}
	l.waiting = nil
}

func (l *line) setStuck(stuck bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stuck = stuck
}

func (l *line) isStuck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stuck
}
