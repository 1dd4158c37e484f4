package apitest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"
)

const (
	maxRequests = 100_000 // that Exhaust sends
	maxUnknown  = 100     // of these, without an answer that names a limit
)

// Exhaust sends requests until one is answered 429, and returns how many were not,
// and that answer. Each call of request makes a new one. The test fails when no
// limit is reached within 100,000 requests, or when the first 100 answers name none.
// Hold the clock, or the limit may move on meanwhile.
func Exhaust(t testing.TB, h http.Handler, request func() *http.Request) (passed int, refusal *http.Response) {
	t.Helper()
	limited := false
	for passed = range maxRequests {
		w, r := httptest.NewRecorder(), request()
		h.ServeHTTP(w, r)
		if w.Code == http.StatusTooManyRequests {
			return passed, w.Result()
		}
		if limited = limited || len(w.Header()["Ratelimit"]) > 0; !limited && passed+1 == maxUnknown {
			t.Fatalf("apitest: %s %s: no limit applies to it; the last of %d answers was %d", r.Method, r.URL, maxUnknown, w.Code)
		}
	}
	t.Fatalf("apitest: no limit was reached within %d requests", maxRequests)
	return maxRequests, nil
}

// RequireRefused fails the test unless the answer is a refusal by that policy, as a
// client can see it: the status 429, nothing left of the policy, and a Retry-After.
// It returns how long the client has to wait.
func RequireRefused(t testing.TB, answer *http.Response, policy string) (wait time.Duration) {
	t.Helper()
	if answer.StatusCode != http.StatusTooManyRequests {
		t.Fatalf("apitest: the answer has the status %d, not 429", answer.StatusCode)
	}
	limits := Limits(t, answer.Header)
	i := slices.IndexFunc(limits, func(l Limit) bool { return l.Policy == policy })
	if i < 0 {
		t.Fatalf("apitest: the answer does not name the policy %q: %+v", policy, limits)
	}
	if limits[i].Remaining != 0 {
		t.Fatalf("apitest: %d are left of the policy %q", limits[i].Remaining, policy)
	}
	n, err := strconv.ParseInt(answer.Header.Get("Retry-After"), 10, 64)
	if err != nil || n < 1 {
		t.Fatalf("apitest: the Retry-After %q is no number of seconds", answer.Header.Get("Retry-After"))
	}
	return duration(n)
}
