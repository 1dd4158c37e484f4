package ratelimit

// An Algorithm decides; a [Storage] only keeps what it remembers. So every
// algorithm works with every storage.
//
// An implementation must
//   - be pure: Step depends on its arguments alone, reads no clock, does no I/O,
//     and may run more than once for one request, and concurrently;
//   - check what it reads: a State can come from another version of itself;
//     nonsense counts as no state;
//   - return TTL 0 when nothing has changed (a refusal, a cost of 0): nothing
//     is saved then, and what was stored stays;
//   - never save the zero State, which means "none".
//
// The built-in algorithms are [FixedWindow], [SlidingWindow] and [TokenBucket].
type Algorithm interface {
	// Name is part of the storage key, so counters of two algorithms never
	// meet. It is a constant of the algorithm: letters and digits.
	Name() string

	// Step decides one request. Cost 0 peeks: it is accepted and saves nothing.
	// A cost above the limit is refused with a RetryAfter of [NeverMicros].
	Step(s State, t Take) Outcome
}

// A ScriptAlgorithm decides in Redis, too. Redis cannot load and save in two steps
// with nobody in between, so what runs there is the logic of Step as a Lua script.
// storagetest holds that both decide alike.
type ScriptAlgorithm interface {
	Algorithm

	// RedisScript is the body of a function(KEYS, ARGV). KEYS[1] is the key of the
	// counter, and its only one. ARGV is limit, cost, interval and now: integers as
	// text, times in microseconds. It returns accepted (1 or 0), remaining,
	// resetAfter and retryAfter as integers, the last of them [NoRetryMicros] or
	// [NeverMicros] where there is no wait.
	//
	// What it writes has to expire. Numbers are doubles: exact up to 2^53, but
	// only 14 digits of them are left when ".." makes text of them. The script is
	// always the same; two algorithms of one name must not have different ones.
	RedisScript() string
}

// State is what an algorithm keeps for one counter: three words whose meaning
// is the algorithm's own. Words count what was used, never what is left, so a
// changed limit keeps the use. The zero State means "none" and is never saved.
type State [3]int64

// Take is one request as an algorithm sees it. All times are microseconds.
type Take struct {
	Limit    int64 // 1 to MaxLimit
	Cost     int64 // 0 peeks
	Interval int64 // microseconds, one second to 366 days
	Now      int64 // microseconds since the Unix epoch, not negative
}

// Decision is an algorithm's answer. All times are microseconds from Take.Now.
type Decision struct {
	Accepted   bool
	Remaining  int64 // what can still be used now, never negative
	ResetAfter int64 // until more becomes available, not negative
	RetryAfter int64 // the wait after which this cost is accepted; NoRetryMicros when accepted, NeverMicros when no wait helps
}

// The two values of [Decision.RetryAfter] that are not a wait.
const (
	NoRetryMicros = -1 // accepted
	NeverMicros   = -2 // the cost is above the limit
)

// Outcome is a [Decision] and what to keep of it.
type Outcome struct {
	Decision
	State State
	TTL   int64 // microseconds for which State matters; 0: nothing is saved
}

// minTTL is the shortest lifetime of a saved state: one millisecond, the
// granularity of the storages.
const minTTL = 1000

// decide weighs the cost against what counts as used, which a lowered limit can
// leave above the limit. wait tells that the cost is refused now but fits later:
// the algorithm then fills in RetryAfter.
func (t *Take) decide(used int64) (d Decision, wait bool) {
	left := max(0, t.Limit-used)
	switch {
	case t.Cost <= left:
		return Decision{Accepted: true, Remaining: left - t.Cost, RetryAfter: NoRetryMicros}, false
	case t.Cost > t.Limit:
		return Decision{Remaining: left, RetryAfter: NeverMicros}, false
	default:
		return Decision{Remaining: left}, true
	}
}

// saves tells whether d changes the counter: a refusal and a peek do not.
func (t *Take) saves(d Decision) bool { return d.Accepted && t.Cost > 0 }

// BuiltIn is one of the three algorithms of this package. They use integers
// only, so Go and every other implementation of them agree to the microsecond.
type BuiltIn uint8

const (
	// SlidingWindow counts in windows that start at multiples of the interval
	// and weights the previous window by the part of it that still overlaps the
	// last interval. It is smooth, has no burst at the edge of two windows, and
	// is the default.
	SlidingWindow BuiltIn = iota

	// FixedWindow counts in windows that start at multiples of the interval. It
	// is the simplest, and admits up to twice the limit around the edge of two
	// windows.
	FixedWindow

	// TokenBucket refills Limit tokens evenly over the interval. It admits a
	// burst of Limit, then a steady rate; up to twice the limit less one within
	// some intervals.
	TokenBucket
)

// Name is "slidingWindow", "fixedWindow" or "tokenBucket".
func (b BuiltIn) Name() string {
	switch b {
	case SlidingWindow:
		return "slidingWindow"
	case FixedWindow:
		return "fixedWindow"
	case TokenBucket:
		return "tokenBucket"
	}
	return "unknown"
}

// Step decides one request, see [Algorithm].
func (b BuiltIn) Step(s State, t Take) (o Outcome) {
	b.step(&s, &t, &o)
	return o
}

// step is Step without a copy of anything. What it does not set in o is zero
// already.
func (b BuiltIn) step(s *State, t *Take, o *Outcome) {
	switch b {
	case FixedWindow:
		fixedWindowStep(s, t, o)
	case TokenBucket:
		tokenBucketStep(s, t, o)
	default:
		slidingWindowStep(s, t, o)
	}
}

// Validate refuses a value that is none of the three.
func (b BuiltIn) Validate() error {
	if b > TokenBucket {
		return errUnknownAlgorithm
	}
	return nil
}
