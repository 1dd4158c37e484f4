package redisstorage_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// A reply that is lost leaves the outcome unknown: the call is not made again, so
// it has counted once.
func TestLostReply(t *testing.T) { // peer 67
	for _, kind := range []string{"client", "auto-pipeliner"} {
		t.Run(kind, func(t *testing.T) {
			proxy, prefix := newLossy(t, sharedAddr), freshPrefix()
			client := connect(t, proxy.addr) // which sends again, three times, what fails
			s := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
			if kind == "auto-pipeliner" {
				pipeliner, err := client.AutoPipeline()
				require.NoError(t, err)
				s = redisstorage.New(pipeliner, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
			}
			key := []byte("p:k")
			_, err := s.Consume(t.Context(), key, ratelimit.FixedWindow, take(1000, 1)) // connects and loads the script
			require.NoError(t, err)
			before := proxy.calls.Load()

			proxy.lose.Store(true)
			_, err = s.Consume(t.Context(), key, ratelimit.FixedWindow, take(1000, 1))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
			require.Equal(t, before+1, proxy.calls.Load())

			d, err := s.Consume(t.Context(), key, ratelimit.FixedWindow, take(1000, 0))
			require.NoError(t, err)
			require.Equal(t, int64(998), d.Remaining) // one of the first call, one of the lost one
		})
	}
}

// A Redis that hangs costs a request its budget at most, whatever the time-outs of
// the client, and after some of them nothing.
func TestHangingRedis(t *testing.T) { // RL-165, RL-166, peer 71
	const (
		budget     = 50 * time.Millisecond
		scheduling = 150 * time.Millisecond
	)
	server := redistest.Start(t)
	client := connect(t, server.Addr)
	async, err := client.AsyncAutoPipeline()
	require.NoError(t, err)
	blocking, err := client.AutoPipeline()
	require.NoError(t, err)
	for name, s := range map[string]*redisstorage.Storage{
		"client":                  redisstorage.New(client, redisstorage.Options{}),
		"auto-pipeliner":          redisstorage.New(blocking, redisstorage.Options{OneNode: true}),
		"deferred auto-pipeliner": redisstorage.New(async, redisstorage.Options{OneNode: true}),
	} {
		for mode, want := range map[ratelimit.FailureMode]error{ratelimit.FailOpen: nil, ratelimit.FailClosed: ratelimit.ErrUnavailable} {
			t.Run(fmt.Sprint(name, mode), func(t *testing.T) {
				limiter := chainOfThree(t, s, mode)
				results, err := limiter.Consume(t.Context(), &ratelimit.Context{}, 1, nil)
				require.NoError(t, err)
				require.Len(t, results, 3)

				server.Pause()
				var late atomic.Int64
				var all sync.WaitGroup
				for range 100 {
					all.Go(func() {
						start := time.Now()
						results, err := limiter.Consume(context.Background(), &ratelimit.Context{}, 1, nil)
						if took := time.Since(start); took > budget+scheduling {
							t.Errorf("took %s", took)
						} else if took > budget/2 {
							late.Add(1)
						}
						if len(results) != 0 || (want == nil) != (err == nil) {
							t.Errorf("%v, %v", results, err)
						}
					})
				}
				all.Wait()
				start := time.Now()
				for range 100 {
					_, _ = limiter.Consume(t.Context(), &ratelimit.Context{}, 1, nil)
				}
				require.Less(t, time.Since(start), budget+scheduling) // nobody waits any more, but one who tries
				server.Resume()
				waitUntil(t, func() bool {
					results, _ = limiter.Consume(t.Context(), &ratelimit.Context{}, 1, nil)
					return len(results) == 3
				})
			})
		}
	}
}

// waitUntil asks for what takes other processes a while, for ten seconds at most.
func waitUntil(t *testing.T, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 10*time.Second, 20*time.Millisecond)
}

