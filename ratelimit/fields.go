package ratelimit

import "github.com/sallyport-go/sallyport/internal/ratefield"

// PolicyField is the RateLimit-Policy field that tells of these results
// (draft-ietf-httpapi-ratelimit-headers-11, section 3), "" without results.
// What a limiter of one's own returns is made fit for it: characters of names
// that are not printable ASCII are left out, numbers are put in range, and of
// several results with one name, letter case aside, the first one stands.
func PolicyField(results []Result) string {
	var field []byte
	for i := range results {
		if isRepeated(results, i) {
			continue
		}
		if i > 0 {
			field = append(field, ratefield.Separator...)
		}
		field = ratefield.AppendPolicyItem(field, results[i].Policy, results[i].Limit, results[i].Window)
	}
	return string(field)
}

// AppendLimitField appends the RateLimit field that tells of these results
// (draft-ietf-httpapi-ratelimit-headers-11, section 4); see [PolicyField].
func AppendLimitField(field []byte, results []Result) []byte {
	for i := range results {
		if isRepeated(results, i) {
			continue
		}
		if i > 0 {
			field = append(field, ratefield.Separator...)
		}
		r := &results[i]
		reset, known := r.reset()
		field = ratefield.AppendLimitItem(field, r.Policy, r.Remaining, reset, known)
	}
	return field
}

// isRepeated reports whether a result before has the same name in the fields.
func isRepeated(results []Result, i int) bool {
	for j := range i {
		if sameName(results[j].Policy, results[i].Policy) {
			return true
		}
	}
	return false
}

// sameName compares names as the fields have them, letter case aside.
func sameName(a, b string) bool {
	for {
		a, b = skipUnprintable(a), skipUnprintable(b)
		if a == "" || b == "" {
			return a == b
		}
		if lower(a[0]) != lower(b[0]) {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

func skipUnprintable(name string) string {
	for name != "" && (name[0] < ' ' || name[0] > '~') {
		name = name[1:]
	}
	return name
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// reset is t in whole seconds. A refused client is told the wait after which it
// is accepted, so that Retry-After is never below t.
func (r *Result) reset() (seconds int64, known bool) {
	if !r.Accepted && r.RetryAfter != Unknown && r.RetryAfter != Never {
		return ratefield.RetryAfter(r.RetryAfter), true
	}
	return ratefield.Seconds(r.ResetAfter), r.ResetAfter != Unknown
}

// RetryAfter is the Retry-After field of these results in whole seconds: the
// longest wait of the refusals, at least 1; a negative wait is 0. ok is false
// when nothing was refused, and when no wait is known or helps.
func RetryAfter(results []Result) (seconds int64, ok bool) {
	r := Refused(results)
	if r == nil || r.RetryAfter == Unknown || r.RetryAfter == Never {
		return 0, false
	}
	return ratefield.RetryAfter(r.RetryAfter), true
}
