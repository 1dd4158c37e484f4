package filestorage

import (
	"context"
	"errors"

	"github.com/sallyport-go/sallyport/ratelimit"
)

var (
	errLockLost   = errors.New("the lock file was replaced again and again")
	errNotDecided = errors.New("filestorage: an algorithm has ended the goroutine that decided for others")
)

// lockTries is how often questions are decided whose lock file is removed
// meanwhile.
const lockTries = 3

// lead takes the lock, decides q and all who stand in line, and leaves the lead
// to the next.
func (s *Storage) lead(ctx context.Context, slot *slot, q *question) error {
	defer slot.line.handOver()
	if err := s.checkDir(); err != nil {
		return unavailable(err)
	}
	if err := s.acquire(ctx, slot); err != nil {
		return err
	}
	others := slot.line.takeAll()
	_ = fail(others, errNotDecided) // what stays when Step ends this goroutine
	defer func() {
		for _, other := range others {
			other.wake <- struct{}{}
		}
	}()
	defer s.release(slot)
	s.decide(ctx, slot, append([]*question{q}, others...))
	return q.err
}

// decide decides questions in the order they came in. When the lock file is
// removed meanwhile, somebody else may have counted: then what was not saved is
// decided again.
func (s *Storage) decide(ctx context.Context, slot *slot, asked []*question) {
	for range lockTries {
		var again []*question
		for _, group := range byCounter(asked) {
			if errors.Is(s.decideCounter(ctx, slot, group), errLockLost) {
				again = append(again, group...)
			}
		}
		if asked = again; len(asked) == 0 {
			return
		}
		s.release(slot)
		if err := s.acquire(context.WithoutCancel(ctx), slot); err != nil { // others do not end with ctx
			_ = fail(asked, err)
			return
		}
	}
	_ = fail(asked, unavailable(errLockLost))
}

// byCounter groups questions by their counter.
func byCounter(asked []*question) (groups [][]*question) {
	at := make(map[string]int, 1)
	for _, q := range asked {
		i, known := at[q.counter.file]
		if !known {
			i = len(groups)
			at[q.counter.file] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], q)
	}
	return groups
}

// decideCounter decides the questions for one counter with one reading and at
// most one writing. The error stands in the questions, too, unless the lock is
// lost.
func (s *Storage) decideCounter(ctx context.Context, slot *slot, group []*question) error {
	c := group[0].counter
	current, err := s.load(ctx, c)
	if err != nil {
		return fail(group, unavailable(err))
	}
	var latest int64
	changed, begun := false, false
	for _, q := range group {
		if q.panicked != nil {
			continue // it has been asked before
		}
		state := current.at(q.take.Now)
		o, ok := q.step(state)
		if !ok {
			continue
		}
		q.decision = o.Decision
		if o.TTL > 0 {
			current = stored{state: o.State, expires: end(q.take.Now, o.TTL)}
			changed, begun, latest = true, begun || state == (ratelimit.State{}), q.take.Now
		}
	}
	if changed {
		err = s.save(slot, c, current, latest)
	}
	switch {
	case errors.Is(err, errLockLost):
		return err
	case err != nil:
		return fail(group, unavailable(err))
	}
	for _, q := range group {
		q.err = nil
	}
	if begun {
		s.sweep(slot, latest, sweepFiles)
	}
	return nil
}

// fail gives all questions an error.
func fail(asked []*question, err error) error {
	for _, q := range asked {
		q.decision, q.err = ratelimit.Decision{}, err
	}
	return err
}
