package ratelimit

import "math/bits"

// Under a cap, the mark of a counter tells what it is worth: either how much of
// the limit was used, in steps, or until when it refuses. The latter is told by
// how long the counter outlives the refusal, as a power of two, rounded down: a
// refusal may seem to last longer than it does, never shorter.
const (
	usedSteps    = 16            // marks below: 0 for a little, 15 for all
	refusesToEnd = usedSteps     // it refuses until it expires
	refusesTo    = usedSteps + 1 // + n: until 2^n ticks before it expires
)

// victimsSeen bounds the counters that a call looks at to make room.
const victimsSeen = 32

func usedMark(limit, remaining int64) uint64 {
	used := limit - min(max(0, remaining), limit)
	return uint64(used * (usedSteps - 1) / limit)
}

func refusalMark(until, expiry tick) uint64 {
	if until >= expiry {
		return refusesToEnd
	}
	return refusesTo + uint64(bits.Len64(uint64(expiry-until))) - 1
}

// refusesUntil is 0 when the counter has not refused.
func (s *slot) refusesUntil() tick {
	switch mark := s.mark(); {
	case mark < refusesToEnd:
		return 0
	case mark == refusesToEnd:
		return s.expiry()
	default:
		return s.expiry() - min(s.expiry(), 1<<(mark-refusesTo))
	}
}

// refuse notes that the counter refuses until then or longer.
func (s *slot) refuse(until tick) {
	if until > s.refusesUntil() {
		s.meta = s.meta&^markMask | refusalMark(until, s.expiry())
	}
}

// worth orders counters by who goes first: the one with the most left, among
// equals the one that ends first. One whose refusal is over comes last.
func (s *slot) worth() uint64 {
	return min(s.mark(), usedSteps)<<expiryBits | uint64(s.expiry())
}

// victim returns the slot of the counter that has to go for a new one: of the
// few that it looks at, an expired one or the one of least worth. It is -1 when
// all of them refuse; the next call looks at others.
func (s *shard) victim(now tick) int {
	victim := -1
	for n, seen := 0, 0; seen < victimsSeen && n < len(s.slots); n++ { // a run of empty slots says nothing
		i := s.advance()
		c := &s.slots[i]
		if c.empty() {
			continue
		}
		seen++
		switch {
		case c.expired(now):
			return i
		case c.refusesUntil() > now:
		case victim < 0 || c.worth() < s.slots[victim].worth():
			victim = i
		}
	}
	return victim
}

func (s *shard) evict(victim int, now tick) {
	if s.slots[victim].expired(now) {
		s.expired++
	} else {
		s.evicted++
	}
	s.remove(victim)
}

// markFor is the mark of a counter that is about to be saved. That a small
// request was accepted does not end the refusal of a larger one.
func (s *shard) markFor(at place, t *Take, o *Outcome, wait int64, expiry tick) uint64 {
	now, until := tickOf(t.Now), tick(0)
	if wait > 0 {
		until = tickAfter(t.Now, wait)
	}
	if at.slot >= 0 {
		until = max(until, s.slots[at.slot].refusesUntil())
	}
	if until > now {
		return refusalMark(until, expiry)
	}
	return usedMark(t.Limit, o.Remaining)
}

// refusalWait is how long a counter refuses from now on: the request that was
// just refused or, when nothing is left, the smallest one. It is not positive
// when the counter does not refuse or no wait would help.
func refusalWait(a Algorithm, t Take, o *Outcome) int64 {
	switch {
	case !o.Accepted:
		return o.RetryAfter
	case o.TTL > 0 && o.Remaining <= 0:
		t.Cost = 1
		return a.Step(o.State, t).RetryAfter
	}
	return 0
}
