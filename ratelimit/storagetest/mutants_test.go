package storagetest

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Every row is a storage with a fault, and the scenario that has to find it.
func TestFaultyStorages(t *testing.T) {
	second := sec.Microseconds()
	for _, tc := range []struct {
		name     string
		open     func() ratelimit.Storage
		scenario string
	}{
		// lifetimes
		{"nothing is ever forgotten", func() ratelimit.Storage {
			s := newStore()
			s.gone = func(entry, ratelimit.Take) bool { return false }
			return s
		}, "state/gone"}, // RL-250, peer 1
		{"nothing is kept", withSave(func(old, _ entry, _ ratelimit.Outcome, _ ratelimit.Take) entry { return old }), "fixed window/counts down"},
		{"a refusal renews the lifetime", withSave(func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry {
			if o.TTL == 0 && !o.Accepted {
				return entry{old.state, t.Now + t.Interval}
			}
			return kept(old, e, o)
		}), "state/gone"}, // RL-252, peer 4
		{"a peek renews the lifetime", withSave(func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry {
			if t.Cost == 0 {
				return entry{old.state, t.Now + t.Interval}
			}
			return kept(old, e, o)
		}), "state/gone"}, // RL-252
		{"lifetimes of an interval, whatever was asked for", withLifetime(func(_, _ entry, _ ratelimit.Outcome, t ratelimit.Take) int64 { return t.Interval }), "state/gone"},
		{"the first lifetime is never prolonged", withLifetime(func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) int64 {
			if t.Now < old.expires {
				return old.expires - t.Now
			}
			return o.TTL
		}), "traffic/token bucket/faster than its interval"}, // peer 22
		{"whole seconds, rounded down", withLifetime(func(_, _ entry, o ratelimit.Outcome, _ ratelimit.Take) int64 { return o.TTL / second * second }), "token bucket/lifetimes of a millisecond"}, // peer 2
		{"milliseconds, rounded down", withLifetime(func(_, _ entry, o ratelimit.Outcome, _ ratelimit.Take) int64 { return o.TTL / 1000 * 1000 }), "random/fixedWindow"},
		{"milliseconds taken for seconds", withLifetime(func(_, _ entry, o ratelimit.Outcome, _ ratelimit.Take) int64 { return o.TTL * 1000 }), "state/gone"}, // peer 5
		{"a window is dropped at its end", withLifetime(func(_, _ entry, o ratelimit.Outcome, t ratelimit.Take) int64 {
			return min(o.TTL, t.Interval-t.Now%t.Interval)
		}), "sliding window/a state outlives"}, // peer 32
		{"32 bits of seconds", withLifetime(func(_, _ entry, o ratelimit.Outcome, t ratelimit.Take) int64 {
			return int64(uint32((t.Now+o.TTL)/second+1))*second - t.Now
		}), "fixed window/counts down"},
		{"a time of 0 is taken for none", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				if t.Now == 0 {
					t.Now = starts[1].UnixMicro()
				}
				return inner.Consume(ctx, key, a, t)
			}
		}), "fixed window/counts down"},

		// names
		{"algorithms share counters", withName(func(key []byte, _ ratelimit.Algorithm, t ratelimit.Take) string {
			return ratelimit.CounterName(key, ratelimit.FixedWindow, t)
		}), "counters/algorithms"}, // RL-247
		{"intervals share counters", withName(func(key []byte, a ratelimit.Algorithm, _ ratelimit.Take) string {
			return string(key) + ":" + a.Name()
		}), "counters/intervals"}, // peer 13, peer 58
		{"limits do not share counters", withName(func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string {
			return ratelimit.CounterName(key, a, t) + string(rune(t.Limit))
		}), "fixed window/the limit changes"}, // peer 89
		{"keys are cut", withKey(func(key string) string { return key[:min(len(key), 255)] }), "key/any bytes"}, // peer 59
		{"names are cut at 400 bytes", withName(func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string {
			name := ratelimit.CounterName(key, a, t)
			return name[:min(len(name), 400)]
		}), "key/any bytes"},
		{"the last bytes of long names are lost", withName(func(key []byte, a ratelimit.Algorithm, t ratelimit.Take) string {
			return ratelimit.CounterName(key[:min(len(key), 490)], a, t)
		}), "key/any bytes"},
		{"keys end at a zero byte", withKey(func(key string) string { key, _, _ = strings.Cut(key, "\x00"); return key }), "key/any bytes"},
		{"keys are trimmed", withKey(strings.TrimSpace), "key/any bytes"},
		{"the case of keys is lost", withKey(strings.ToLower), "key/any bytes"},
		{"keys are made valid UTF-8", withKey(func(key string) string { return strings.ToValidUTF8(key, "\uFFFD") }), "key/any bytes"},
		{"keys are patterns", withKey(func(key string) string { return strings.ReplaceAll(key, "?", "*") }), "key/any bytes"},
		{"colons are escaped and nothing else", withKey(func(key string) string { return strings.ReplaceAll(key, ":", "|") }), "key/any bytes"}, // peer 53
		{"an empty key is an error", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				if len(key) == 0 {
					return ratelimit.Decision{}, ratelimit.Unavailable(nil)
				}
				return inner.Consume(ctx, key, a, t)
			}
		}), "key/any bytes"},
		{"the slice of the key is kept", keepingKeys, "key/it belongs"},
		{"something is written behind the key", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				return inner.Consume(ctx, append(key, ':'), a, t)
			}
		}), "key/it belongs"},

		// states
		{"the fraction is lost", withSave(func(old, e entry, o ratelimit.Outcome, _ ratelimit.Take) entry {
			e.state[2] = 0
			return kept(old, e, o)
		}), "token bucket/parts"}, // peer 19
		{"states are saved on a peek", withSave(func(old, e entry, o ratelimit.Outcome, t ratelimit.Take) entry {
			if t.Cost == 0 {
				return entry{o.State, old.expires}
			}
			return kept(old, e, o)
		}), "state/every word"}, // RL-252, peer 92
		{"states are saved on a refusal", withSave(func(old, e entry, o ratelimit.Outcome, _ ratelimit.Take) entry {
			if !o.Accepted {
				return entry{o.State, old.expires}
			}
			return kept(old, e, o)
		}), "fixed window/a refusal changes nothing"}, // RL-252, RL-263
		{"words are floating point", withWord(func(w int64) int64 { return int64(float64(w)) }), "state/every word"}, // RL-223
		{"words have 32 bits", withWord(func(w int64) int64 { return int64(int32(w)) }), "state/every word"},
		{"words have no sign", withWord(func(w int64) int64 { return max(0, w) }), "state/every word"},

		// times
		{"the newest time of all keys", around(func(inner ratelimit.Storage) consumeFunc {
			var newest int64
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				newest = max(newest, t.Now)
				t.Now = newest
				return inner.Consume(ctx, key, a, t)
			}
		}), "counters/the time"},
		{"times in whole milliseconds", withTake(func(t ratelimit.Take) ratelimit.Take { t.Now = t.Now / 1000 * 1000; return t }), "fixed window/counts down"},
		{"waits in whole seconds", withAnswer(func(d ratelimit.Decision) ratelimit.Decision { d.ResetAfter = d.ResetAfter / second * second; return d }), "fixed window/counts down"}, // RL-253
		{"an older time takes the place of a newer one", withStep(ratelimit.TokenBucket, func(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
			o := ratelimit.TokenBucket.Step(s, t)
			if o.TTL > 0 {
				o.State[0] = t.Now
			}
			return o
		}), "traffic/token bucket/two clocks"}, // peer 17
		{"a clock that is behind opens a window of its own", withStep(ratelimit.FixedWindow, func(s ratelimit.State, t ratelimit.Take) ratelimit.Outcome {
			if s[0] > t.Now {
				s = ratelimit.State{}
			}
			return ratelimit.FixedWindow.Step(s, t)
		}), "fixed window/a clock that is behind"},

		// answers
		{"a refusal leaves nothing", withAnswer(func(d ratelimit.Decision) ratelimit.Decision {
			if !d.Accepted {
				d.Remaining = 0
			}
			return d
		}), "fixed window/a refusal changes nothing"}, // RL-253
		{"never is said like any refusal", withAnswer(func(d ratelimit.Decision) ratelimit.Decision {
			d.RetryAfter = max(d.RetryAfter, ratelimit.NoRetryMicros)
			return d
		}), "token bucket/more than the limit"}, // RL-253
		{"the largest costs overflow", withTake(func(t ratelimit.Take) ratelimit.Take { t.Cost = int64(int32(t.Cost)); return t }), "sliding window/more than the limit"},
		{"the window before is weighed in floating point", withStep(ratelimit.SlidingWindow, floatingWindow), "random/slidingWindow"},
		{"the window before is divided first", withStep(ratelimit.SlidingWindow, dividingWindow), "random/slidingWindow"},
		{"tokens are refilled in floating point", withStep(ratelimit.TokenBucket, floatingBucket), "random/tokenBucket"},
		{"the wait is worked out in floating point", withStep(ratelimit.SlidingWindow, floatingWait), "random/slidingWindow"},
		{"an algorithm of one's own decides like a built-in one", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				if _, ok := a.(ratelimit.BuiltIn); !ok {
					a = ratelimit.SlidingWindow
				}
				return inner.Consume(ctx, key, a, t)
			}
		}), "minimum gap/one request"}, // RL-248, RL-276

		// errors
		{"what is out of range is decided", withSaneTake, "take/"}, // peer 82
		{"what is out of range is an outage", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				d, err := inner.Consume(ctx, key, a, t)
				if err != nil {
					err = ratelimit.Unavailable(err)
				}
				return d, err
			}
		}), "take/"},
		{"a request that has ended counts and fails", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				d, err := inner.Consume(ctx, key, a, t)
				if ctx.Err() != nil {
					return ratelimit.Decision{}, ctx.Err()
				}
				return d, err
			}
		}), "context/"},
		{"a request that has ended is an outage", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				if ctx.Err() != nil {
					return ratelimit.Decision{}, ratelimit.Unavailable(ctx.Err())
				}
				return inner.Consume(ctx, key, a, t)
			}
		}), "context/"}, // peer 76
		{"a panic leaves the lock", around(func(inner ratelimit.Storage) consumeFunc {
			var mu sync.Mutex
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				mu.Lock()
				d, err := inner.Consume(ctx, key, a, t)
				mu.Unlock()
				return d, err
			}
		}), "algorithm/"},
		{"a panic is an outage", recovering(ratelimit.ErrUnavailable), "algorithm/"},
		{"a panic is nothing", recovering(nil), "algorithm/"},

		{"a built-in algorithm cannot be run", func() ratelimit.Storage { return picky{newStore()} }, "fixed window/counts down"},

		// room
		{"500 counters", withRoom(500), "counters/many"},
		{"1,000 counters", withRoom(1000), "counters/many"},
		{"5,000 counters", withRoom(5000), "counters/many"},
		{"9,999 counters", withRoom(9999), "counters/many"},

		// batches
		{"all of a batch is decided", withBatch(toTheEnd), "batch/"},
		{"all of a batch is charged", withBatch(func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
			all, err := toTheEnd(one, items, dst)
			for i, d := range all[len(dst):] {
				if !d.Accepted {
					return all[:len(dst)+i+1], err
				}
			}
			return all, err
		}), "batch/"}, // peer 62
		{"the last of a batch is left out", withBatch(func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
			return inOrder(one, items[:max(1, len(items)-1)], dst)
		}), "batch/"},
		{"a batch is decided from its end", withBatch(func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
			items = slices.Clone(items)
			slices.Reverse(items)
			return inOrder(one, items, dst)
		}), "batch/"},
		{"earlier decisions are dropped", withBatch(func(one ratelimit.Storage, items []ratelimit.Item, _ []ratelimit.Decision) ([]ratelimit.Decision, error) {
			return inOrder(one, items, nil)
		}), "batch/"},
		{"a batch is an outage", withBatch(func(_ ratelimit.Storage, _ []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
			return dst, ratelimit.Unavailable(nil)
		}), "batch/"},
		{"a batch has a decision too many", withBatch(func(one ratelimit.Storage, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
			dst, err := inOrder(one, items, dst)
			return append(dst, ratelimit.Decision{}), err
		}), "batch/"},

		{"the sixth decision is that of all behind it", withBatch(copying(6)), "batch/many"},
		{"the twentieth decision is that of all behind it", withBatch(copying(20)), "batch/many"},

		// requests at the same time
		{"others come between reading and writing", withGap(runtime.Gosched), "crowd/one key/slidingWindow"}, // RL-226
		{"they come while an algorithm decides", withGap(func() {}), "crowd/one key/yieldingslidingWindow"},
		{"they come with many keys", withGap(runtime.Gosched), "crowd/many keys"},
		{"they come with clocks that differ", withGap(runtime.Gosched), "crowd/clocks that differ/tokenBucket"},
		{"the answers are those of no order", withAnswer(func(d ratelimit.Decision) ratelimit.Decision { d.Remaining /= 2; return d }), "crowd/one key/fixedWindow"},
		{"a counter that is busy is an outage", around(func(inner ratelimit.Storage) consumeFunc {
			var mu sync.Mutex
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				if !mu.TryLock() {
					return ratelimit.Decision{}, ratelimit.Unavailable(nil)
				}
				defer mu.Unlock()
				return inner.Consume(ctx, key, a, t)
			}
		}), "crowd/one key/yieldingtokenBucket"},
		{"more than 100 requests are an outage", withPool(100, ratelimit.Decision{}, ratelimit.Unavailable(nil)), "crowd/500 at a time behind"},
		{"more than 100 requests pass", withPool(100, ratelimit.Decision{Accepted: true, RetryAfter: ratelimit.NoRetryMicros}, nil), "crowd/500 at a time behind"},
		{"more than 400 requests pass", withPool(400, ratelimit.Decision{Accepted: true, RetryAfter: ratelimit.NoRetryMicros}, nil), "crowd/500 at a time behind"},
		{"an attempt that was disturbed ten times is an outage", func() ratelimit.Storage { return newSwapping(10) }, "crowd/500 at a time behind"},
		{"who waits for others forgets the context", waitingForEver, "context/one that ends while"},
		{"who stops waiting for others is an outage", around(func(inner ratelimit.Storage) consumeFunc {
			return func(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
				d, err := inner.Consume(ctx, key, a, t)
				if ctx.Err() != nil {
					err = ratelimit.Unavailable(err)
				}
				return d, err
			}
		}), "context/one that ends while"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := findings(t, tc.open, Options{Seed: 1}, tc.scenario)
			require.NotEmpty(t, found)
		})
	}
}

// kept is what is saved when nothing is wrong.
func kept(old, e entry, o ratelimit.Outcome) entry {
	if o.TTL > 0 {
		return e
	}
	return old
}
