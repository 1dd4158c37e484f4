package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

type panickingAlgorithm struct{ minimumGap }

func (panickingAlgorithm) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome { panic("boom") }

type panickingClock struct{}

func (panickingClock) Now() time.Time { panic("boom") }

type panickingDetector struct{}

func (panickingDetector) IP(*http.Request) string { panic("boom") }

func panickingKey(context.Context, *ratelimit.Context) (string, bool, error) { panic("boom") }

func panickingStorage() *fakeStorage {
	return &fakeStorage{answer: func(context.Context, string) (ratelimit.Decision, error) { panic("boom") }}
}

func TestAPanicInAGateKeepsWhatWasSaidBefore(t *testing.T) {
	policy := func(change func(*ratelimit.Policy)) ratelimit.Policy {
		p := ratelimit.Policy{Name: "panics", Limit: 5, Interval: time.Minute}
		change(&p)
		return p
	}
	down := failing(ratelimit.Unavailable(nil))
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
	}{
		{"a limiter of one's own", policy(func(p *ratelimit.Policy) {
			*p = ratelimit.Policy{Name: "panics", Limiter: ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) { panic("boom") })}
		})},
		{"LimitFor", policy(func(p *ratelimit.Policy) { p.LimitFor = func(*ratelimit.Context) int64 { panic("boom") } })},
		{"a key", policy(func(p *ratelimit.Policy) { p.Key = ratelimit.KeyFunc(panickingKey) })},
		{"a key in a list", policy(func(p *ratelimit.Policy) { p.Key = ratelimit.Keys(ratelimit.IP, ratelimit.KeyFunc(panickingKey)) })},
		{"a storage", policy(func(p *ratelimit.Policy) { p.Storage = panickingStorage() })},
		{"a lazy storage", policy(func(p *ratelimit.Policy) {
			p.Storage = ratelimit.Lazy(func(context.Context) (ratelimit.Storage, error) { panic("boom") })
		})},
		{"an algorithm in memory", policy(func(p *ratelimit.Policy) { p.Algorithm = panickingAlgorithm{} })},
		{"an algorithm while the storage is down", policy(func(p *ratelimit.Policy) {
			p.Algorithm, p.Storage, p.OnStorageFailure = panickingAlgorithm{}, down, ratelimit.FailLocal
		})},
		{"a detector", policy(func(p *ratelimit.Policy) {})},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := ratelimit.Options{Clock: newHeldClock(), Logger: slog.New(slog.DiscardHandler)}
			first := newLimiter(t, ratelimit.Policy{Name: "first", Limit: 5, Interval: time.Minute, Key: ratelimit.Endpoint}, o)
			rc := from("192.0.2.1")
			if tc.name == "a detector" {
				rc.Detector = panickingDetector{}
			}
			results, err := ratelimit.Chain(first, newLimiter(t, tc.policy, o), losingLimiter{}).Consume(t.Context(), rc, 1, nil)
			var panicked *ratelimit.PanicError
			require.ErrorAs(t, err, &panicked)
			require.Equal(t, "boom", panicked.Value)
			require.Contains(t, string(panicked.Stack), "panic_test.go")
			require.EqualError(t, err, "ratelimit: panic: boom")
			require.Equal(t, []string{"first"}, policies(results))
		})
	}
}

func TestAPanicInABatchKeepsWhatWasSaidBefore(t *testing.T) {
	down := ratelimit.Unavailable(errors.New("connection refused"))
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
		calls  []string
	}{
		{"a key behind what is asked first", ratelimit.Policy{Key: ratelimit.KeyFunc(panickingKey)}, []string{"first"}},
		{"an algorithm while the storage is down", ratelimit.Policy{Algorithm: panickingAlgorithm{}, OnStorageFailure: ratelimit.FailLocal}, []string{"first panics"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &batchStorage{decide: map[string]error{"panics": down}}
			o := ratelimit.Options{Storage: storage, Clock: newHeldClock(), Logger: slog.New(slog.DiscardHandler)}
			tc.policy.Name, tc.policy.Limit, tc.policy.Interval = "panics", 5, time.Minute
			chain := ratelimit.Chain(newLimiter(t, ratelimit.Policy{Name: "first", Limit: 5, Interval: time.Minute}, o), newLimiter(t, tc.policy, o))
			results, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
			require.EqualError(t, err, "ratelimit: panic: boom")
			require.Equal(t, []string{"first"}, policies(results))
			require.Equal(t, tc.calls, storage.calls)
		})
	}
}

func TestAPanicIsNothingButAFaultOfTheProgram(t *testing.T) {
	for _, value := range []any{"boom", ratelimit.ErrUnavailable, &ratelimit.ClosedError{}, context.Canceled, []int{1}} {
		l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, LimitFor: func(*ratelimit.Context) int64 { panic(value) }}, ratelimit.Options{})
		_, err := l.Consume(t.Context(), from("192.0.2.1"), 1, nil)
		var panicked *ratelimit.PanicError
		require.ErrorAs(t, err, &panicked)
		require.Equal(t, value, panicked.Value)
		require.Equal(t, "ratelimit: panic: "+fmt.Sprint(value), err.Error())
		require.NoError(t, errors.Unwrap(err), "it wraps nothing that means anything else")
	}

	aborts := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, LimitFor: func(*ratelimit.Context) int64 { panic(http.ErrAbortHandler) }}, ratelimit.Options{})
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { _, _ = aborts.Consume(t.Context(), from("192.0.2.1"), 1, nil) })
}

func TestAClockThatPanics(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, Key: ratelimit.Endpoint}, ratelimit.Options{Clock: panickingClock{}})
	for _, l := range []ratelimit.Limiter{l, ratelimit.Chain(l)} {
		_, err := l.Consume(t.Context(), from("192.0.2.1"), 1, nil)
		require.EqualError(t, err, "ratelimit: panic: boom")
	}
}

func TestAPanicInALimiterWithoutAGate(t *testing.T) {
	for name, p := range map[string]ratelimit.Policy{
		"LimitFor":      {Key: ratelimit.Endpoint, LimitFor: func(*ratelimit.Context) int64 { panic("boom") }},
		"a key":         {Key: ratelimit.KeyFunc(panickingKey)},
		"a key in list": {Key: ratelimit.Keys(ratelimit.Endpoint, ratelimit.KeyFunc(panickingKey))},
		"a storage":     {Key: ratelimit.Endpoint, Storage: panickingStorage()},
		"an algorithm":  {Key: ratelimit.Endpoint, Algorithm: panickingAlgorithm{}},
		"a detector":    {},
		"in a list":     {Key: ratelimit.Keys(ratelimit.Endpoint, ratelimit.IP)},
	} {
		t.Run(name, func(t *testing.T) {
			p.Name, p.Limit, p.Interval = "panics", 5, time.Minute
			rc := from("192.0.2.1")
			rc.Detector = panickingDetector{}
			_, err := newLimiter(t, p, ratelimit.Options{}).Consume(t.Context(), rc, 1, nil)
			require.EqualError(t, err, "ratelimit: panic: boom")
		})
	}
}
