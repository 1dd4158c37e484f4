package storagetest

import (
	"math"
	"slices"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// target is what the next request for a counter may aim at.
type target struct {
	moments []int64 // at which the answer changes, the latest ones
	left    int64   // what can be used now
}

// mostMoments is how many moments of a counter are aimed at.
const mostMoments = 12

// learn takes the moments at which the answer is going to change.
func (w *world) learn(aim *target, r request, d ratelimit.Decision) {
	t := r.take
	start := t.Now / t.Interval * t.Interval
	aim.moments = append(aim.moments, t.Now+d.ResetAfter, start+t.Interval, start+2*t.Interval)
	if d.RetryAfter > 0 {
		aim.moments = append(aim.moments, t.Now+d.RetryAfter)
	}
	for _, known := range w.p.oracle.counters[r.counter()] {
		if known.record != nil {
			aim.moments = append(aim.moments, known.ends, known.ends+grace.Microseconds())
		}
	}
	aim.left = d.Remaining
	aim.moments = aim.moments[max(0, len(aim.moments)-mostMoments):]
}

// moment is when the next request comes. Mostly the time does not go back: what
// has ended meanwhile, a storage may have or not, and so less is certain.
func (w *world) moment(aim *target, r request) int64 {
	t := r.take
	switch w.rng.IntN(14) {
	case 0, 1, 2:
		return w.now
	case 3:
		return w.now + w.upTo(1+t.Interval/t.Limit)
	case 4:
		return w.now + w.upTo(2*t.Interval)
	case 5:
		return w.now - w.upTo(t.Interval)
	case 6:
		return w.now - w.slow
	case 7:
		return w.now + w.slow
	case 8, 9, 10:
		return w.aimed(w.edges(r, edges.moments), 0)
	}
	return w.aimed(aim.moments, 1)
}

// aimed is one of the moments, or beside it by so many microseconds. Mostly it
// is not a past one.
func (w *world) aimed(moments []int64, beside int64) int64 {
	if w.rng.IntN(8) > 0 {
		moments = slices.DeleteFunc(slices.Clone(moments), func(m int64) bool { return m < w.now })
	}
	if len(moments) == 0 {
		return w.now
	}
	at := min(pickOf(w, moments), pickOf(w, moments)) // not too fast, or the world ends
	return at + w.rng.Int64N(2*beside+1) - beside
}

// edges are those of what the storage may have.
func (w *world) edges(r request, of func(edges, record, ratelimit.Take, picker) []int64) (all []int64) {
	for _, known := range w.p.oracle.counters[r.counter()] {
		all = append(all, of(modelOf(r.algorithm), known.record, r.take, w.rng.Int64N)...)
	}
	return all
}

// cost is 1 most of the time, and else beside what changes the answer.
func (w *world) cost(aim *target, r request) int64 {
	limit := r.take.Limit
	switch w.rng.IntN(13) {
	case 0:
		return 0
	case 1:
		return max(1, aim.left)
	case 2:
		return aim.left + 1
	case 3:
		return w.upTo(limit)
	case 4:
		return 1 + w.rng.Int64N(limit)
	case 5:
		return limit + w.rng.Int64N(2)
	case 6:
		return pickOf(w, []int64{1, limit + 1, ratelimit.MaxLimit, math.MaxInt64})
	case 7, 8:
		if costs := w.edges(r, edges.costs); len(costs) > 0 {
			return min(max(1, pickOf(w, costs)), limit)
		}
	}
	return 1
}
