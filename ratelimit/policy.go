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
	// FailLocal counts in the memory of this process meanwhile, and logs a
	// warning. Each of several servers then admits its share, see
	// Options.LocalShare.
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
	// be set beside it.
	Limiter Limiter
}

// Validate reports all that is wrong with the numbers and the name of p, the
// name being allowed to be missing.
func (p Policy) Validate() error {
	var errs []error
	if p.Name != "" && !validName(p.Name) {
		errs = append(errs, fmt.Errorf("name %q: letters, digits, _, - and . only", p.Name))
	}
	if p.Limiter != nil {
		if p.Algorithm != nil || p.Limit != 0 || p.Interval != 0 || p.Key != nil || p.LimitFor != nil || p.Storage != nil || p.OnStorageFailure != 0 {
			errs = append(errs, errors.New("a policy with a Limiter has no other fields than Name"))
		}
		return errors.Join(append(errs, validate("limiter", p.Limiter))...)
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
	return errors.Join(append(errs,
		validate("algorithm", p.Algorithm), validate("key", p.Key), validate("storage", p.Storage))...)
}

// validate asks a part that can tell its own mistakes.
func validate(what string, part any) error {
	v, ok := part.(interface{ Validate() error })
	if !ok {
		return nil
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

var errUnknownAlgorithm = errors.New("unknown built-in algorithm")

func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return name != ""
}
