package redisstorage_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

func TestStorage(t *testing.T) { // RL-144, RL-248, RL-274, RL-276
	var o redisstorage.Options
	open := func(t testing.TB) ratelimit.Storage {
		o = redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second}
		return redisstorage.New(connect(t, sharedAddr), o)
	}
	storagetest.Run(t, open, storagetest.Options{
		OwnClock: true, ScriptsOnly: true, Steps: 2000, Counters: 2000, Algorithms: []ratelimit.Algorithm{minimumGap{}},
		Second: func(t testing.TB, _ ratelimit.Storage) ratelimit.Storage {
			return redisstorage.New(connect(t, sharedAddr), o)
		},
	})
}

// The storages of the project decide alike.
func TestAllStorages(t *testing.T) { // RL-006, RL-010
	for _, s := range []ratelimit.Storage{
		ratelimit.NewMemory(ratelimit.MemoryOptions{}),
		filestorage.New(t.TempDir(), filestorage.Options{}),
		redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second}),
	} {
		var got []ratelimit.Decision
		for range 3 {
			d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(2, 1))
			require.NoError(t, err)
			got = append(got, d)
		}
		left := take(2, 1).Interval - now%take(2, 1).Interval
		require.Equal(t, []ratelimit.Decision{accepted(1, left), accepted(0, left), {ResetAfter: left, RetryAfter: left}}, got, "%T", s)
	}
}

// A counter is one key, prefix and policy and key in front, that expires.
func TestKeys(t *testing.T) { // RL-104, RL-150, RL-159, RL-161, RL-257, RL-260, RL-277
	server := redistest.Start(t)
	client := connect(t, server.Addr)
	s := redisstorage.New(client, redisstorage.Options{Prefix: "myapp:rate-limit:", Timeout: 5 * time.Second})
	for _, a := range []ratelimit.Algorithm{ratelimit.FixedWindow, ratelimit.TokenBucket, ratelimit.SlidingWindow} {
		for _, key := range []string{"perIp:192.0.2.1", "perIp:a}{b"} {
			d, err := s.Consume(t.Context(), []byte(key), a, take(5, 1))
			require.NoError(t, err)
			require.True(t, d.Accepted)
		}
	}
	_, err := redisstorage.New(client, redisstorage.Options{}).Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.NoError(t, err)
	keys := client.Keys(t.Context(), "*").Val()
	require.ElementsMatch(t, []string{
		"myapp:rate-limit:{perIp:192.0.2.1}:fixedWindow:60",
		"myapp:rate-limit:{perIp:192.0.2.1}:tokenBucket:60",
		"myapp:rate-limit:{perIp:192.0.2.1}:slidingWindow:60",
		"myapp:rate-limit:{perIp:a}{b}:fixedWindow:60",
		"myapp:rate-limit:{perIp:a}{b}:tokenBucket:60",
		"myapp:rate-limit:{perIp:a}{b}:slidingWindow:60",
		"ratelimit:{p:k}:fixedWindow:60",
	}, keys)
	for _, key := range keys {
		require.Positive(t, client.PTTL(t.Context(), key).Val(), key)
	}
}

// What is not a state counts as none, and is replaced.
func TestForeignValues(t *testing.T) { // RL-158
	client, prefix := connect(t, sharedAddr), freshPrefix()
	s := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
	start := float64(now - now%60_000_000)
	values := []string{"", "x", "12345678901234567890123", strings.Repeat("\x00", 25), strings.Repeat("\xff", 24), // NaN
		doubles(start, 2.5, 0), doubles(start, 2, 0.5), doubles(now, 2.5, 0), doubles(now, 2, 0.5), doubles(now+0.5, 2, 0), doubles(math.Inf(1), 2, 0)}
	for _, a := range []ratelimit.Algorithm{ratelimit.FixedWindow, ratelimit.TokenBucket, ratelimit.SlidingWindow} {
		for _, value := range values {
			i := item("p:k", a, take(5, 1))
			require.NoError(t, client.Set(t.Context(), keyOf(prefix, i), value, 0).Err())
			d, err := s.Consume(t.Context(), i.Key, a, i.Take)
			require.NoError(t, err)
			require.Equal(t, a.Step(ratelimit.State{}, i.Take).Decision, d, "%s %q", a.Name(), value)
			require.Positive(t, client.PTTL(t.Context(), keyOf(prefix, i)).Val())
		}
	}
}

