package ratelimit

import "math/bits"

// tokenBucketStep keeps the debt of the bucket: (time, used, fraction), where
// used tokens and fraction/interval of a token are missing at that time. The
// fraction is carried, so nothing is lost by rounding however often it is asked.
func tokenBucketStep(s *State, t *Take, o *Outcome) {
	at, used, fraction := tokenBucketDebt(s, t)
	lag := at - t.Now // positive: this clock is behind the one that wrote the state
	owed := used
	if fraction > 0 {
		owed++
	}
	d, wait := t.decide(owed)
	if wait {
		// A lowered limit can leave a debt that takes longer than an interval to
		// refill. It is forgiven one interval after it was made.
		missing := min(used+t.Cost-t.Limit, t.Limit)
		d.RetryAfter = lag + min(refillTime(missing, fraction, t), s[0]+t.Interval-at)
	}
	if d.Accepted {
		used += t.Cost
	}
	switch {
	case fraction > 0:
		d.ResetAfter = lag + ceilDiv(fraction, t.Limit)
	case used > 0:
		d.ResetAfter = lag + ceilDiv(t.Interval, t.Limit)
	}
	o.Decision = d
	if t.saves(d) {
		o.State[0], o.State[1], o.State[2] = at, used, fraction
		o.TTL = max(minTTL, lag+refillTime(used, fraction, t))
	}
}

// tokenBucketDebt refills the bucket up to now, or up to the stored time when
// that is later: time never goes back, so no clock refills a bucket twice.
func tokenBucketDebt(s *State, t *Take) (at, used, fraction int64) {
	sane := s[0] >= 0 && s[0] <= maxTime && uint64(s[1]) <= MaxLimit && s[2] >= 0 && s[2] < t.Interval
	if !sane {
		return t.Now, 0, 0
	}
	at = max(t.Now, s[0])
	passed := at - s[0]
	if passed >= t.Interval {
		return at, 0, 0
	}
	tokens, rest := mulDiv(t.Limit, passed, t.Interval)
	used, fraction = s[1]-tokens, s[2]-rest
	if fraction < 0 {
		used, fraction = used-1, fraction+t.Interval
	}
	if used < 0 {
		return at, 0, 0
	}
	return at, used, fraction
}

// refillTime is the time in which tokens, at most the limit, and
// fraction/interval of a token come back, rounded up.
func refillTime(tokens, fraction int64, t *Take) int64 {
	hi, lo := bits.Mul64(uint64(tokens), uint64(t.Interval))
	lo, carry := bits.Add64(lo, uint64(fraction+t.Limit-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(t.Limit))
	return int64(q)
}
