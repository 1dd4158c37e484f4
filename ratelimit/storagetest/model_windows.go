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
type fixedWindow struct{}

func (fixedWindow) used(r record, t ratelimit.Take, at int64) int64 { return newest(r, t, at).current }

func (fixedWindow) add(r record, t ratelimit.Take) record {
	w := newest(r, t, t.Now)
	return windows{number: w.number, current: w.current + t.Cost}
}

func (fixedWindow) more(r record, t ratelimit.Take) int64 {
	return (newest(r, t, t.Now).number + 1) * t.Interval
}

func (f fixedWindow) ends(r record, t ratelimit.Take) int64 { return f.more(r, t) }

func (fixedWindow) edges(record, ratelimit.Take, func(int64) int64) []int64 { return nil }

// slidingWindow counts, besides, the part of the window before that lies within
// the last interval, as if its requests had come evenly.
type slidingWindow struct{ fixedWindow }

func (slidingWindow) used(r record, t ratelimit.Take, at int64) int64 {
	w := newest(r, t, at)
	overlap := t.Interval - max(0, at-w.number*t.Interval)
	counts := new(big.Rat).SetFrac(product(w.previous, overlap), big.NewInt(t.Interval))
	return ceil(counts) + w.current
}

func (slidingWindow) add(r record, t ratelimit.Take) record {
	w := newest(r, t, t.Now)
	w.current += t.Cost
	return w
}

func (s slidingWindow) ends(r record, t ratelimit.Take) int64 { return s.more(r, t) + t.Interval }

// edges are moments at which the part that counts is a whole number, or beside
// one by as little as possible.
func (slidingWindow) edges(r record, t ratelimit.Take, pick func(n int64) int64) (moments []int64) {
	w, _ := r.(windows)
	for i, counted := range []int64{w.previous, w.current} {
		end := (w.number + 1 + int64(i)) * t.Interval
		for _, overlap := range residues(counted, t.Interval, []int64{0, 1, -1}, pick) {
			moments = append(moments, end-overlap)
		}
	}
	return moments
}

func product(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// ceil is x rounded up.
func ceil(x *big.Rat) int64 {
	q, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		return q.Int64() + 1
	}
	return q.Int64()
}
