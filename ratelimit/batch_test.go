package ratelimit_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// batchStorage decides by the policy's name and remembers what it was asked, a
// line for each call.
type batchStorage struct {
	decide  map[string]error // nil: accepted, errRefused: refused, else an error
	calls   []string
	groups  []string
	unknown string // an algorithm that it cannot run
	lose    int    // decisions that are left out of every answer
}

var errRefused = errors.New("refused")

func (s *batchStorage) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	decisions, err := s.ConsumeAll(ctx, []ratelimit.Item{{Key: key, Algorithm: a, Take: t}}, nil)
	if err != nil {
		return ratelimit.Decision{}, err
	}
	return decisions[0], nil
}

func (s *batchStorage) ConsumeAll(_ context.Context, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	var names []string
	for _, item := range items {
		name, _, _ := strings.Cut(string(item.Key), ":")
		names = append(names, name)
	}
	s.calls = append(s.calls, strings.Join(names, " "))
	for _, name := range names[:len(names)-s.lose] {
		switch err := s.decide[name]; {
		case err == nil:
			dst = append(dst, ratelimit.Decision{Accepted: true, RetryAfter: ratelimit.NoRetryMicros})
		case errors.Is(err, errRefused):
			return append(dst, ratelimit.Decision{RetryAfter: 1}), nil
		default:
			return dst, err
		}
	}
	return dst, nil
}

func (s *batchStorage) Prepare(algorithms []ratelimit.Algorithm) error {
	var names []string
	for _, a := range algorithms {
		names = append(names, a.Name())
		if a.Name() == s.unknown {
			return errors.New("algorithm " + a.Name() + " has no script")
		}
	}
	s.groups = append(s.groups, strings.Join(names, " "))
	return nil
}

func TestLimitsOnOneBatchStorageAreAskedAtOnce(t *testing.T) {
	down, bug := ratelimit.Unavailable(errors.New("connection refused")), errors.New("bug")
	lost := ratelimit.Lost(io.EOF)
	noKey := textKey("", true, bug)
	policy := func(name string, change ...func(*ratelimit.Policy)) ratelimit.Policy {
		p := ratelimit.Policy{Name: name, Limit: 5, Interval: time.Minute}
		for _, f := range change {
			f(&p)
		}
		return p
	}
	mode := func(m ratelimit.FailureMode) func(*ratelimit.Policy) {
		return func(p *ratelimit.Policy) { p.OnStorageFailure = m }
	}
	key := func(k ratelimit.Key) func(*ratelimit.Policy) { return func(p *ratelimit.Policy) { p.Key = k } }
	elsewhere := func(p *ratelimit.Policy) { p.Storage = ratelimit.NewMemory(ratelimit.MemoryOptions{}) }
	for _, tc := range []struct {
		name     string
		policies []ratelimit.Policy
		decide   map[string]error
		calls    []string
		want     []string
		err      error
	}{
		{"all accept", []ratelimit.Policy{policy("a"), policy("b"), policy("c")}, nil, []string{"a b c"}, []string{"a", "b", "c"}, nil},
		{"one refuses", []ratelimit.Policy{policy("a"), policy("b"), policy("c")}, map[string]error{"b": errRefused}, []string{"a b c"}, []string{"a", "b"}, nil}, // RL-046
		{"one does not apply", []ratelimit.Policy{policy("a"), policy("b", key(textKey("", false, nil))), policy("c")}, nil, []string{"a c"}, []string{"a", "c"}, nil},
		{"another storage between", []ratelimit.Policy{policy("a"), policy("b", elsewhere), policy("c"), policy("d")}, nil, []string{"a", "c d"}, []string{"a", "b", "c", "d"}, nil},
		{"an outage in the middle that passes", []ratelimit.Policy{policy("a"), policy("b"), policy("c")}, map[string]error{"b": down}, []string{"a b c", "c"}, []string{"a", "c"}, nil}, // RL-183, RL-184
		{"an outage in the middle that is counted in memory", []ratelimit.Policy{policy("a"), policy("b", mode(ratelimit.FailLocal)), policy("c")}, map[string]error{"b": down}, []string{"a b c", "c"}, []string{"a", "b", "c"}, nil},
		{"an outage in the middle that refuses", []ratelimit.Policy{policy("a"), policy("b", mode(ratelimit.FailClosed)), policy("c")}, map[string]error{"b": down}, []string{"a b c"}, []string{"a"}, ratelimit.ErrUnavailable},
		{"a bug in the middle", []ratelimit.Policy{policy("a"), policy("b"), policy("c")}, map[string]error{"b": bug}, []string{"a b c"}, []string{"a"}, bug},
		{"a key that fails, behind one that is asked", []ratelimit.Policy{policy("a"), policy("b", key(noKey)), policy("c")}, nil, []string{"a"}, []string{"a"}, bug},
		{"a key that fails, behind one that refuses", []ratelimit.Policy{policy("a"), policy("b", key(noKey))}, map[string]error{"a": errRefused}, []string{"a"}, []string{"a"}, nil},
		{"an answer that was lost", []ratelimit.Policy{policy("a"), policy("b"), policy("c", mode(ratelimit.FailLocal))}, map[string]error{"a": lost}, []string{"a b c"}, []string{"c"}, nil}, // peer 67
		{"an answer that was lost in the middle", []ratelimit.Policy{policy("a"), policy("b"), policy("c")}, map[string]error{"b": lost}, []string{"a b c"}, []string{"a"}, nil},
		{"a lost answer that refuses", []ratelimit.Policy{policy("a"), policy("b", mode(ratelimit.FailClosed)), policy("c")}, map[string]error{"a": lost}, []string{"a b c"}, nil, ratelimit.ErrUnavailable},
		{"everything is down", []ratelimit.Policy{policy("a"), policy("b")}, map[string]error{"a": down, "b": down}, []string{"a b", "b"}, nil, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storage := &batchStorage{decide: tc.decide}
			o := ratelimit.Options{Storage: storage, Clock: newHeldClock(), Logger: slog.New(slog.DiscardHandler)}
			var limiters []ratelimit.Limiter
			for _, p := range tc.policies {
				limiters = append(limiters, newLimiter(t, p, o))
			}
			results, err := ratelimit.Chain(limiters...).Consume(t.Context(), from("192.0.2.1"), 1, nil)
			require.ErrorIs(t, err, tc.err)
			require.Equal(t, tc.want, policies(results))
			require.Equal(t, tc.calls, storage.calls)
		})
	}
}

