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
func saneWindow(s *State, start, interval int64) bool {
	// The first two conditions save the usual states the division.
	aligned := s[0] == start || s[0] == start-interval || s[0]%interval == 0
	return aligned && s[0] >= 0 && s[0] <= maxTime && uint64(s[1]) <= MaxLimit && uint64(s[2]) <= MaxLimit
}

// fixedWindowStep keeps (start of the window, used in it, -).
func fixedWindowStep(s *State, t *Take, o *Outcome) {
	start, used := windowStart(t.Now, t.Interval), int64(0)
	if s[0] >= start && saneWindow(s, start, t.Interval) {
		start, used = s[0], s[1] // the same window, or one that a clock ahead of ours has opened
	}
	d, wait := t.decide(used)
	d.ResetAfter = start + t.Interval - t.Now
	if wait {
		d.RetryAfter = d.ResetAfter
	}
	o.Decision = d
	if t.saves(d) {
		o.State[0], o.State[1] = start, used+t.Cost
		o.TTL = max(minTTL, d.ResetAfter)
	}
}

// slidingWindowStep keeps (start of the window, used in it, used in the one before).
func slidingWindowStep(s *State, t *Take, o *Outcome) {
	start, current, previous := windowStart(t.Now, t.Interval), int64(0), int64(0)
	if saneWindow(s, start, t.Interval) {
		switch {
		case s[0] >= start: // the same window, or one that a clock ahead of ours has opened
			start, current, previous = s[0], s[1], s[2]
		case s[0] == start-t.Interval:
			previous = s[1]
		}
	}
	weighted := previous // all of it while a clock ahead of ours is in the window and we are not
	if previous > 0 && t.Now > start {
		weighted = ceilMulDiv(previous, start+t.Interval-t.Now, t.Interval)
	}
	d, wait := t.decide(weighted + current)
	d.ResetAfter = start + t.Interval - t.Now
	if wait {
		d.RetryAfter = slidingWindowWait(start, current, previous, t)
	}
	o.Decision = d
	if t.saves(d) {
		o.State[0], o.State[1], o.State[2] = start, current+t.Cost, previous
		o.TTL = max(minTTL, d.ResetAfter+t.Interval)
	}
}

// slidingWindowWait is the shortest wait after which the refused cost fits:
// when enough of the previous window has faded or, if the current window alone
// is too full, when enough of it has faded in the next one.
func slidingWindowWait(start, current, previous int64, t *Take) int64 {
	fading, room := previous, t.Limit-current-t.Cost
	if room < 0 {
		start, fading, room = start+t.Interval, current, t.Limit-t.Cost
	}
	// It was refused, so there is less room than what fades: it fits once no
	// more than room/fading of the interval overlaps.
	overlap, _ := mulDiv(room, t.Interval, fading)
	return start + t.Interval - overlap - t.Now
}
