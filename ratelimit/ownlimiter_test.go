package ratelimit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// freshLimiter breaks the rules of Limiter: it returns a slice of its own and
// does what it likes with the one it was given.
type freshLimiter struct {
	results []ratelimit.Result
	err     error
}

func (l freshLimiter) Consume(_ context.Context, _ *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	for i := range dst[:cap(dst)] {
		dst[:cap(dst)][i] = ratelimit.Result{Policy: "forged", Accepted: true}
	}
	return l.results, l.err
}

func TestALimiterOfOnesOwnSpeaksForItselfAlone(t *testing.T) {
	bug := errors.New("a bug")
	accepted, refused := ratelimit.Result{Policy: "own", Accepted: true}, ratelimit.Result{Policy: "own"}
	for _, tc := range []struct {
		name string
		own  ratelimit.Limiter
		want []string
		err  error
	}{
		{"none of its results is lost", freshLimiter{[]ratelimit.Result{accepted}, nil}, []string{"first", "own", "last"}, nil},
		{"a refusal ends the gate", freshLimiter{[]ratelimit.Result{refused}, nil}, []string{"first", "own"}, nil},
		{"one of several refuses", freshLimiter{[]ratelimit.Result{refused, accepted}, nil}, []string{"first", "own", "own"}, nil},
		{"an error ends the gate", freshLimiter{[]ratelimit.Result{accepted}, bug}, []string{"first", "own"}, bug},
		{"no result", freshLimiter{}, []string{"first", "last"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &fakeStorage{}
			o := ratelimit.Options{Clock: newHeldClock(), Storage: storage}
			first := newLimiter(t, ratelimit.Policy{Name: "first", Limit: 9, Interval: time.Minute}, o)
			last := newLimiter(t, ratelimit.Policy{Name: "last", Limit: 9, Interval: time.Minute}, o)
			named := newLimiter(t, ratelimit.Policy{Name: "named", Limiter: tc.own}, o)
			for _, own := range []ratelimit.Limiter{tc.own, named} {
				storage.keys = nil
				room := make([]ratelimit.Result, 0, 8)
				results, err := ratelimit.Chain(first, own, last).Consume(t.Context(), from("192.0.2.1"), 1, room)
				require.ErrorIs(t, err, tc.err)
				require.Equal(t, tc.want, policies(results))
				charged := len(storage.keys)
				require.Equal(t, tc.want[len(tc.want)-1] == "last", charged == 2, "what stands behind a refusal is not charged") // RL-046
			}
		})
	}
}

func TestTheNameOfAPolicyWithALimiter(t *testing.T) {
	o := ratelimit.Options{Clock: newHeldClock()}
	inner := newLimiter(t, ratelimit.Policy{Name: "inner", Limit: 9, Interval: time.Minute}, o)
	other := newLimiter(t, ratelimit.Policy{Name: "other", Limit: 9, Interval: time.Minute}, o)
	nameless := freshLimiter{results: []ratelimit.Result{{Accepted: true}}}
	speaking := freshLimiter{results: []ratelimit.Result{{Policy: "its own", Accepted: true}}}
	const mistake = `ratelimit: policy "outer": limiter: it is the policy "inner", and would be called so: write that Policy itself, with this name`
	for _, tc := range []struct {
		name   string
		policy ratelimit.Policy
		want   []string
		err    string
	}{
		{"of results without one", ratelimit.Policy{Name: "outer", Limiter: nameless}, []string{"outer"}, ""},
		{"of results with one", ratelimit.Policy{Name: "outer", Limiter: speaking}, []string{"its own"}, ""},
		{"that the limiter has", ratelimit.Policy{Name: "inner", Limiter: inner}, []string{"inner"}, ""},
		{"beside that of the limiter", ratelimit.Policy{Name: "outer", Limiter: inner}, nil, mistake},
		{"beside that of the only limiter of a chain", ratelimit.Policy{Name: "outer", Limiter: ratelimit.Chain(inner)}, nil, mistake},
		{"of a chain", ratelimit.Policy{Name: "outer", Limiter: ratelimit.Chain(inner, other)}, []string{"inner", "other"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, err := ratelimit.NewLimiter(tc.policy, o)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, policies(consume(t, l, from("192.0.2.1"))))
			set := newSet(t, tc.policy)
			require.Equal(t, tc.want, policies(consume(t, newPlan(t, set, usersTarget, ratelimit.Named(tc.policy.Name)), from("192.0.2.1"))))
		})
	}
	inline := newPlan(t, newSet(t), usersTarget, ratelimit.Policy{Limiter: nameless}, ratelimit.Policy{Limiter: inner})
	require.Equal(t, []string{"GET.v1.users", "inner"}, policies(consume(t, inline, from("192.0.2.1"))))
}

func TestTheGateReadsTheClockOnce(t *testing.T) {
	clock := &countingClock{heldClock: newHeldClock()}
	o := ratelimit.Options{Clock: clock}
	policy := func(name string, key ratelimit.Key, o ratelimit.Options) ratelimit.Limiter {
		return newLimiter(t, ratelimit.Policy{Name: name, Limit: 9, Interval: time.Minute, Key: key}, o)
	}
	var seen []time.Time
	own := ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) {
		seen = append(seen, rc.Now)
		return nil, nil
	})
	for _, tc := range []struct {
		name  string
		chain ratelimit.Limiter
		reads int // of the clock, at both gates
	}{
		{"of all its policies", ratelimit.Chain(policy("a", nil, o), own, policy("b", nil, o), policy("c", ratelimit.Identity, o), policy("d", ratelimit.Identity, o)), 2},
		{"of each when they differ", ratelimit.Chain(policy("a", nil, o), policy("b", nil, ratelimit.Options{}), policy("c", nil, o), policy("d", ratelimit.Identity, o)), 3},
		{"not without policies", ratelimit.Chain(own), 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			clock.reads = 0
			rc := from("192.0.2.1")
			consume(t, tc.chain, rc)
			require.Zero(t, rc.Now, "the next gate has a time of its own")
			rc.Stage, rc.Identity = ratelimit.AfterAuthorization, "ada"
			consume(t, tc.chain, rc)
			require.Equal(t, tc.reads, clock.reads)
		})
	}
	require.Equal(t, []time.Time{noon, noon, {}, {}}, seen)
}

type countingClock struct {
	*heldClock
	reads int
}

func (c *countingClock) Now() time.Time {
	c.reads++
	return c.heldClock.Now()
}

func TestThereAreTwoGates(t *testing.T) {
	l := newLimiter(t, ratelimit.Policy{Name: "x", Limit: 1, Interval: time.Minute}, ratelimit.Options{})
	rc := from("192.0.2.1")
	rc.Stage = 7
	for _, l := range []ratelimit.Limiter{l, ratelimit.Chain(l)} {
		_, err := l.Consume(t.Context(), rc, 1, nil)
		require.EqualError(t, err, "ratelimit: there is no gate for unknown stage 7", "no limit would apply there")
	}
	p := newPlan(t, newSet(t, perIP), usersTarget, ratelimit.Named("perIp"))
	require.False(t, p.At(7))
	require.Equal(t, "before authorization", ratelimit.BeforeAuthorization.String())
}
