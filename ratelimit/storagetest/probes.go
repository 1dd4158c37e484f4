package storagetest

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The algorithms of this file ask a storage what no built-in one would notice.

// perLifetime admits its limit until the state is gone, whatever the time, so
// its answers show how long the state lives. It keeps (used, end).
type perLifetime struct{}

func (perLifetime) Name() string { return "perLifetime" }

func (perLifetime) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	used, end := s[0], s[1]
	if s == (ratelimit.State{}) {
		end = t.Now + t.Interval
	}
	left := max(1, end-t.Now)
	d := ratelimit.Decision{Accepted: true, ResetAfter: left, RetryAfter: ratelimit.NoRetryMicros}
	switch {
	case t.Cost > t.Limit-used:
		return ratelimit.Outcome{Decision: ratelimit.Decision{Remaining: t.Limit - used, ResetAfter: left, RetryAfter: left}}
	case t.Cost == 0:
		d.Remaining = t.Limit - used
		return ratelimit.Outcome{Decision: d}
	}
	used += t.Cost
	d.Remaining = t.Limit - used
	return ratelimit.Outcome{Decision: d, State: ratelimit.State{used, end}, TTL: left}
}

// recall goes through a list of states and tells in Remaining which of them it
// was given; -1 is none of them. A peek returns a state that is not to be saved.
type recall struct{}

var recalled = []ratelimit.State{
	{},
	{0, 0, 1},
	{0, 1, 0},
	{-1, 0, 0},
	{math.MaxInt64, math.MinInt64, -1},
	{1<<53 + 1, -1<<53 - 1, 1<<62 + 1}, // no float64 holds these
	{0x0a0d_2700_5c22_ff80, 0x7f, 0x80},
}

func (recall) Name() string { return "recall" }

func (recall) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	i := slices.Index(recalled, s)
	o := ratelimit.Outcome{Decision: ratelimit.Decision{Accepted: true, Remaining: int64(i), RetryAfter: ratelimit.NoRetryMicros}}
	switch {
	case t.Cost == 0:
		o.State = ratelimit.State{1, 2, 3}
	case i+1 < len(recalled):
		o.State, o.TTL = recalled[i+1], t.Interval
	}
	return o
}

// olderGap is minimumGap as an earlier version of it might have been: it has the
// same name, and other states.
type olderGap struct{ ratelimit.BuiltIn }

func (olderGap) Name() string { return minimumGap{}.Name() }

// yielding lets others run while it decides: a storage that does not exclude
// them loses requests.
type yielding struct{ ratelimit.BuiltIn }

func (y yielding) Name() string { return "yielding" + y.BuiltIn.Name() }

func (y yielding) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	runtime.Gosched()
	return y.BuiltIn.Step(s, t)
}

// gathering decides when all have asked. Its calls are inside of the storage
// meanwhile, or wait there for their turn.
type gathering struct {
	ratelimit.BuiltIn
	asking *sync.WaitGroup // those that have not asked
}

func (gathering) Name() string { return "gathering" }

func (g gathering) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	g.asking.Wait()
	runtime.Gosched() // who has asked is on the way into the storage
	return g.BuiltIn.Step(s, t)
}

// panicking has a bug that shows at a cost of 13.
type panicking struct{ ratelimit.BuiltIn }

func (panicking) Name() string { return "panicking" }

func (p panicking) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	if t.Cost == 13 {
		panic("storagetest: a bug in an algorithm, on purpose")
	}
	return p.BuiltIn.Step(s, t)
}