// chainOfThree is the limits of a gate.
func chainOfThree(t testing.TB, s ratelimit.Storage, mode ratelimit.FailureMode) ratelimit.Limiter {
	t.Helper()
	constant := ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "all", true, nil })
	var limiters []ratelimit.Limiter
	for i, a := range []ratelimit.Algorithm{ratelimit.SlidingWindow, ratelimit.TokenBucket, ratelimit.FixedWindow} {
		l, err := ratelimit.NewLimiter(ratelimit.Policy{Name: fmt.Sprint("limit", i), Algorithm: a, Limit: 1_000_000, Interval: time.Hour,
			Key: constant, Storage: s, OnStorageFailure: mode}, ratelimit.Options{Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		limiters = append(limiters, l)
	}
	return ratelimit.Chain(limiters...)
}

// An unreachable Redis is left alone for a second, then tried by one request. The
// others fail at once meanwhile.
func TestUnreachable(t *testing.T) { // peer 71, peer 74
	dialError := &net.OpError{Op: "dial", Err: errFake}
	for _, row := range []struct {
		name  string
		err   error         // of the calls
		takes time.Duration // how long they take
		first int           // calls until it is left alone
	}{
		{"nobody listens", dialError, time.Millisecond, 1},
		{"no answer", context.DeadlineExceeded, 50 * time.Millisecond, 3},
		{"no answer soon", context.DeadlineExceeded, 10 * time.Millisecond, 0}, // the requests had no time
		{"connection lost", errFake, 0, 0},
		{"error reply", errReply("LOADING Redis is loading"), 50 * time.Millisecond, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				var up atomic.Bool
				s := redisstorage.NewEvaluator(evaluate(func() (any, error) {
					calls.Add(1)
					time.Sleep(row.takes)
					if up.Load() {
						return []any{int64(1), int64(4), int64(9), int64(-1)}, nil
					}
					return nil, row.err
				}), redisstorage.Options{OneNode: true})
				ask := func() error {
					_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
					return err
				}
				crowd := func() (asked int64) {
					before := calls.Load()
					var all sync.WaitGroup
					for range 10 {
						all.Go(func() {
							if err := ask(); up.Load() != (err == nil) && err == nil {
								t.Errorf("%v", err)
							}
						})
					}
					all.Wait()
					return calls.Load() - before
				}
				for range 10 {
					require.ErrorIs(t, ask(), ratelimit.ErrUnavailable)
				}
				if row.first == 0 {
					require.Equal(t, int64(10), calls.Load())
					return
				}
				require.Equal(t, int64(row.first), calls.Load())
				start := time.Now()
				require.Zero(t, crowd())
				require.Zero(t, time.Since(start))

				time.Sleep(time.Second)
				require.Equal(t, int64(1), crowd()) // still down
				require.Zero(t, crowd())

				time.Sleep(time.Second)
				up.Store(true)
				require.Equal(t, int64(1), crowd()) // back
				require.Equal(t, int64(10), crowd())
			})
		})
	}
}

type errReply string

func (e errReply) Error() string { return string(e) }
func (errReply) RedisError()     {}

// A server of a cluster that is down does not take the others with it.
func TestUnreachablePart(t *testing.T) {
	down := true
	s := redisstorage.NewEvaluator(byKey(func(key string) (any, error) {
		if down && key == "ratelimit:{p:a}:fixedWindow:60" {
			return nil, &net.OpError{Op: "dial", Err: errFake}
		}
		return []any{int64(1), int64(4), int64(9), int64(-1)}, nil
	}), redisstorage.Options{})
	ask := func(key string) error {
		_, err := s.Consume(t.Context(), []byte(key), ratelimit.FixedWindow, take(5, 1))
		return err
	}
	require.ErrorIs(t, ask("p:a"), errFake)
	down = false
	require.ErrorIs(t, ask("p:a"), ratelimit.ErrUnavailable) // not asked
	require.NoError(t, ask("p:b"))
}

type byKey func(key string) (any, error)

func (b byKey) Evaluate(_ context.Context, _ *redisstorage.Script, keys []string, _ []any) (any, error) {
	return b(keys[0])
}

// A panic of an evaluator leaves no trial behind that never ends.
func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		run := func() (any, error) { return nil, &net.OpError{Op: "dial", Err: errFake} }
		s := redisstorage.NewEvaluator(evaluate(func() (any, error) { return run() }), redisstorage.Options{OneNode: true})
		ask := func() error {
			_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
			return err
		}
		require.ErrorIs(t, ask(), errFake)
		time.Sleep(time.Second)
		run = func() (any, error) { panic(errFake) }
		require.PanicsWithValue(t, errFake, func() { _ = ask() })
		run = func() (any, error) { return []any{int64(1), int64(4), int64(9), int64(-1)}, nil }
		require.NoError(t, ask())
	})
}

// Scripts that Redis has forgotten are sent again, and nothing fails.
func TestScriptFlush(t *testing.T) { // RL-238
	server := redistest.Start(t)
	client := connect(t, server.Addr)
	s := redisstorage.New(client, redisstorage.Options{Timeout: 5 * time.Second})
	for i := range int64(5) {
		d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.SlidingWindow, take(10, 1))
		require.NoError(t, err)
		require.Equal(t, 9-i, d.Remaining)
		require.NoError(t, client.ScriptFlush(t.Context()).Err())
	}
}

// A program that runs before its Redis, and while it is restarted, goes on.
func TestRestart(t *testing.T) { // peer 74
	server := redistest.Start(t)
	server.Kill()
	client := connect(t, server.Addr)
	s := redisstorage.New(client, redisstorage.Options{})
	require.NoError(t, s.Validate())
	ask := func() (ratelimit.Decision, error) {
		return s.Consume(t.Context(), []byte("p:k"), ratelimit.SlidingWindow, take(3, 1))
	}
	for range 2 {
		_, err := ask()
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		server.Restart()
		admitted := 0
		waitUntil(t, func() bool {
			d, err := ask()
			if err == nil && d.Accepted {
				admitted++
			}
			return err == nil && !d.Accepted
		})
		require.Equal(t, 3, admitted) // the limit in each life of the data
		server.Kill()
	}
}
