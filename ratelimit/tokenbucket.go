package ratelimit

import (
	"math"
	"math/bits"
)

// tokenBucketStep keeps the debt of the bucket: (time, used, fraction), where
// used tokens and fraction/interval of a token are missing at that time. The
// fraction is carried, so nothing is lost by rounding however often it is asked.
func tokenBucketStep(s State, t Take) Outcome {
	at, used, fraction := tokenBucketDebt(s, t)
	lag := at - t.Now // positive: this clock is behind the one that wrote the state
	owed := used
	if fraction > 0 {
		owed++
	}
	d := Decision{Accepted: t.Cost == 0 || t.Cost <= t.Limit-owed, RetryAfter: NoRetryMicros}
	if d.Accepted {
		used, owed = used+t.Cost, owed+t.Cost
	} else if t.Cost > t.Limit {
		d.RetryAfter = NeverMicros
	} else {
		// A limit that was lowered leaves a debt of more than one interval,
		// which is forgiven one interval after it was made.
		d.RetryAfter = lag + min(refillTime(used+t.Cost-t.Limit, fraction, t), s[0]+t.Interval-at)
	}
	d.Remaining = max(0, t.Limit-owed)
	switch {
	case fraction > 0:
		d.ResetAfter = lag + ceilDiv(fraction, t.Limit)
	case used > 0:
		d.ResetAfter = lag + ceilDiv(t.Interval, t.Limit)
	}
	if !d.Accepted || t.Cost == 0 {
		return Outcome{Decision: d}
	}
	return Outcome{
		Decision: d,
		State:    State{at, used, fraction},
		TTL:      max(minTTL, lag+refillTime(used, fraction, t)),
	}
}

// tokenBucketDebt refills the bucket up to now, or up to the stored time when
// that is later: time never goes back, so no clock refills a bucket twice.
func tokenBucketDebt(s State, t Take) (at, used, fraction int64) {
	at, used, fraction = max(t.Now, s[0]), s[1], s[2]
	sane := s[0] >= 0 && s[0] <= maxTime && uint64(used) <= MaxLimit && fraction >= 0 && fraction < t.Interval
	if !sane {
		return t.Now, 0, 0
	}
	passed := at - s[0]
	if passed >= t.Interval || s == (State{}) {
		return at, 0, 0
	}
	tokens, rest := mulDiv(t.Limit, passed, t.Interval)
	used, fraction = used-tokens, fraction-rest
	if fraction < 0 {
		used, fraction = used-1, fraction+t.Interval
	}
	if used < 0 {
		return at, 0, 0
	}
	return at, used, fraction
}

// refillTime is the time in which tokens and fraction/interval of a token come
// back, rounded up. It saturates.
func refillTime(tokens, fraction int64, t Take) int64 {
	hi, lo := bits.Mul64(uint64(tokens), uint64(t.Interval))
	lo, carry := bits.Add64(lo, uint64(fraction), 0)
	hi += carry
	if hi >= uint64(t.Limit) {
		return math.MaxInt64
	}
	q, r := bits.Div64(hi, lo, uint64(t.Limit))
	if q >= math.MaxInt64 {
		return math.MaxInt64
	}
	if r > 0 {
		q++
	}
	return int64(q)
}
