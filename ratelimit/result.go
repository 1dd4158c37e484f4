package ratelimit

import (
	"math"
	"net/http"
	"time"
)

// The two durations of a [Result] that are not a wait.
const (
	// Unknown leaves the time out: no t in the RateLimit field, no Retry-After.
	Unknown = time.Duration(math.MinInt64)
	// Never is the RetryAfter of a cost above the limit: no wait helps.
	Never = time.Duration(math.MaxInt64)
)

// Response is an answer of one's own to a refusal. Every api.Response is one.
type Response interface {
	Status() int
	Send(w http.ResponseWriter, r *http.Request) error
}

// Result is what one policy says about one request.
type Result struct {
	Policy     string        // the policy's name in the header fields
	Limit      int64         // q: how many requests the window admits
	Window     time.Duration // w: 0 leaves it out
	Accepted   bool
	Remaining  int64         // r: how many more are admitted now
	ResetAfter time.Duration // t of an accepted request: when more becomes available; Unknown: no t
	RetryAfter time.Duration // the wait of a refused request, which is its t too; Unknown or Never: no Retry-After

	// Response answers the refusal instead of the error handler. The status
	// stays 429 and the header fields stay, too.
	Response Response
}

// Refused returns the refusal with the longest wait, which is the one that a
// client is told about, or nil when nothing was refused. Never is longer than
// every other wait, Unknown is shorter.
func Refused(results []Result) *Result {
	var longest *Result
	for i := range results {
		if r := &results[i]; !r.Accepted && (longest == nil || r.RetryAfter > longest.RetryAfter) {
			longest = r
		}
	}
	return longest
}

// OwnResponse is the answer that the refusals bring along: that of the one with
// the longest wait, else the first there is, else nil.
func OwnResponse(results []Result) Response {
	if r := Refused(results); r != nil && r.Response != nil {
		return r.Response
	}
	for i := range results {
		if r := &results[i]; !r.Accepted && r.Response != nil {
			return r.Response
		}
	}
	return nil
}
