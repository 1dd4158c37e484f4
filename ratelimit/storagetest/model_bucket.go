package storagetest

import (
	"math/big"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// debt is what a bucket lacked at a moment. A token has as many parts as the
// interval has microseconds: so exactly limit parts come back in each of them,
// and all numbers are whole. It is never changed.
type debt struct {
	at    int64
	parts *big.Int
}

// tokenBucket refills limit tokens in an interval, evenly. One interval after
// the last request it is full in any case; that matters when the limit was
// lowered and the debt is more than it.
type tokenBucket struct{}

// lacks is the debt at a moment. The newest time of all requests wins, so a
// clock that is behind refills nothing.
func (tokenBucket) lacks(r record, t ratelimit.Take, at int64) debt {
	last, ok := r.(debt)
	if !ok {
		return debt{at, new(big.Int)}
	}
	at = max(at, last.at)
	parts := product(t.Limit, at-last.at)
	parts.Sub(last.parts, parts)
	if parts.Sign() < 0 || at-last.at >= t.Interval {
		parts.SetInt64(0)
	}
	return debt{at, parts}
}

// used counts a part of a token as a whole one.
func (b tokenBucket) used(r record, t ratelimit.Take, at int64) int64 {
	return ceil(b.lacks(r, t, at).parts, t.Interval)
}

func (b tokenBucket) add(r record, t ratelimit.Take) record {
	d := b.lacks(r, t, t.Now)
	return debt{d.at, d.parts.Add(d.parts, product(t.Cost, t.Interval))}
}

// more is when the next token is whole; now, when none is missing.
func (b tokenBucket) more(r record, t ratelimit.Take) int64 {
	d := b.lacks(r, t, t.Now)
	if d.parts.Sign() == 0 {
		return t.Now
	}
	whole := product(ceil(d.parts, t.Interval)-1, t.Interval)
	return d.at + ceil(whole.Sub(d.parts, whole), t.Limit)
}

func (b tokenBucket) ends(r record, t ratelimit.Take) int64 {
	d := b.lacks(r, t, t.Now)
	return d.at + ceil(d.parts, t.Limit)
}

// moments are where the refill or the debt is a whole number of tokens.
func (tokenBucket) moments(r record, t ratelimit.Take, pick picker) (all []int64) {
	last, ok := r.(debt)
	if !ok {
		return nil
	}
	rest := new(big.Int).Mod(last.parts, big.NewInt(t.Interval)).Int64()
	for _, passed := range residues(t.Limit, t.Interval, []int64{0, 1, -1, rest - 1, rest, rest + 1}, pick) {
		all = append(all, last.at+passed)
	}
	return all
}

// costs are those that fit after a whole number of microseconds.
func (b tokenBucket) costs(r record, t ratelimit.Take, pick picker) (all []int64) {
	d := b.lacks(r, t, t.Now)
	used := new(big.Int).Div(d.parts, big.NewInt(t.Interval)).Int64()
	rest := new(big.Int).Mod(d.parts, big.NewInt(t.Interval)).Int64()
	for _, missing := range residues(t.Interval, t.Limit, []int64{-rest, 1 - rest, -1 - rest}, pick) {
		all = append(all, missing+t.Limit-used)
	}
	return all
}
