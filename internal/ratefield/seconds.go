package ratefield

import "time"

// Seconds is d in whole seconds, rounded up so that nobody comes back too early;
// a negative d is 0. It is the t of a limit.
func Seconds(d time.Duration) int64 {
	seconds := int64(d / time.Second)
	if d%time.Second > 0 {
		seconds++
	}
	return max(0, seconds)
}

// RetryAfter is the number of Retry-After (RFC 9110, section 10.2.3) for a
// refusal: the [Seconds] of its wait, and at least 1, so that a refused client
// is never told to come back at once. Only a negative wait, a nonsense of a
// limiter's own, is 0 as every negative number. It is never below the Seconds of
// the same wait, so Retry-After is not earlier than t (section 6 of the draft).
func RetryAfter(wait time.Duration) int64 {
	if wait < 0 {
		return 0
	}
	return max(1, Seconds(wait))
}
