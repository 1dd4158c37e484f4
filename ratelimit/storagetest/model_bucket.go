package storagetest

import (
	"math/big"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// debt is how many tokens a bucket lacked at a moment. It is never changed.
type debt struct {
	at     int64
	tokens *big.Rat
}

// tokenBucket refills limit tokens in an interval, evenly. One interval after
// the last request it is full in any case: that is when the limit was lowered
// and the debt is more than the limit.
type tokenBucket struct{}

// lacks is the debt at a moment. The newest time of all requests wins, so a
// clock that is behind refills nothing.
func (tokenBucket) lacks(r record, t ratelimit.Take, at int64) debt {
	last, ok := r.(debt)
	if !ok {
		return debt{at, new(big.Rat)}
	}
	at = max(at, last.at)
	refilled := new(big.Rat).SetFrac(product(t.Limit, at-last.at), big.NewInt(t.Interval))
	tokens := refilled.Sub(last.tokens, refilled)
	if tokens.Sign() < 0 || at-last.at >= t.Interval {
		tokens = new(big.Rat)
	}
	return debt{at, tokens}
}

// used counts a part of a token as a whole one.
func (b tokenBucket) used(r record, t ratelimit.Take, at int64) int64 {
	return ceil(b.lacks(r, t, at).tokens)
}

func (b tokenBucket) add(r record, t ratelimit.Take) record {
	d := b.lacks(r, t, t.Now)
	return debt{d.at, new(big.Rat).Add(d.tokens, new(big.Rat).SetInt64(t.Cost))}
}

// more is when the next token is whole; now, when none is missing.
func (b tokenBucket) more(r record, t ratelimit.Take) int64 {
	d := b.lacks(r, t, t.Now)
	if d.tokens.Sign() == 0 {
		return t.Now
	}
	whole := new(big.Rat).SetInt64(ceil(d.tokens) - 1)
	return d.at + b.refill(whole.Sub(d.tokens, whole), t)
}

func (b tokenBucket) ends(r record, t ratelimit.Take) int64 {
	d := b.lacks(r, t, t.Now)
	return d.at + b.refill(d.tokens, t)
}

// refill is how long so many tokens take.
func (tokenBucket) refill(tokens *big.Rat, t ratelimit.Take) int64 {
	each := new(big.Rat).SetFrac64(t.Interval, t.Limit)
	return ceil(each.Mul(each, tokens))
}

// edges are moments at which the refill or the debt is a whole number of
// tokens, or beside one by as little as possible.
func (tokenBucket) edges(r record, t ratelimit.Take, pick func(n int64) int64) (moments []int64) {
	last, ok := r.(debt)
	if !ok {
		return nil
	}
	scale := new(big.Rat).SetInt64(t.Interval)
	part := new(big.Int).Mod(scale.Mul(scale, last.tokens).Num(), big.NewInt(t.Interval)).Int64()
	for _, passed := range residues(t.Limit, t.Interval, []int64{0, 1, -1, part - 1, part, part + 1}, pick) {
		moments = append(moments, last.at+passed)
	}
	return moments
}