func TestABatchStorageThatLosesDecisionsIsABug(t *testing.T) {
	o := ratelimit.Options{Storage: &batchStorage{lose: 1}, Clock: newHeldClock()}
	chain := ratelimit.Chain(
		newLimiter(t, ratelimit.Policy{Name: "a", Limit: 5, Interval: time.Minute}, o),
		newLimiter(t, ratelimit.Policy{Name: "b", Limit: 5, Interval: time.Minute}, o))
	results, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
	require.EqualError(t, err, `ratelimit: policy "b": the storage has decided 1 of 2 limits`)
	require.Equal(t, []string{"a"}, policies(results))
}

func TestAStorageIsPreparedForItsGroups(t *testing.T) {
	storage := &batchStorage{}
	s, err := ratelimit.NewSet([]ratelimit.Policy{
		{Name: "a", Algorithm: ratelimit.FixedWindow, Limit: 1, Interval: time.Minute},
		{Name: "b", Algorithm: ratelimit.TokenBucket, Limit: 1, Interval: time.Minute},
		{Name: "user", Limit: 1, Interval: time.Minute, Key: ratelimit.Identity},
	}, ratelimit.Options{Storage: storage})
	require.NoError(t, err)
	newPlan(t, s, usersTarget, ratelimit.Named("a", "user", "b"), ratelimit.Use(losingLimiter{}), ratelimit.Policy{Limit: 1, Interval: time.Minute})
	require.Equal(t, []string{"fixedWindow tokenBucket", "slidingWindow", "slidingWindow"}, storage.groups)

	storage.unknown = "minimumGap"
	_, err = s.Plan(usersTarget, ratelimit.Policy{Name: "steady", Algorithm: minimumGap{}, Limit: 1, Interval: time.Minute})
	require.EqualError(t, err, `rate limits ["steady"]: algorithm minimumGap has no script`)
	_, err = ratelimit.NewLimiter(ratelimit.Policy{Name: "steady", Algorithm: minimumGap{}, Limit: 1, Interval: time.Minute}, ratelimit.Options{Storage: storage})
	require.EqualError(t, err, `ratelimit: rate limits ["steady"]: algorithm minimumGap has no script`)
}
