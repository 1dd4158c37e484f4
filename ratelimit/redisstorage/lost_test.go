package redisstorage_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// A lost reply of several limits is the outage of all of them: none is asked
// again, so each has counted once.
func TestLostReplyOfChain(t *testing.T) { // peer 67
	constant := ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "all", true, nil })
	algorithms := []ratelimit.Algorithm{ratelimit.SlidingWindow, ratelimit.TokenBucket, ratelimit.FixedWindow}
	for _, length := range []int{2, 3} {
		for _, loss := range []string{"connection lost", "no answer"} {
			for _, mode := range []ratelimit.FailureMode{ratelimit.FailOpen, ratelimit.FailLocal} {
				t.Run(fmt.Sprint(length, loss, mode), func(t *testing.T) {
					proxy := newLossy(t, sharedAddr)
					s := redisstorage.New(connect(t, proxy.addr), redisstorage.Options{Prefix: freshPrefix(), Timeout: 500 * time.Millisecond})
					var limiters []ratelimit.Limiter
					for i, a := range algorithms[:length] {
						l, err := ratelimit.NewLimiter(ratelimit.Policy{Name: fmt.Sprint("limit", i), Algorithm: a, Limit: 1000, Interval: time.Hour,
							Key: constant, Storage: s, OnStorageFailure: mode}, ratelimit.Options{Budget: 5 * time.Second, Logger: slog.New(slog.DiscardHandler)})
						require.NoError(t, err)
						limiters = append(limiters, l)
					}
					chain := ratelimit.Chain(limiters...)
					remaining := func() (left []int64) {
						results, err := chain.Consume(t.Context(), &ratelimit.Context{Now: time.UnixMicro(now)}, 1, nil)
						require.NoError(t, err)
						for _, r := range results {
							left = append(left, r.Remaining)
						}
						return left
					}
					all := func(n int64) []int64 { return []int64{n, n, n}[:length] }
					require.Equal(t, all(999), remaining()) // connects and loads the script
					before := proxy.calls.Load()

					if loss == "no answer" {
						proxy.hold.Store(true)
					} else {
						proxy.lose.Store(true)
					}
					var want []int64
					if mode == ratelimit.FailLocal {
						want = all(999) // in memory
					}
					require.Equal(t, want, remaining())
					require.Equal(t, before+1, proxy.calls.Load())
					require.Equal(t, all(997), remaining()) // one before, the lost one, this one
				})
			}
		}
	}
}

// An error tells whether the call may have counted.
func TestLost(t *testing.T) {
	ask := func(s *redisstorage.Storage, items int) error {
		list := []ratelimit.Item{item("p:a", ratelimit.FixedWindow, take(5, 1)), item("p:b", ratelimit.FixedWindow, take(5, 1))}
		_, err := s.ConsumeAll(t.Context(), list[:items], nil)
		return err
	}
	for _, row := range []struct {
		err  error
		lost bool
	}{
		{errFake, true},
		{io.EOF, true},
		{os.ErrDeadlineExceeded, true},
		{context.DeadlineExceeded, true}, // of the storage
		{&net.OpError{Op: "read", Err: errFake}, true},
		{&net.OpError{Op: "dial", Err: errFake}, false},
		{redis.ErrClosed, false},
		{redis.ErrPoolTimeout, false},
		{errReply("LOADING Redis is loading"), false},
		{errReply("READONLY You can't write"), false},
		{errReply("CLUSTERDOWN Hash slot not served"), false},
		{ratelimit.Unavailable(errFake), false},
	} {
		fail := evaluate(func() (any, error) { return nil, row.err })
		err := ask(redisstorage.NewEvaluator(fail, redisstorage.Options{OneNode: true}), 2)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		require.Equal(t, row.lost, errors.Is(err, ratelimit.ErrLost), "%v", err)

		// one by one, the others can still be asked
		err = ask(redisstorage.NewEvaluator(fail, redisstorage.Options{}), 2)
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		require.NotErrorIs(t, err, ratelimit.ErrLost)
	}
}

