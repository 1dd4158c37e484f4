package storagetest

import (
	"math/big"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// windows are the requests of a window and of the one before it. Windows are
// numbered from the epoch on.
type windows struct{ number, current, previous int64 }

// newest is the newest window that is known at a moment: a clock that went back
// counts in the window that it had reached.
func newest(r record, t ratelimit.Take, at int64) windows {
	now := at / t.Interval
	last, _ := r.(windows)
	switch {
	case last.number >= now:
		return last
	case last.number == now-1:
		return windows{number: now, previous: last.current}
	}
	return windows{number: now}
}

// fixedWindow counts the requests of the newest window.
type fixedWindow struct{ noEdges }

func (fixedWindow) used(r record, t ratelimit.Take, at int64) int64 { return newest(r, t, at).current }

func (fixedWindow) add(r record, t ratelimit.Take) record {
	w := newest(r, t, t.Now)
	return windows{number: w.number, current: w.current + t.Cost}
}

func (fixedWindow) more(r record, t ratelimit.Take) int64 {
	return (newest(r, t, t.Now).number + 1) * t.Interval
}

func (f fixedWindow) ends(r record, t ratelimit.Take) int64 { return f.more(r, t) }

// slidingWindow counts, besides, the part of the window before that lies within
// the last interval, as if its requests had come evenly.
type slidingWindow struct{ fixedWindow }

func (slidingWindow) used(r record, t ratelimit.Take, at int64) int64 {
	w := newest(r, t, at)
	overlap := t.Interval - max(0, at-w.number*t.Interval)
	return ceil(product(w.previous, overlap), t.Interval) + w.current
}

func (slidingWindow) add(r record, t ratelimit.Take) record {
	w := newest(r, t, t.Now)
	w.current += t.Cost
	return w
}

func (s slidingWindow) ends(r record, t ratelimit.Take) int64 { return s.more(r, t) + t.Interval }

// moments are where the part that counts is a whole number, now or in the next
// window.
func (slidingWindow) moments(r record, t ratelimit.Take, pick picker) (all []int64) {
	w, _ := r.(windows)
	for i, counted := range []int64{w.previous, w.current} {
		end := (w.number + 1 + int64(i)) * t.Interval
		for _, overlap := range residues(counted, t.Interval, []int64{0, 1, -1}, pick) {
			all = append(all, end-overlap)
		}
	}
	return all
}

// costs are those that fit when the overlap is a whole number of microseconds.
func (slidingWindow) costs(r record, t ratelimit.Take, pick picker) (all []int64) {
	w := newest(r, t, t.Now)
	for _, room := range residues(t.Interval, w.previous, []int64{0, 1, -1}, pick) {
		all = append(all, t.Limit-w.current-room)
	}
	for _, room := range residues(t.Interval, w.current, []int64{0, 1, -1}, pick) {
		all = append(all, t.Limit-room)
	}
	return all
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// ceil is a/b rounded up, of numbers that are not negative.
func ceil(a *big.Int, b int64) int64 {
	sum := new(big.Int).Add(a, big.NewInt(b-1))
	return sum.Quo(sum, big.NewInt(b)).Int64()
}
