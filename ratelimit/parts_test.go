package ratelimit_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Every part is an interface that a program can satisfy itself.
var (
	_ ratelimit.Algorithm = minimumGap{}        // RL-003, RL-005
	_ ratelimit.Storage   = (*fakeStorage)(nil) // RL-003, RL-007
	_ ratelimit.KeyValue  = (*mapStore)(nil)    // RL-007
	_ ratelimit.Key       = spoilingKey{}       // RL-003, RL-009
	_ ratelimit.Limiter   = ownLimiter(nil)     // RL-003, RL-012
	_ ratelimit.Clock     = (*heldClock)(nil)   // RL-105

	// The built-in ones are nothing else.
	_ ratelimit.Algorithm = ratelimit.SlidingWindow      // RL-004
	_ ratelimit.Key       = ratelimit.IP                 // RL-008, RL-009
	_ ratelimit.Key       = ratelimit.Identity           // RL-008
	_ ratelimit.Key       = ratelimit.Endpoint           // RL-008
	_ ratelimit.Key       = ratelimit.Keys(ratelimit.IP) // RL-008
	_ ratelimit.Limiter   = ratelimit.Chain()            // RL-011, RL-012
	_ ratelimit.Limiter   = ratelimit.CheckFunc(nil)     // RL-012
	_ ratelimit.Storage   = ratelimit.NewMemory(ratelimit.MemoryOptions{})
)

// minimumGap admits one request every interval divided by the limit, without
// bursts. Its state is the time of the last one.
type minimumGap struct{}

func (minimumGap) Name() string { return "minimumGap" }

func (minimumGap) Step(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
	gap := t.Interval / t.Limit
	if wait := s[0] + gap - t.Now; s[0] > 0 && s[1] == 0 && s[2] == 0 && wait > 0 { // another algorithm's state has more words
		return ratelimit.Outcome{Decision: ratelimit.Decision{ResetAfter: wait, RetryAfter: wait}}
	}
	return ratelimit.Outcome{
		Decision: ratelimit.Decision{Accepted: true, ResetAfter: gap, RetryAfter: ratelimit.NoRetryMicros},
		State:    ratelimit.State{t.Now},
		TTL:      gap,
	}
}

func TestAnAlgorithmOfOnesOwn(t *testing.T) {
	clock := newHeldClock()
	storage := ratelimit.FromKeyValue(newMapStore(), ratelimit.KeyValueOptions{})
	for name, o := range map[string]ratelimit.Options{ // RL-248
		"in memory":            {Clock: clock},
		"in one's own storage": {Clock: clock, Storage: storage},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLimiter(t, ratelimit.Policy{Name: "steady", Algorithm: minimumGap{}, Limit: 60, Interval: time.Minute}, o) // RL-055, RL-266, RL-267
			rc := from("192.0.2.1")
			require.Equal(t, []ratelimit.Result{{Policy: "steady", Limit: 60, Window: time.Minute, Accepted: true, ResetAfter: time.Second}}, consume(t, l, rc)) // RL-264
			clock.Advance(400 * time.Millisecond)
			refused := ratelimit.Result{Policy: "steady", Limit: 60, Window: time.Minute, ResetAfter: 600 * time.Millisecond, RetryAfter: 600 * time.Millisecond}
			require.Equal(t, []ratelimit.Result{refused}, consume(t, l, rc))                                // RL-261, RL-263
			require.Equal(t, []ratelimit.Result{refused}, consume(t, l, rc), "a refusal has saved nothing") // RL-263
			clock.Advance(600 * time.Millisecond)
			require.True(t, consume(t, l, rc)[0].Accepted) // RL-261
			clock.Advance(time.Minute)
		})
	}
	foreign := minimumGap{}.Step(ratelimit.State{1e6, 7, 7}, ratelimit.Take{Limit: 1, Cost: 1, Interval: 1e6, Now: 1e6})
	require.True(t, foreign.Accepted) // RL-262
}

func TestConstructors(t *testing.T) {
	o := ratelimit.Options{Clock: newHeldClock()}                                                                                            // RL-280
	for name, construct := range map[string]func(string, int64, time.Duration, ratelimit.Key, ratelimit.Options) (ratelimit.Limiter, error){ // RL-011
		"fixed window": ratelimit.NewFixedWindow, "sliding window": ratelimit.NewSlidingWindow, "token bucket": ratelimit.NewTokenBucket,
	} {
		t.Run(name, func(t *testing.T) {
			l, err := construct("perIp", 2, time.Minute, ratelimit.IP, o) // RL-281
			require.NoError(t, err)
			require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
			require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
			require.False(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
			_, err = construct("per ip", 0, time.Millisecond, ratelimit.IP, o) // RL-273
			require.EqualError(t, err, `ratelimit: policy "per ip": name "per ip": letters, digits, _, - and . only
ratelimit: policy "per ip": limit is required
ratelimit: policy "per ip": interval 1ms: 1s to 366 days`)
		})
	}
	general, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "steady", Algorithm: minimumGap{}, Limit: 1, Interval: time.Second, Key: ratelimit.IP, Storage: &fakeStorage{}}, o) // RL-272
	require.NoError(t, err)
	require.Equal(t, []string{"steady"}, policies(consume(t, general, from("192.0.2.1"))))
}

func TestWhatAKeyOfOnesOwnSees(t *testing.T) { // RL-206, RL-209
	var seen []ratelimit.Context
	key := ratelimit.IdentityKeyFunc(func(_ context.Context, rc *ratelimit.Context) (string, bool, error) {
		ip, err := rc.IP()
		seen = append(seen, ratelimit.Context{Stage: rc.Stage, Endpoint: rc.Endpoint, Identity: rc.Identity, Subject: rc.Subject, Request: rc.Request, Now: rc.Now})
		return ip, true, err
	})
	storage := &fakeStorage{}
	l := newLimiter(t, ratelimit.Policy{Name: "own", Limit: 1, Interval: time.Minute, Key: key, Storage: storage}, ratelimit.Options{})
	rc := by("bearer:ab12")
	rc.Subject, rc.Now = "paid", noon
	consume(t, l, rc)
	require.Equal(t, []ratelimit.Context{{Stage: ratelimit.AfterAuthorization, Endpoint: "GET v1/users", Identity: "bearer:ab12", Subject: "paid", Request: rc.Request, Now: noon}}, seen)
	require.Equal(t, []string{"own:192.0.2.1"}, storage.keys)
}
