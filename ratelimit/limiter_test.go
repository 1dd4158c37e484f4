package ratelimit_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func newLimiter(t *testing.T, p ratelimit.Policy, o ratelimit.Options) ratelimit.Limiter {
	t.Helper()
	l, err := ratelimit.NewLimiter(p, o)
	require.NoError(t, err)
	return l
}

func consume(t *testing.T, l ratelimit.Limiter, rc *ratelimit.Context) []ratelimit.Result {
	t.Helper()
	results, err := l.Consume(t.Context(), rc, 1, nil)
	require.NoError(t, err)
	return results
}

func TestAPolicyAdmitsItsLimitAndNoMore(t *testing.T) {
	for _, algorithm := range []ratelimit.Algorithm{nil, ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		clock := newHeldClock()
		l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: algorithm, Limit: 3, Interval: time.Minute}, ratelimit.Options{Clock: clock}) // RL-105
		for remaining := range int64(3) {
			r := consume(t, l, from("192.0.2.1"))[0]
			require.True(t, r.Accepted)
			require.Equal(t, 2-remaining, r.Remaining) // RL-192
		}
		refused := consume(t, l, from("192.0.2.1"))[0]
		require.False(t, refused.Accepted)
		require.Zero(t, refused.Remaining)                            // RL-192
		require.True(t, consume(t, l, from("192.0.2.2"))[0].Accepted) // another client has its own counter: RL-061

		clock.Advance(refused.RetryAfter)
		require.True(t, consume(t, l, from("192.0.2.1"))[0].Accepted, "after Retry-After") // RL-152
	}
}

func TestTheDefaultAlgorithmIsTheSlidingWindow(t *testing.T) { // RL-054, RL-073
	clock := newHeldClock()
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 2, Interval: time.Minute}, ratelimit.Options{Clock: clock})
	clock.Advance(time.Minute - time.Microsecond)
	consume(t, l, from("192.0.2.1"))
	consume(t, l, from("192.0.2.1"))
	clock.Advance(time.Microsecond) // a fixed window would admit two more
	require.False(t, consume(t, l, from("192.0.2.1"))[0].Accepted)
}

func TestTheResultTellsTheHeaderFields(t *testing.T) {
	clock := newHeldClock()
	clock.Advance(18 * time.Second)
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 100, Interval: time.Minute}, ratelimit.Options{Clock: clock})
	require.Equal(t, []ratelimit.Result{{ // RL-190, RL-191, RL-193
		Policy: "perIp", Limit: 100, Window: time.Minute, Accepted: true, Remaining: 99, ResetAfter: 42 * time.Second,
	}}, consume(t, l, from("192.0.2.1")))
}

func TestTheTimeOfTheGateWinsOverTheClock(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: ratelimit.FixedWindow, Limit: 1, Interval: time.Minute}, ratelimit.Options{Clock: newHeldClock()})
	rc := from("192.0.2.1")
	rc.Now = noon.Add(50 * time.Second)
	require.Equal(t, 10*time.Second, consume(t, l, rc)[0].ResetAfter)
}

func TestTheCostOfARequest(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 5, Interval: time.Minute}, ratelimit.Options{Clock: newHeldClock()})
	rc := from("192.0.2.1")
	for _, tc := range []struct {
		name string
		cost int64
		want ratelimit.Result
	}{
		{"three of five", 3, ratelimit.Result{Accepted: true, Remaining: 2}},                                // RL-239, RL-320
		{"three of the two that are left", 3, ratelimit.Result{Remaining: 2, RetryAfter: 80 * time.Second}}, // RL-320, RL-079
		{"six of five", 6, ratelimit.Result{Remaining: 2, RetryAfter: ratelimit.Never}},                     // RL-322
		{"the two that are left", 2, ratelimit.Result{Accepted: true}},                                      // RL-320
	} {
		t.Run(tc.name, func(t *testing.T) {
			results, err := l.Consume(t.Context(), rc, tc.cost, nil)
			require.NoError(t, err)
			tc.want.Policy, tc.want.Limit, tc.want.Window, tc.want.ResetAfter = "perIp", 5, time.Minute, time.Minute
			require.Equal(t, []ratelimit.Result{tc.want}, results)
		})
	}
	for _, cost := range []int64{0, -1} { // RL-322
		_, err := l.Consume(t.Context(), rc, cost, nil)
		require.ErrorContains(t, err, "a cost of")
	}
}

