package ratelimit

import (
	"errors"
	"fmt"
	"time"
)

// The ranges of a [Policy].
const (
	MaxLimit    = 1_000_000_000
	MinInterval = time.Second
	MaxInterval = 366 * 24 * time.Hour

	minInterval = int64(MinInterval / time.Microsecond)
	maxInterval = int64(MaxInterval / time.Microsecond)
)

// FailureMode is what a policy does while its storage is unavailable.
type FailureMode uint8

const (
	// FailOpen lets the request pass, without header fields of that policy,
	// and logs a warning. A limit must not take the API down.
	FailOpen FailureMode = iota
	// FailClosed refuses with 503: better no answer than an unlimited one.
	FailClosed
	// FailLocal counts in the memory of this process meanwhile, from zero, and
	// logs a warning; the storage does not learn of it later. Each of several
	// servers then admits its share, see Options.LocalShare.
	FailLocal
)

// Policy is a limit: how many requests in which interval, counted by what.
// As a [Rule] of an endpoint it is an inline limit with counters of its own for
// that endpoint; in the list of named policies it is one limit with one set of
// counters for all endpoints that name it.
type Policy struct {
	// Name stands in the header fields and in the storage keys, so renaming a
	// policy starts its counters afresh. Letters, digits, "_", "-" and ".".
	// Required for a named policy; an inline one is called after its endpoint,
	// such as POST.v1.export.
	Name string

	Algorithm Algorithm     // nil: SlidingWindow
	Limit     int64         // requests per Interval: 1 to MaxLimit, required
	Interval  time.Duration // whole seconds, MinInterval to MaxInterval, required
	Key       Key           // who shares a counter; nil: IP

	// LimitFor is the limit of this caller: by plan, by time of day. 0: Limit.
	// The RateLimit-Policy field shows it. It runs once per request and policy,
	// possibly concurrently; a value outside 1 to MaxLimit is a programming
	// error. Context.Identity and Context.Subject are known at the second gate
	// alone: a limit by plan needs a Key that needs the identity.
	LimitFor func(*Context) int64

	Storage          Storage     // nil: the configured one
	OnStorageFailure FailureMode // FailOpen unless set

	// Limiter makes the policy a name for a limiter of one's own; only Name may
	// be set beside it. Results without a name get that of the policy. A limiter
	// that was made of a policy has a name, and another one is a mistake. The
	// limiters of a [Chain] keep their names: that of the policy is for [Named]
	// alone.
	Limiter Limiter
}

// Validate reports all that is wrong with the policy and its parts, the name
// being allowed to be missing.
func (p Policy) Validate() error { return unreported(p.mistakes(checker{})) }

// mistakes can have [errReported] among them.
func (p Policy) mistakes(c checker) error {
	return errors.Join(nameMistake(p.Name), p.otherMistakes(c))
}

func nameMistake(name string) error {
	if name != "" && !validName(name) {
		return fmt.Errorf("name %q: letters, digits, _, - and . only", name)
	}
	return nil
}

func (p Policy) otherMistakes(c checker) error {
	var errs []error
	if p.Limiter != nil {
		if p.Algorithm != nil || p.Limit != 0 || p.Interval != 0 || p.Key != nil || p.LimitFor != nil || p.Storage != nil || p.OnStorageFailure != 0 {
			errs = append(errs, errors.New("a policy with a Limiter has no other fields than Name"))
		}
		return errors.Join(append(errs, secondName(p.Name, p.Limiter), c.part("limiter", p.Limiter))...)
	}
	switch {
	case p.Limit == 0:
		errs = append(errs, errors.New("limit is required"))
	case p.Limit < 1 || p.Limit > MaxLimit:
		errs = append(errs, fmt.Errorf("limit %d: 1 to %d", p.Limit, MaxLimit))
	}
	switch {
	case p.Interval == 0:
		errs = append(errs, errors.New("interval is required"))
	case p.Interval < MinInterval || p.Interval > MaxInterval:
		errs = append(errs, fmt.Errorf("interval %s: 1s to 366 days", p.Interval))
	case p.Interval%time.Second != 0:
		errs = append(errs, fmt.Errorf("interval %s: whole seconds only", p.Interval))
	}
	if p.OnStorageFailure > FailLocal {
		errs = append(errs, fmt.Errorf("failure mode %d is unknown", p.OnStorageFailure))
	}
	return errors.Join(append(errs, c.algorithm(p.Algorithm), c.key("key", p.Key), c.part("storage", p.Storage))...)
}

var errUnknownAlgorithm = errors.New("unknown built-in algorithm")

func validName(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case isLetterOrDigit(c), c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return name != ""
}
