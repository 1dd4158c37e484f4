package ratelimit

import "math/bits"

// windowStart is the start of the window that contains now: a multiple of the
// interval since the epoch.
func windowStart(now, interval int64) int64 { return now - now%interval }

// mulDiv returns the quotient and the remainder of a*b/c, exactly. The product
// reaches 3e22, past 64 bits. It needs 0 <= a, b and a*b/c < 2^64, which holds
// where a <= c or b <= c.
func mulDiv(a, b, c int64) (quo, rem int64) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(hi, lo, uint64(c))
	return int64(q), int64(r)
}

// ceilMulDiv is a*b/c rounded up.
func ceilMulDiv(a, b, c int64) int64 {
	q, r := mulDiv(a, b, c)
	if r > 0 {
		q++
	}
	return q
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }

// maxTime bounds the times that can stand in a state: beyond it lies no clock.
const maxTime = 1 << 53

// saneWindow tells whether s can be the state of a window algorithm with this
// interval, whose own window now starts at start. A window far ahead is sane:
// another server's clock opened it.
func saneWindow(s State, start, interval int64) bool {
	aligned := s[0] == start || s[0] == start-interval || s[0]%interval == 0
	return aligned && s[0] >= 0 && s[0] <= maxTime && uint64(s[1]) <= MaxLimit && uint64(s[2]) <= MaxLimit
}

// fixedWindowStep keeps (start of the window, used in it, -).
func fixedWindowStep(s State, t Take) Outcome {
	start, used := windowStart(t.Now, t.Interval), int64(0)
	if s[0] >= start && saneWindow(s, start, t.Interval) {
		start, used = s[0], s[1] // the same window, or one that a clock ahead of ours has opened
	}
	end := start + t.Interval - t.Now
	d := Decision{Accepted: t.Cost == 0 || t.Cost <= t.Limit-used, ResetAfter: end, RetryAfter: NoRetryMicros}
	if !d.Accepted {
		d.Remaining, d.RetryAfter = max(0, t.Limit-used), end
		if t.Cost > t.Limit {
			d.RetryAfter = NeverMicros
		}
		return Outcome{Decision: d}
	}
	used += t.Cost
	d.Remaining = max(0, t.Limit-used)
	if t.Cost == 0 {
		return Outcome{Decision: d}
	}
	return Outcome{Decision: d, State: State{start, used}, TTL: max(minTTL, end)}
}

// slidingWindowStep keeps (start of the window, used in it, used in the one before).
func slidingWindowStep(s State, t Take) Outcome {
	start, current, previous := windowStart(t.Now, t.Interval), int64(0), int64(0)
	if saneWindow(s, start, t.Interval) {
		switch {
		case s[0] >= start: // the same window, or one that a clock ahead of ours has opened
			start, current, previous = s[0], s[1], s[2]
		case s[0] == start-t.Interval:
			previous = s[1]
		}
	}
	elapsed := max(0, t.Now-start)
	weighted := previous
	if previous > 0 && elapsed > 0 {
		weighted = ceilMulDiv(previous, t.Interval-elapsed, t.Interval)
	}
	end := start + t.Interval - t.Now
	d := Decision{Accepted: t.Cost == 0 || t.Cost <= t.Limit-weighted-current, ResetAfter: end, RetryAfter: NoRetryMicros}
	if !d.Accepted {
		d.Remaining = max(0, t.Limit-current-weighted)
		d.RetryAfter = slidingWindowWait(start, current, previous, t)
		return Outcome{Decision: d}
	}
	current += t.Cost
	d.Remaining = max(0, t.Limit-current-weighted)
	if t.Cost == 0 {
		return Outcome{Decision: d}
	}
	return Outcome{Decision: d, State: State{start, current, previous}, TTL: max(minTTL, end+t.Interval)}
}

// slidingWindowWait is the shortest wait after which the refused cost fits:
// when enough of the previous window has faded or, if the current window alone
// is too full, when enough of it has faded in the next one.
func slidingWindowWait(start, current, previous int64, t Take) int64 {
	if t.Cost > t.Limit {
		return NeverMicros
	}
	base, counted, room := start, previous, t.Limit-current-t.Cost
	if room < 0 {
		base, counted, room = start+t.Interval, current, t.Limit-t.Cost
	}
	stays := t.Interval // how long the counted window may still overlap
	if room < counted {
		stays, _ = mulDiv(room, t.Interval, counted)
	}
	return base + t.Interval - stays - t.Now
}