// What a call was given decides whether Redis gets the blame for no answer.
func TestPatience(t *testing.T) {
	for _, row := range []struct {
		timeout, budget time.Duration
		opens           bool
	}{
		{50 * time.Millisecond, 50 * time.Millisecond, true},
		{5 * time.Second, 50 * time.Millisecond, true},
		{50 * time.Millisecond, 5 * time.Second, true},
		{time.Second, 10 * time.Millisecond, true},
		{time.Minute, 3 * time.Millisecond, true},
		{time.Millisecond, time.Second, true},
		{50 * time.Millisecond, time.Millisecond, false}, // no time to answer
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			s := redisstorage.NewEvaluator(hanging(func() { calls++ }), redisstorage.Options{OneNode: true, Timeout: row.timeout})
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), row.budget)
				_, err := s.Consume(ctx, []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
				require.Error(t, err)
				cancel()
			}
			want := 10
			if row.opens {
				want = 3
			}
			require.Equal(t, want, calls, "%+v", row)
		})
	}
}

// hanging is an evaluator that never gets an answer.
type hanging func()

func (h hanging) Evaluate(ctx context.Context, _ *redisstorage.Script, _ []string, _ []any) (any, error) {
	h()
	<-ctx.Done()
	return nil, ctx.Err()
}

// A client with something around it is bounded, too.
func TestWrappedClient(t *testing.T) {
	server := redistest.Start(t)
	plain := redis.NewClient(&redis.Options{Addr: server.Addr, DialerRetries: 1})
	t.Cleanup(func() { plain.Close() })
	require.ErrorContains(t, redisstorage.New(struct{ *redis.Client }{plain}, redisstorage.Options{}).Validate(), "ContextTimeoutEnabled is not set")
	require.NoError(t, redisstorage.New(struct{ *redis.Client }{connect(t, server.Addr)}, redisstorage.Options{}).Validate())

	s := redisstorage.New(struct{ redis.UniversalClient }{plain}, redisstorage.Options{})
	require.NoError(t, s.Validate())
	_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.NoError(t, err)
	server.Pause()
	defer server.Resume()
	start := time.Now()
	_, err = s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.ErrorIs(t, err, ratelimit.ErrLost)
	require.Less(t, time.Since(start), time.Second)
}

// A server of a ring that hangs is left alone, and no other.
func TestHangingShard(t *testing.T) {
	servers := map[string]*redistest.Server{"one": redistest.Start(t), "two": redistest.Start(t)}
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"one": servers["one"].Addr, "two": servers["two"].Addr},
		ContextTimeoutEnabled: true, MaxRetries: -1, HeartbeatFrequency: time.Hour})
	t.Cleanup(func() { ring.Close() })
	s := redisstorage.New(ring, redisstorage.Options{Timeout: 100 * time.Millisecond})
	servers["one"].Pause()
	defer servers["one"].Resume()
	start, failed := time.Now(), 0
	for i := range 100 {
		key := fmt.Sprint("p:", i)
		shard, err := ring.GetShardClientForKey("{" + key + "}")
		require.NoError(t, err)
		_, err = s.Consume(t.Context(), []byte(key), ratelimit.FixedWindow, take(5, 1))
		if shard.Options().Addr == servers["two"].Addr {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		failed++
	}
	require.Greater(t, failed, 20)
	require.Less(t, time.Since(start), 20*100*time.Millisecond) // and not as long as all of them
}

// A right that is missing is somebody's to put right, wherever it is found out.
func TestMissingRight(t *testing.T) { // peer 76
	server := redistest.Start(t)
	admin := connect(t, server.Addr)
	for _, missing := range []string{"-evalsha", "-eval", "-get", "-set", "resetkeys"} {
		t.Run(missing, func(t *testing.T) {
			require.NoError(t, admin.ScriptFlush(t.Context()).Err()) // EVAL is needed again
			require.NoError(t, admin.ACLSetUser(t.Context(), "limits", "reset", "on", ">secret", "~myapp:*", "+evalsha", "+eval", "+get", "+set", missing).Err())
			var log bytes.Buffer
			s, err := redisstorage.Open("redis://limits:secret@"+server.Addr, redisstorage.Options{Prefix: "myapp:", Timeout: 5 * time.Second,
				Logger: slog.New(slog.NewTextHandler(&log, nil))})
			require.NoError(t, err)
			defer s.Close()
			_, err = s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
			require.ErrorIs(t, err, ratelimit.ErrUnavailable)
			require.NotErrorIs(t, err, ratelimit.ErrBug)
			require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("level=ERROR")), log.String())
		})
	}
}