// Redis is told the time and never asked for it, so a decision depends on what the
// program says alone.
func TestTimeIsTold(t *testing.T) { // RL-144
	s := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second})
	at := func(now int64) ratelimit.Decision {
		d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, ratelimit.Take{Limit: 1, Cost: 1, Interval: 60_000_000, Now: now})
		require.NoError(t, err)
		return d
	}
	require.Equal(t, accepted(0, 60_000_000), at(0))
	require.Equal(t, ratelimit.Decision{ResetAfter: 1, RetryAfter: 1}, at(59_999_999))
	require.Equal(t, accepted(0, 60_000_000), at(60_000_000))
}

// The limits of a gate are one call, and one call alone.
func TestOneCall(t *testing.T) { // RL-114
	server := redistest.Start(t)
	client := connect(t, server.Addr)
	async, err := client.AsyncAutoPipeline()
	require.NoError(t, err)
	const gates = 10
	for _, row := range []struct {
		name    string
		storage *redisstorage.Storage
		calls   int
	}{
		{"client", redisstorage.New(client, redisstorage.Options{Timeout: 5 * time.Second}), gates},
		{"one node", redisstorage.New(async, redisstorage.Options{OneNode: true, Timeout: 5 * time.Second}), gates},
		{"may be a cluster", redisstorage.New(async, redisstorage.Options{Timeout: 5 * time.Second}), 3 * gates},
		{"evaluator", redisstorage.NewEvaluator(direct{client}, redisstorage.Options{Timeout: 5 * time.Second}), 3 * gates},
		{"evaluator of one node", redisstorage.NewEvaluator(direct{client}, redisstorage.Options{OneNode: true, Timeout: 5 * time.Second}), gates},
	} {
		t.Run(row.name, func(t *testing.T) {
			limiter := chainOfThree(t, row.storage, ratelimit.FailClosed)
			consume := func() {
				results, err := limiter.Consume(t.Context(), &ratelimit.Context{}, 1, nil)
				require.NoError(t, err)
				require.Len(t, results, 3)
			}
			consume() // sends the script
			require.NoError(t, client.ConfigResetStat(t.Context()).Err())
			for range gates {
				consume()
			}
			stats := client.Info(t.Context(), "commandstats").Val()
			require.Contains(t, stats, fmt.Sprintf("cmdstat_evalsha:calls=%d,", row.calls))
			require.Contains(t, stats, fmt.Sprintf("cmdstat_get:calls=%d,", 3*gates))
			require.Contains(t, stats, fmt.Sprintf("cmdstat_set:calls=%d,", 3*gates))
			for _, other := range []string{"cmdstat_eval:", "cmdstat_script", "cmdstat_time", "cmdstat_pexpire", "cmdstat_del"} {
				require.NotContains(t, stats, other)
			}
		})
	}
}

// direct is an evaluator as users write it.
type direct struct{ client redis.UniversalClient }

func (d direct) Evaluate(ctx context.Context, s *redisstorage.Script, keys []string, args []any) (any, error) { // RL-234
	reply, err := d.client.EvalSha(ctx, s.SHA1(), keys, args...).Result()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		return d.client.Eval(ctx, s.Text(), keys, args...).Result()
	}
	return reply, err
}