func TestALimitOfTheCaller(t *testing.T) {
	limits := map[string]int64{"free": 1, "paid": 3, "unknown": 0}
	l := newLimiter(t, ratelimit.Policy{
		Name: "perUser", Limit: 2, Interval: time.Minute, Key: ratelimit.Identity,
		LimitFor: func(rc *ratelimit.Context) int64 { return limits[rc.Subject.(string)] },
	}, ratelimit.Options{Clock: newHeldClock()})
	for plan, limit := range map[string]int64{"free": 1, "paid": 3, "unknown": 2} {
		rc := by(plan)
		rc.Subject = plan
		for i := range limit {
			r := consume(t, l, rc)[0]
			require.True(t, r.Accepted)
			require.Equal(t, limit, r.Limit)
			require.Equal(t, limit-1-i, r.Remaining)
		}
		require.False(t, consume(t, l, rc)[0].Accepted)
	}

	limits["free"] = -1
	rc := by("free")
	rc.Subject = "free"
	_, err := l.Consume(t.Context(), rc, 1, nil)
	require.EqualError(t, err, `ratelimit: policy "perUser": LimitFor returned -1: 1 to 1000000000, or 0 for Limit`)
}

func TestAPolicyBelongsToOneGate(t *testing.T) {
	for _, tc := range []struct {
		name          string
		key           ratelimit.Key
		before, after int
	}{
		{"by address", ratelimit.IP, 1, 0},                                                                  // RL-085
		{"by endpoint", ratelimit.Endpoint, 1, 0},                                                           // RL-085
		{"by identity", ratelimit.Identity, 0, 1},                                                           // RL-082
		{"by address and identity", ratelimit.Keys(ratelimit.IP, ratelimit.Identity), 0, 1},                 // RL-082
		{"by an own key", textKey("a", true, nil), 1, 0},                                                    // RL-085
		{"by an own key that needs the identity", ratelimit.IdentityKeyFunc(textKey("a", true, nil)), 0, 1}, // RL-208
		{"by a key that skips", textKey("a", false, nil), 0, 0},                                             // RL-207
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, Key: tc.key}, ratelimit.Options{})
			require.Len(t, consume(t, l, from("192.0.2.1")), tc.before)
			require.Len(t, consume(t, l, by("bearer:ab12")), tc.after)
		})
	}
}

func TestWhatTheStorageIsAsked(t *testing.T) {
	long := strings.Repeat("k", 200)
	for _, tc := range []struct {
		name, key, want string
	}{
		{"the policy and the key", "acme", "perTenant:acme"},                                                                                     // RL-064, RL-160
		{"200 bytes as they are", long, "perTenant:" + long},                                                                                     // RL-214
		{"201 bytes hashed", long + "k", "perTenant:" + sha(long+"k")},                                                                           // RL-214
		{"what looks like a hash", sha("x"), "perTenant:" + sha(sha("x"))},                                                                       // RL-215
		{"a megabyte, NUL and broken UTF-8", "\x00\xff" + strings.Repeat("k", 1<<20), "perTenant:" + sha("\x00\xff"+strings.Repeat("k", 1<<20))}, // peer 59
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &fakeStorage{}
			l := newLimiter(t, ratelimit.Policy{Name: "perTenant", Limit: 1, Interval: time.Minute, Key: textKey(tc.key, true, nil)}, ratelimit.Options{Storage: storage})
			consume(t, l, from("192.0.2.1"))
			require.Equal(t, []string{tc.want}, storage.keys)
		})
	}
}

func TestAKeyOfOnesOwnCannotSpoilTheName(t *testing.T) {
	storage := &fakeStorage{}
	l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute, Key: spoilingKey{}}, ratelimit.Options{Storage: storage})
	consume(t, l, from("192.0.2.1"))
	require.Equal(t, []string{"x:mine"}, storage.keys)
}

// spoilingKey breaks the rules of Key: it writes before its own text.
type spoilingKey struct{}

func (spoilingKey) AppendKey(_ context.Context, dst []byte, _ *ratelimit.Context) ([]byte, bool, error) {
	dst = append(dst[:0], "mine"...)
	return dst, true, nil
}

func (spoilingKey) NeedsIdentity() bool { return false }

func TestErrorsOfLimits(t *testing.T) {
	bug := errors.New("a bug")
	down := ratelimit.Unavailable(errors.New("connection refused"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name    string
		ctx     context.Context
		policy  ratelimit.Policy
		storage *fakeStorage
		is      error // nil: the request passes
		closed  bool
	}{
		{"an outage passes", t.Context(), ratelimit.Policy{}, failing(down), nil, false}, // RL-183
		{"an outage of a policy that fails closed", t.Context(), ratelimit.Policy{OnStorageFailure: ratelimit.FailClosed}, failing(down), ratelimit.ErrUnavailable, true},
		{"a bug of the storage", t.Context(), ratelimit.Policy{}, failing(bug), bug, false},                                                                // RL-180
		{"an own key that fails", t.Context(), ratelimit.Policy{Key: textKey("", true, bug)}, &fakeStorage{}, bug, false},                                  // RL-182
		{"an own key whose storage is down", t.Context(), ratelimit.Policy{Key: textKey("", true, down)}, &fakeStorage{}, ratelimit.ErrUnavailable, false}, // RL-182, AMB-23
		{"a request that has ended", ended, ratelimit.Policy{OnStorageFailure: ratelimit.FailClosed}, failing(down), context.Canceled, false},              // RL-185
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			tc.policy.Name, tc.policy.Limit, tc.policy.Interval = "x", 1, time.Minute
			l := newLimiter(t, tc.policy, ratelimit.Options{Storage: tc.storage, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			results, err := l.Consume(tc.ctx, from("192.0.2.1"), 1, nil)
			require.Empty(t, results)
			if tc.is == nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tc.is)
			var closed *ratelimit.ClosedError
			require.Equal(t, tc.closed, errors.As(err, &closed))
			require.Equal(t, tc.closed, log.Len() > 0, "only an outage is warned of")
		})
	}
}

