package storagetest

import (
	"github.com/sallyport-go/sallyport/ratelimit"
)

// A model is what an algorithm has to answer, decided by other means than those
// of the product: nothing but definitions, and exact numbers of any size.
type model interface {
	decide(r record, t ratelimit.Take) outcome
	edges
}

// edges are where the arithmetic for a record is on the edge of rounding, or
// beside it by as little as possible. An edge is picked among many.
type edges interface {
	moments(r record, t ratelimit.Take, pick picker) []int64
	costs(r record, t ratelimit.Take, pick picker) []int64
}

// picker is a random number from 0 to n-1.
type picker func(n int64) int64

// noEdges are those of whole numbers that are neither multiplied nor divided.
type noEdges struct{}

func (noEdges) moments(record, ratelimit.Take, picker) []int64 { return nil }
func (noEdges) costs(record, ratelimit.Take, picker) []int64   { return nil }

// record is what a model remembers of a counter; nil: nothing.
type record any

// outcome is a decision and what is remembered of it.
type outcome struct {
	ratelimit.Decision
	record   record
	lifetime int64 // microseconds; 0: what was remembered before stays
}

// modelOf returns the model of an algorithm. Of one that is not built in, its
// Step is the model.
func modelOf(a ratelimit.Algorithm) model {
	b, ok := a.(ratelimit.BuiltIn)
	switch {
	case !ok:
		return stepModel{algorithm: a}
	case b == ratelimit.FixedWindow:
		return defined{fixedWindow{}}
	case b == ratelimit.TokenBucket:
		return defined{tokenBucket{}}
	}
	return defined{slidingWindow{}}
}

// stepModel decides as Step does.
type stepModel struct {
	algorithm ratelimit.Algorithm
	noEdges
}

func (m stepModel) decide(r record, t ratelimit.Take) outcome {
	state, _ := r.(ratelimit.State)
	o := m.algorithm.Step(state, t)
	return outcome{o.Decision, o.State, o.TTL}
}

// A definition says what an algorithm counts, and nothing about decisions.
type definition interface {
	// used is what counts against the limit at a moment. As time passes without
	// requests it only falls.
	used(r record, t ratelimit.Take, at int64) int64
	// add remembers an accepted request.
	add(r record, t ratelimit.Take) record
	// more is the moment at which more becomes available.
	more(r record, t ratelimit.Take) int64
	// ends is the moment from which r is as good as nothing.
	ends(r record, t ratelimit.Take) int64
	edges
}

// shortest is the shortest lifetime, one millisecond.
const shortest = 1000

// defined makes a definition a model.
type defined struct{ definition }

func (m defined) decide(r record, t ratelimit.Take) outcome {
	used := m.used(r, t, t.Now)
	o := outcome{Decision: ratelimit.Decision{RetryAfter: ratelimit.NoRetryMicros}}
	switch {
	case t.Cost == 0:
		o.Accepted = true
	case t.Cost > t.Limit:
		o.RetryAfter = ratelimit.NeverMicros
	case t.Cost > t.Limit-used:
		o.RetryAfter = m.wait(r, t)
	default:
		o.Accepted = true
		r = m.add(r, t)
		used += t.Cost
		o.record, o.lifetime = r, max(shortest, m.ends(r, t)-t.Now)
	}
	o.Remaining = max(0, t.Limit-used)
	o.ResetAfter = m.more(r, t) - t.Now
	return o
}

// wait looks for the first microsecond in which the request would be accepted.
func (m defined) wait(r record, t ratelimit.Take) int64 {
	fits := func(wait int64) bool { return t.Cost <= t.Limit-m.used(r, t, t.Now+wait) }
	refused, accepted := int64(0), int64(1)
	for !fits(accepted) {
		refused, accepted = accepted, 2*accepted
	}
	for accepted-refused > 1 {
		if middle := (refused + accepted) / 2; fits(middle) {
			accepted = middle
		} else {
			refused = middle
		}
	}
	return accepted
}
