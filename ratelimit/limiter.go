package ratelimit

import "context"

// A Limiter decides on requests. Most programs use policies; an own Limiter is
// for what no policy can say.
//
// An implementation must
//   - be safe for concurrent use;
//   - look at rc.Stage: Consume is called at both gates, and a limiter that
//     ignores the stage counts twice;
//   - append one Result per policy that applies in that stage, and leave dst as
//     it is when none does;
//   - return the results so far beside an error. An error is never failed open:
//     the request is answered 500;
//   - refuse a cost below 1 with an error, and answer a cost above the limit
//     with a refusal whose RetryAfter is [Never].
type Limiter interface {
	Consume(ctx context.Context, rc *Context, cost int64, dst []Result) ([]Result, error)
}