func TestAnOutageIsCountedInMemoryMeanwhile(t *testing.T) {
	for _, tc := range []struct {
		name  string
		share int64
		limit int64
	}{
		{"by one server", 0, 10},
		{"by each of three", 3, 3},
		{"by each of more than the limit", 11, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := failing(ratelimit.Unavailable(nil))
			o := ratelimit.Options{Storage: storage, Clock: newHeldClock(), LocalShare: tc.share, Logger: slog.New(slog.DiscardHandler)}
			l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 10, Interval: time.Minute, OnStorageFailure: ratelimit.FailLocal}, o)
			for i := range tc.limit {
				r := consume(t, l, from("192.0.2.1"))[0]
				require.True(t, r.Accepted)
				require.Equal(t, tc.limit, r.Limit)
				require.Equal(t, tc.limit-1-i, r.Remaining)
			}
			require.False(t, consume(t, l, from("192.0.2.1"))[0].Accepted)

			storage.answer = nil // it is back
			require.EqualValues(t, 10, consume(t, l, from("192.0.2.1"))[0].Limit)
		})
	}
	_, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute}, ratelimit.Options{LocalShare: -1})
	require.ErrorContains(t, err, "local share -1 is negative")
}

func TestAnOutageIsWarnedOfOnceASecond(t *testing.T) { // AMB-22, RL-106
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		o := ratelimit.Options{
			Storage: failing(ratelimit.Unavailable(errors.New("connection refused"))),
			Logger:  slog.New(slog.NewTextHandler(&log, nil)),
		}
		l := newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Minute}, o)
		for range 100 {
			require.Empty(t, consume(t, l, from("192.0.2.1")))
		}
		require.Equal(t, 1, strings.Count(log.String(), "\n"))
		require.Contains(t, log.String(), `level=WARN msg="rate limit storage is unavailable, the request passed without this limit" policy=perIp endpoint="GET v1/users" not_logged=0 err="ratelimit: storage unavailable: connection refused"`)

		time.Sleep(time.Second)
		consume(t, l, from("192.0.2.1"))
		require.Contains(t, log.String(), "not_logged=99")
	})
}

func TestASlowStorageIsAnOutageOnceTheBudgetIsUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &fakeStorage{answer: func(ctx context.Context, _ string) (ratelimit.Decision, error) {
			<-ctx.Done()
			return ratelimit.Decision{}, ctx.Err()
		}}
		o := ratelimit.Options{Storage: slow, Logger: slog.New(slog.DiscardHandler)}
		open := newLimiter(t, ratelimit.Policy{Name: "open", Limit: 1, Interval: time.Minute}, o)
		closed := newLimiter(t, ratelimit.Policy{Name: "closed", Limit: 1, Interval: time.Minute, OnStorageFailure: ratelimit.FailClosed}, o)

		start := time.Now()
		require.Empty(t, consume(t, open, from("192.0.2.1")))
		require.Equal(t, ratelimit.DefaultBudget, time.Since(start))

		start = time.Now()
		_, err := ratelimit.Chain(open, closed).Consume(t.Context(), from("192.0.2.1"), 1, nil)
		require.Equal(t, ratelimit.DefaultBudget, time.Since(start), "one budget for the whole gate")
		require.EqualError(t, err, `ratelimit: policy "closed" fails closed: ratelimit: storage unavailable: ratelimit: the time budget of the gate is used up`)

		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err = closed.Consume(ctx, from("192.0.2.1"), 1, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded, "the deadline of the request comes first")
	})
}

func TestOneDecisionInMemoryDoesNotAllocate(t *testing.T) {
	for _, algorithm := range []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: algorithm, Limit: 50, Interval: time.Minute}, ratelimit.Options{})
		rc := from("192.0.2.1")
		rc.Now = noon
		room := make([]ratelimit.Result, 0, 1)
		require.Zero(t, testing.AllocsPerRun(100, func() { // half of them accepted, half refused
			if _, err := l.Consume(context.Background(), rc, 1, room); err != nil {
				t.Error(err)
			}
		}), algorithm.Name())
	}
}
