package ratelimit

import (
	"context"
	"time"
)

// CheckFunc adapts a limiter that counts by itself and only tells how things
// stand: it is asked once per request, at the first gate. nil beside a nil error
// means that no limit applies.
type CheckFunc func(ctx context.Context, rc *Context) (*Check, error)

// Check is how things stand, after this request was counted.
type Check struct {
	Policy     string        // the name in the header fields; "": legacy
	Limit      int64         // how many requests are admitted
	Remaining  int64         // how many are left; 0 and less refuse this one
	RetryAfter time.Duration // until more is left; 0 and less: not known
	Response   Response      // answers a refusal in place of the error handler
}

// Consume asks the function at the first gate. The cost is the function's own
// business.
func (f CheckFunc) Consume(ctx context.Context, rc *Context, _ int64, dst []Result) ([]Result, error) {
	if rc.Stage != BeforeAuthorization {
		return dst, nil
	}
	c, err := f(ctx, rc)
	if c == nil || err != nil {
		return dst, err
	}
	r := Result{
		Policy:     c.Policy,
		Limit:      c.Limit,
		Accepted:   c.Remaining > 0,
		Remaining:  c.Remaining,
		ResetAfter: c.RetryAfter,
		RetryAfter: c.RetryAfter,
		Response:   c.Response,
	}
	if r.Policy == "" {
		r.Policy = "legacy"
	}
	if c.RetryAfter <= 0 {
		r.ResetAfter, r.RetryAfter = Unknown, Unknown
	}
	return append(dst, r), nil
}

// Validate refuses a nil function.
func (f CheckFunc) Validate() error { return requireFunc(f == nil) }
