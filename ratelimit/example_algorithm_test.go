package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// lockout admits Limit attempts, and more only after an Interval without any:
// for passwords. Its state is how much was used, and when last.
type lockout struct{}

// Name keeps its counters apart from those of other algorithms.
func (lockout) Name() string { return "lockout" }

// Step takes an expired state, and one that makes no sense, for none.
func (lockout) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	used, last := s[0], s[1]
	sane := used > 0 && used <= ratelimit.MaxLimit && last >= 0 && last < 1<<53 && s[2] == 0
	opens := last + t.Interval
	if !sane || opens <= t.Now {
		used, last, opens = 0, t.Now, t.Now
	}
	d := ratelimit.Decision{Remaining: max(0, t.Limit-used), ResetAfter: opens - t.Now, RetryAfter: ratelimit.NoRetryMicros}
	switch {
	case t.Cost > t.Limit:
		d.RetryAfter = ratelimit.NeverMicros
	case t.Cost > d.Remaining:
		d.RetryAfter = d.ResetAfter
	case t.Cost == 0:
		d.Accepted = true
	default:
		last = max(t.Now, last) // another server's clock may be ahead of ours
		d.Accepted, d.Remaining, d.ResetAfter = true, d.Remaining-t.Cost, last+t.Interval-t.Now
		return ratelimit.Outcome{Decision: d, State: ratelimit.State{used + t.Cost, last}, TTL: d.ResetAfter}
	}
	return ratelimit.Outcome{Decision: d} // without a lifetime, nothing is saved
}

// Three attempts lock an account for an hour.
func ExampleAlgorithm() {
	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{
		Name: "login", Algorithm: lockout{}, Limit: 3, Interval: time.Hour, Key: ratelimit.Identity,
	}, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	rc := &ratelimit.Context{
		Stage: ratelimit.AfterAuthorization, Identity: "account:42",
		Now: time.Date(2026, time.November, 30, 12, 30, 0, 0, time.UTC),
	}
	for _, wait := range []time.Duration{0, 0, 0, 10 * time.Minute, 50 * time.Minute} {
		rc.Now = rc.Now.Add(wait)
		results, err := limiter.Consume(context.Background(), rc, 1, nil)
		fmt.Printf("%s, refused: %t, error: %v\n", ratelimit.AppendLimitField(nil, results), ratelimit.Refused(results) != nil, err)
	}
	// Output:
	// "login";r=2;t=3600, refused: false, error: <nil>
	// "login";r=1;t=3600, refused: false, error: <nil>
	// "login";r=0;t=3600, refused: false, error: <nil>
	// "login";r=0;t=3000, refused: true, error: <nil>
	// "login";r=2;t=3600, refused: false, error: <nil>
}
