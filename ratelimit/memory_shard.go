package ratelimit

import "sync"

// shard is a part of a [Memory] with a lock of its own. It is one cache line
// long, so that processors do not wait for locks that they do not share.
type shard struct {
	mu sync.Mutex
	table
	max     uint32 // counters kept at most, 0: no cap; it never changes
	work    uint32 // slots to sweep
	evicted uint64 // total of counters dropped within their lifetime
}

// What is saved pays for sweeping: a new counter with four slots, another with
// one. A batch costs less than single looks.
const (
	workOfInsert = 4
	workOfUpdate = 1
	sweepBatch   = 32
)

// place is where a counter stands, or who has to go for it.
type place struct {
	slot   int // -1: the counter is not there
	victim int // -1: nobody has to go
}

// locate finds a counter. full tells that it is not there, that the shard is
// full, and that nobody may go.
func (s *shard) locate(id counterID, now tick) (at place, full bool) {
	i := s.find(id)
	if i < 0 && s.max > 0 && s.used >= s.max {
		victim := s.victim(now)
		return place{slot: -1, victim: victim}, victim < 0
	}
	return place{slot: i, victim: -1}, false
}

// noState is the State of a counter that is not there. Nothing writes it.
var noState State

// stateAt is the zero State when the counter is not there or has expired.
func (s *shard) stateAt(at place, now tick) *State {
	if at.slot < 0 || s.slots[at.slot].expired(now) {
		return &noState
	}
	return &s.slots[at.slot].state
}

// consume decides one request by a built-in algorithm, under the lock: that is
// shorter than taking the lock twice. Nothing in between can panic, so there is
// no defer, which takes longer than the step.
func (s *shard) consume(id counterID, b BuiltIn, t *Take) (d Decision, full bool) {
	now := tickOf(t.Now)
	s.mu.Lock()
	at, full := s.locate(id, now)
	if full {
		s.mu.Unlock()
		return Decision{}, true
	}
	var o Outcome
	switch b {
	case FixedWindow:
		fixedWindowStep(s.stateAt(at, now), t, &o)
	case TokenBucket:
		tokenBucketStep(s.stateAt(at, now), t, &o)
	default:
		slidingWindowStep(s.stateAt(at, now), t, &o)
	}
	wait := int64(0)
	if s.max > 0 {
		wait = refusalWait(b, *t, &o)
	}
	s.keep(id, at, t, &o, wait)
	s.mu.Unlock()
	return o.Decision, false
}

// keep saves an outcome. A positive wait is how long the counter refuses from
// now on; only a cap makes use of it.
func (s *shard) keep(id counterID, at place, t *Take, o *Outcome, wait int64) {
	if o.TTL <= 0 {
		if wait > 0 && at.slot >= 0 {
			s.slots[at.slot].refuse(tickAfter(t.Now, wait))
		}
		return
	}
	now, expiry := tickOf(t.Now), tickAfter(t.Now, o.TTL)
	i, mark, work := at.slot, uint64(0), uint32(workOfUpdate)
	if s.max > 0 {
		mark = s.markFor(at, t, o, wait, expiry)
	}
	if i < 0 {
		if at.victim >= 0 {
			s.evict(at.victim, now)
		}
		i, work = s.insert(id, now), workOfInsert
	}
	s.slots[i].set(id, expiry, mark, &o.State)
	if s.work += work; s.work >= sweepBatch {
		s.work = 0
		s.sweep(now, sweepBatch)
	}
}

func (s *shard) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.table = table{expired: s.expired}
	s.work = 0
}
