package ratelimit_test

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestAChainStopsAtTheFirstRefusal(t *testing.T) {
	storage := &fakeStorage{}
	o := ratelimit.Options{Clock: newHeldClock()}
	one := newLimiter(t, ratelimit.Policy{Name: "one", Limit: 1, Interval: time.Minute}, o)
	ten := newLimiter(t, ratelimit.Policy{Name: "ten", Limit: 10, Interval: time.Minute, Storage: storage}, o)
	chain := ratelimit.Chain(one, ten)

	require.Equal(t, []string{"one", "ten"}, policies(consume(t, chain, from("192.0.2.1")))) // RL-044
	refused := consume(t, chain, from("192.0.2.1"))
	require.Equal(t, []string{"one"}, policies(refused)) // RL-187
	require.False(t, refused[0].Accepted)                // RL-045
	require.Len(t, storage.keys, 1)                      // RL-046, peer 62
}

func policies(results []ratelimit.Result) []string {
	var names []string
	for _, r := range results {
		names = append(names, r.Policy)
	}
	return names
}

func TestAChainAsksEachGateInOrder(t *testing.T) { // RL-049
	o := ratelimit.Options{Clock: newHeldClock()}
	var order []string
	spy := func(name string) ratelimit.Limiter {
		return ownLimiter(func(rc *ratelimit.Context) ([]ratelimit.Result, error) {
			order = append(order, fmt.Sprintf("%s %s", name, rc.Stage))
			return nil, nil
		})
	}
	chain := ratelimit.Chain(
		newLimiter(t, ratelimit.Policy{Name: "perUser", Limit: 1, Interval: time.Minute, Key: ratelimit.Identity}, o),
		spy("own"),
		newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Minute}, o),
	)
	require.Equal(t, []string{"perIp"}, policies(consume(t, chain, from("192.0.2.1"))))
	require.Equal(t, []string{"perUser"}, policies(consume(t, chain, by("bearer:ab12"))))
	require.Equal(t, []string{"own before authorization", "own after authorization"}, order) // RL-240
}

func TestChainsInAChainAreFlattened(t *testing.T) {
	own := func(name string) ratelimit.Limiter {
		return ownLimiter(func(*ratelimit.Context) ([]ratelimit.Result, error) {
			return []ratelimit.Result{{Policy: name, Accepted: true}}, nil
		})
	}
	chain := ratelimit.Chain(own("a"), ratelimit.Chain(own("b"), ratelimit.Chain(own("c"))), own("d"))
	require.Equal(t, []string{"a", "b", "c", "d"}, policies(consume(t, chain, from("192.0.2.1"))))
}

func TestAnErrorEndsAChainAndKeepsTheResults(t *testing.T) { // RL-182
	bug := errors.New("a bug")
	o := ratelimit.Options{Clock: newHeldClock()}
	for name, own := range map[string]ownLimiter{
		"a limiter of one's own that fails": func(*ratelimit.Context) ([]ratelimit.Result, error) { return nil, bug },
		"one whose storage is down": func(*ratelimit.Context) ([]ratelimit.Result, error) { // AMB-23
			return nil, errors.Join(bug, ratelimit.ErrUnavailable)
		},
	} {
		t.Run(name, func(t *testing.T) {
			chain := ratelimit.Chain(newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Minute}, o), own)
			results, err := chain.Consume(t.Context(), from("192.0.2.1"), 1, nil)
			require.ErrorIs(t, err, bug)
			require.Equal(t, []string{"perIp"}, policies(results))
		})
	}
}

func TestAnOutageDoesNotEndAChain(t *testing.T) { // RL-184
	o := ratelimit.Options{Clock: newHeldClock()}
	chain := ratelimit.Chain(
		newLimiter(t, ratelimit.Policy{Name: "down", Limit: 1, Interval: time.Minute, Storage: failing(ratelimit.Unavailable(nil))}, ratelimit.Options{Logger: slog.New(slog.DiscardHandler)}),
		newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Minute}, o),
	)
	require.True(t, consume(t, chain, from("192.0.2.1"))[0].Accepted)
	refused := consume(t, chain, from("192.0.2.1"))
	require.Equal(t, []string{"perIp"}, policies(refused))
	require.False(t, refused[0].Accepted)
}

func TestALimiterThatLosesResultsLosesNoneOfOthers(t *testing.T) {
	o := ratelimit.Options{Clock: newHeldClock()}
	chain := ratelimit.Chain(newLimiter(t, ratelimit.Policy{Name: "perIp", Limit: 1, Interval: time.Minute}, o), losingLimiter{})
	require.Equal(t, []string{"perIp"}, policies(consume(t, chain, from("192.0.2.1"))))
}

func TestExactlyTheLimitIsAdmittedWhateverTheConcurrency(t *testing.T) { // RL-110
	const goroutines, each, limit = 64, 1000, 500
	for _, algorithm := range []ratelimit.BuiltIn{ratelimit.SlidingWindow, ratelimit.FixedWindow, ratelimit.TokenBucket} {
		t.Run(algorithm.Name(), func(t *testing.T) {
			l := newLimiter(t, ratelimit.Policy{Name: "perIp", Algorithm: algorithm, Limit: limit, Interval: time.Hour}, ratelimit.Options{Clock: newHeldClock()})
			var accepted atomic.Int64
			var group sync.WaitGroup
			for range goroutines {
				group.Go(func() {
					rc, room := from("192.0.2.1"), make([]ratelimit.Result, 0, 1)
					for range each {
						results, err := l.Consume(t.Context(), rc, 1, room)
						if err != nil || len(results) != 1 {
							t.Errorf("results %v, error %v", results, err)
							return
						}
						if results[0].Accepted {
							accepted.Add(1)
						}
					}
				})
			}
			group.Wait()
			require.EqualValues(t, limit, accepted.Load())
		})
	}
}
