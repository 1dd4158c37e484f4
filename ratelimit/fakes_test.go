package ratelimit_test

import (
	"context"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// heldClock stands still until it is moved.
type heldClock struct {
	mu  sync.Mutex
	now time.Time
}

// noon is a multiple of every interval that the tests use.
var noon = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

func newHeldClock() *heldClock { return &heldClock{now: noon} }

func (c *heldClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *heldClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fakeStorage answers what it is told and remembers what it was asked.
type fakeStorage struct {
	mu     sync.Mutex
	keys   []string
	answer func(ctx context.Context, key string) (ratelimit.Decision, error)
}

func (s *fakeStorage) Consume(ctx context.Context, key []byte, _ ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	s.mu.Lock()
	s.keys = append(s.keys, string(key))
	s.mu.Unlock()
	if s.answer != nil {
		return s.answer(ctx, string(key))
	}
	return ratelimit.Decision{Accepted: true, Remaining: t.Limit - t.Cost, RetryAfter: ratelimit.NoRetryMicros}, nil
}

func failing(err error) *fakeStorage {
	return &fakeStorage{answer: func(context.Context, string) (ratelimit.Decision, error) { return ratelimit.Decision{}, err }}
}

// ownLimiter is a limiter of one's own: a function.
type ownLimiter func(rc *ratelimit.Context) ([]ratelimit.Result, error)

func (f ownLimiter) Consume(_ context.Context, rc *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	results, err := f(rc)
	return append(dst, results...), err
}

// from is the context of a request from that address at the first gate.
func from(ip string) *ratelimit.Context {
	return &ratelimit.Context{
		Endpoint: "GET v1/users",
		Request:  httptest.NewRequest("GET", "/", nil),
		Detector: ipdetector.Static(ip),
	}
}

// by is the context of a request by that caller at the second gate.
func by(identity string) *ratelimit.Context {
	rc := from("192.0.2.1")
	rc.Stage, rc.Identity = ratelimit.AfterAuthorization, identity
	return rc
}

// losingLimiter breaks the rules of Limiter: it drops the results before it.
type losingLimiter struct{}

func (losingLimiter) Consume(context.Context, *ratelimit.Context, int64, []ratelimit.Result) ([]ratelimit.Result, error) {
	return nil, nil
}