// A refusal ends the call: what stands behind it is not charged.
func TestStopsAtRefusal(t *testing.T) {
	client, prefix := connect(t, sharedAddr), freshPrefix()
	s := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
	items := []ratelimit.Item{
		item("a:k", ratelimit.FixedWindow, take(5, 1)), item("b:k", ratelimit.TokenBucket, take(1, 1)), item("c:k", ratelimit.SlidingWindow, take(5, 1)),
	}
	got, err := s.ConsumeAll(t.Context(), items, nil)
	require.NoError(t, err)
	require.Len(t, got, 3)
	got, err = s.ConsumeAll(t.Context(), items, got[:0])
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.False(t, got[1].Accepted)
	d, err := s.Consume(t.Context(), []byte("c:k"), ratelimit.SlidingWindow, take(5, 0))
	require.NoError(t, err)
	require.Equal(t, int64(4), d.Remaining)
}

// What no algorithm can decide is a fault of the program. What stands before it is
// decided.
func TestInvalidTake(t *testing.T) {
	s := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second})
	got, err := s.ConsumeAll(t.Context(), []ratelimit.Item{
		item("a:k", ratelimit.FixedWindow, take(5, 1)), item("b:k", ratelimit.FixedWindow, take(0, 1)),
	}, nil)
	require.Len(t, got, 1)
	require.ErrorContains(t, err, "take out of range")
	require.NotErrorIs(t, err, ratelimit.ErrUnavailable)
	_, err = s.Consume(t.Context(), []byte("b:k"), ratelimit.FixedWindow, take(0, 1))
	require.ErrorContains(t, err, "take out of range")
}

// Mistakes of the set-up are told before the first request.
func TestValidate(t *testing.T) { // RL-103
	var none *redis.Client
	options := func(obeys bool) *redis.Options {
		return &redis.Options{Addr: sharedAddr, ContextTimeoutEnabled: obeys}
	}
	for _, row := range []struct {
		storage *redisstorage.Storage
		want    string
	}{
		{redisstorage.New(redis.NewClient(options(true)), redisstorage.Options{}), ""},
		{redisstorage.NewEvaluator(evaluate(nil), redisstorage.Options{}), "the evaluator is nil"},
		{redisstorage.NewEvaluator(direct{}, redisstorage.Options{Prefix: "app:"}), ""},
		{redisstorage.New(nil, redisstorage.Options{}), "the client is nil"},
		{redisstorage.New(none, redisstorage.Options{}), "the client is nil"},
		{redisstorage.NewEvaluator(nil, redisstorage.Options{}), "the evaluator is nil"},
		{redisstorage.New(redis.NewClient(options(false)), redisstorage.Options{}), "ContextTimeoutEnabled is not set in the client's redis.Options"},
		{redisstorage.New(redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "m"}), redisstorage.Options{}), "ContextTimeoutEnabled is not set in the client's redis.Options"},
		{redisstorage.New(redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{sharedAddr}}), redisstorage.Options{}), "ContextTimeoutEnabled is not set in the client's redis.ClusterOptions"},
		{redisstorage.New(redis.NewRing(&redis.RingOptions{}), redisstorage.Options{}), "ContextTimeoutEnabled is not set in the client's redis.RingOptions"},
		{redisstorage.NewEvaluator(direct{}, redisstorage.Options{Prefix: "a{b"}), `the prefix "a{b" has a brace`}, // RL-161
		{redisstorage.NewEvaluator(direct{}, redisstorage.Options{Prefix: "a}"}), `the prefix "a}" has a brace`},
		{redisstorage.NewEvaluator(direct{}, redisstorage.Options{Timeout: -1}), "the time-out -1ns is negative"},
	} {
		err := row.storage.Validate()
		if row.want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, row.want)
		// whoever builds limits on it is told
		_, err = ratelimit.NewLimiter(ratelimit.Policy{Name: "p", Limit: 1, Interval: time.Minute}, ratelimit.Options{Storage: row.storage})
		require.ErrorContains(t, err, row.want)
	}
}
