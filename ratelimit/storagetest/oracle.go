package storagetest

import (
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// An oracle knows what a right storage may answer. Mostly that is one decision.
// It can be either of two when a lifetime is about to end, or has ended on one
// clock and not on another: the storage may still have the state or may not.
type oracle struct {
	ownClock bool
	latest   int64 // of the times of all requests
	counters map[counter][]memory
}

// counter is what a storage keeps apart.
type counter struct {
	key, algorithm string
	interval       int64
}

// memory is a state that the storage may hold. The zero memory is none.
type memory struct {
	record  record
	ends    int64     // by the time of the requests
	forgets time.Time // by the storage's own clock, at the earliest
}

func (m memory) same(other memory) bool {
	if m.ends != other.ends || !m.forgets.Equal(other.forgets) {
		return false
	}
	a, ok := m.record.(debt)
	b, both := other.record.(debt)
	if ok && both {
		return a.at == b.at && a.parts.Cmp(b.parts) == 0
	}
	return m.record == other.record
}

// answer is a decision that is right, and the memories of which one is there
// afterwards when it saves nothing.
type answer struct {
	outcome
	leaves []memory
}

func newOracle(o Options) *oracle {
	return &oracle{ownClock: o.OwnClock, counters: map[counter][]memory{}}
}

// tolerance is by how much clocks of two machines may differ while a scenario
// runs.
const tolerance = 50 * time.Millisecond

// answers returns what may be answered to the request, which is over at done.
func (o *oracle) answers(r request, done time.Time) (all []answer) {
	o.latest = max(o.latest, r.take.Now)
	m := modelOf(r.algorithm)
	memories := o.counters[r.counter()]
	if len(memories) == 0 {
		memories = []memory{{}}
	}
	for _, known := range memories {
		kept, lost := o.lives(known, r.take.Now, done)
		if kept {
			all = append(all, answer{m.decide(known.record, r.take), []memory{known}})
		}
		if !lost {
			continue
		}
		a := answer{m.decide(nil, r.take), []memory{{}}}
		if known.record != nil && r.take.Now >= known.ends {
			a.leaves = append(a.leaves, known) // a clock that is behind may see it again
		}
		all = append(all, a)
	}
	return all
}

// lives tells whether the storage may have a state at a time, and whether it may
// not have it.
func (o *oracle) lives(m memory, now int64, done time.Time) (kept, lost bool) {
	switch {
	case m.record == nil:
		return false, true
	case o.ownClock:
		return true, o.latest >= m.ends || !done.Before(m.forgets)
	}
	return now < m.ends+grace.Microseconds(), o.latest >= m.ends
}

// learn remembers what follows from the answers that agree with the storage's.
func (o *oracle) learn(r request, given []answer, asked time.Time) {
	var memories []memory
	for _, a := range given {
		leaves := a.leaves
		if a.lifetime > 0 {
			leaves = []memory{{
				record:  a.record,
				ends:    r.take.Now + a.lifetime,
				forgets: asked.Add(micros(a.lifetime) - tolerance),
			}}
		}
		for _, m := range leaves {
			if !slices.ContainsFunc(memories, m.same) {
				memories = append(memories, m)
			}
		}
	}
	o.counters[r.counter()] = memories
}

// decisions are the different ones of the answers.
func decisions(answers []answer) (all []ratelimit.Decision) {
	for _, a := range answers {
		if !slices.Contains(all, a.Decision) {
			all = append(all, a.Decision)
		}
	}
	return all
}
