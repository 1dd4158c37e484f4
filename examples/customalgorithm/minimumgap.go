package main

import "github.com/sallyport-go/sallyport/ratelimit"

// minimumGap admits one request and then none for Interval/Limit: 60 in a minute
// is one each second, and no two at once. A request of cost 3 is followed by
// three gaps.
//
// Its state is the time of the last accepted request, its cost, and the version
// of the state. A changed limit counts at once, as no gap is stored.
type minimumGap struct{}

// version marks the states of this code. Whoever changes their meaning counts it
// up, so that states of older servers are taken for none.
const version = 1

// maxTime is far beyond every clock, and small enough to calculate with.
const maxTime = 1 << 53

// Name is part of the names of the counters.
func (minimumGap) Name() string { return "minimumGap" }

// Step implements ratelimit.Algorithm.
func (minimumGap) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	wait := gapAfter(s, t)
	d := ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}
	if wait == 0 {
		d.Remaining = t.Limit // what one request may cost now
	}
	switch {
	case t.Cost > t.Limit:
		d.RetryAfter = ratelimit.NeverMicros
	case t.Cost == 0:
		d.Accepted, d.RetryAfter = true, ratelimit.NoRetryMicros
	case wait == 0:
		next := gap(t.Cost, t)
		return ratelimit.Outcome{
			Decision: ratelimit.Decision{Accepted: true, ResetAfter: next, RetryAfter: ratelimit.NoRetryMicros},
			State:    ratelimit.State{t.Now, t.Cost, version},
			TTL:      next, // then the state is as good as none
		}
	}
	return ratelimit.Outcome{Decision: d} // TTL 0: what was stored stays
}

// gapAfter is what is left of the gap behind the last accepted request. A state
// that this code cannot have written is none.
func gapAfter(s ratelimit.State, t ratelimit.Take) int64 {
	last, cost := s[0], s[1]
	if last < 0 || last > maxTime || cost < 1 || cost > ratelimit.MaxLimit || s[2] != version {
		return 0
	}
	return max(0, last+gap(cost, t)-t.Now)
}

// gap is how long nothing is admitted after a request of that cost, rounded up.
// Under a lowered limit a cost can be above it: no gap is longer than that of
// the limit, which is one interval or, by rounding, a little more.
func gap(cost int64, t ratelimit.Take) int64 {
	one := (t.Interval + t.Limit - 1) / t.Limit
	return min(cost, t.Limit) * one
}
