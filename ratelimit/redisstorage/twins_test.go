package redisstorage_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// packed is a state as it stands in Redis.
func packed(s ratelimit.State) string { return doubles(float64(s[0]), float64(s[1]), float64(s[2])) }

func doubles(words ...float64) string {
	var buf []byte
	for _, word := range words {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(word))
	}
	return string(buf)
}

// unpacked is the state that stands in Redis.
func unpacked(t *testing.T, value string) (s ratelimit.State) {
	t.Helper()
	if len(value) != 24 {
		t.Fatalf("a state of %d bytes", len(value))
	}
	for i := range s {
		s[i] = int64(math.Float64frombits(binary.LittleEndian.Uint64([]byte(value[8*i:]))))
	}
	return s
}

// edges makes questions where arithmetic that is not exact goes wrong.
type edges struct{ *rand.Rand }

func (r edges) near(n, most int64) int64 { return min(max(n+r.Int64N(5)-2, 0), most) }

// number is 1 to most: small, large, a power of two or of ten, and neighbors.
func (r edges) number(most int64) int64 {
	switch r.IntN(4) {
	case 0:
		return max(1, r.near(1<<r.IntN(46), most))
	case 1:
		return max(1, r.near(int64(math.Pow10(r.IntN(14))), most))
	case 2:
		return max(1, most-r.Int64N(min(most, 3)))
	default:
		return 1 + r.Int64N(most)
	}
}

const (
	year        = 366 * 24 * 3_600_000_000
	maxLimit    = 1_000_000_000
	farthest    = 1 << 52 // sums of times stay below 2^53, which doubles hold
	secondMicro = 1_000_000
)

func (r edges) take() ratelimit.Take {
	t := ratelimit.Take{Limit: r.number(maxLimit), Interval: max(secondMicro, r.number(year))}
	t.Cost = r.number(t.Limit)
	switch r.IntN(8) {
	case 0:
		t.Cost = 0
	case 1:
		t.Cost = t.Limit + r.Int64N(3)
	}
	t.Now = now + r.Int64N(year)
	switch r.IntN(8) {
	case 0:
		t.Now = r.Int64N(3 * t.Interval)
	case 1:
		t.Now = farthest - r.Int64N(1000)
	case 2, 3:
		t.Now = r.near(t.Now-t.Now%t.Interval, farthest)
	}
	return t
}

// state is one that a request like t could find: an exact edge, an ordinary one,
// one of another clock, or nonsense.
func (r edges) state(t ratelimit.Take) ratelimit.State {
	start := t.Now - t.Now%t.Interval
	times := []int64{start, start - t.Interval, start + t.Interval, t.Now, t.Now - r.Int64N(t.Interval), t.Now + r.Int64N(t.Interval),
		t.Now - t.Interval, r.near(t.Now-t.Interval, farthest), r.near(start, farthest), start - 2*t.Interval}
	s := ratelimit.State{times[r.IntN(len(times))], r.Int64N(2*t.Limit + 1), 0}
	if r.IntN(3) == 0 {
		s[1] = r.near(t.Limit-t.Cost, 2*t.Limit)
	}
	switch r.IntN(4) {
	case 0:
		s[2] = r.Int64N(t.Interval)
	case 1:
		s[2] = r.number(maxLimit)
	case 2:
		s[2] = r.near(t.Interval-1, t.Interval+1)
	}
	if r.IntN(20) == 0 { // nonsense
		s[r.IntN(3)] = []int64{-1, -5, math.MinInt32, 1 << 40, maxLimit + 1, t.Interval}[r.IntN(6)]
	}
	if s[0] > farthest {
		s[0] = farthest
	}
	return s
}

// hit is a state for which a product divides without a rest, or nearly: there a
// rounded quotient is off by one.
func (r edges) hit(t ratelimit.Take) ratelimit.State {
	s := r.state(t)
	start := t.Now - t.Now%t.Interval
	if rest := start + t.Interval - t.Now; rest > 0 {
		// weighted = previous*rest/interval: previous near k*interval/rest
		k := r.number(t.Limit)
		s[0], s[2] = start, r.near(int64(float64(k)*float64(t.Interval)/float64(rest)), maxLimit)
	}
	return s
}

const twinSteps = 100_000

// spare is what may have passed between the writing of a state and the question.
const spare = time.Second

// Go and Lua decide alike, and keep alike, on whatever they find.
func TestTwins(t *testing.T) {
	for _, a := range []ratelimit.Algorithm{ratelimit.FixedWindow, ratelimit.SlidingWindow, ratelimit.TokenBucket} {
		t.Run(a.Name(), func(t *testing.T) {
			const batch = 50 // a refusal ends a call, so larger ones are sent again and again
			seed := rand.Uint64()
			r := edges{rand.New(rand.NewPCG(seed, 0))}
			client, prefix := connect(t, sharedAddr), freshPrefix()
			storage := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: time.Minute})
			for done := 0; done < twinSteps; done += batch {
				// Each batch peeks and takes at states written beforehand, all in one call
				// per batch of keys, up to the first refusal.
				items, states := make([]ratelimit.Item, batch), make([]ratelimit.State, batch)
				keys, values := make([]string, batch), make([]any, batch)
				for i := range items {
					take := r.take()
					states[i] = r.state(take)
					if r.IntN(3) == 0 {
						states[i] = r.hit(take)
					}
					items[i] = item(fmt.Sprint("p:", i), a, take)
					keys[i], values[i] = keyOf(prefix, items[i]), packed(states[i])
				}
				require.NoError(t, put.Run(t.Context(), client, keys, values...).Err())
				compareTwins(t, seed, storage, client, keys, items, states)
			}
		})
	}
}

func keyOf(prefix string, i ratelimit.Item) string {
	return fmt.Sprintf("%s{%s}:%s:%d", prefix, i.Key, i.Algorithm.Name(), i.Take.Interval/secondMicro) // RL-159
}

// put writes states that live an hour, pick reads and removes them with what is
// left of their lives. Both spare the test some hundred thousand commands.
var (
	put  = redis.NewScript("for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[i], 'PX', 3600000) end return 1")
	pick = redis.NewScript("local kept = {} for _, key in ipairs(KEYS) do " +
		"kept[#kept + 1] = redis.call('GET', key) or '' kept[#kept + 1] = redis.call('PTTL', key) redis.call('DEL', key) end return kept")
)

// compareTwins asks the storage for all items and compares with Step what it
// decides and what it keeps, for how long.
func compareTwins(t *testing.T, seed uint64, storage *redisstorage.Storage, client *redis.Client, keys []string, items []ratelimit.Item, states []ratelimit.State) {
	t.Helper()
	began := time.Now()
	var decisions []ratelimit.Decision
	for len(decisions) < len(items) {
		var err error
		decisions, err = storage.ConsumeAll(t.Context(), items[len(decisions):], decisions)
		require.NoError(t, err)
	}
	kept, err := pick.Run(t.Context(), client, keys).Slice() // value and life of each
	require.NoError(t, err)
	passed := time.Since(began) + time.Millisecond
	for i := range items {
		want := items[i].Algorithm.Step(states[i], items[i].Take)
		if want.Decision != decisions[i] {
			require.Equal(t, want.Decision, decisions[i], "seed %d: state %v, %+v", seed, states[i], items[i].Take)
		}
		life := time.Duration(want.TTL)*time.Microsecond + time.Second // for requests that are on their way
		if want.TTL == 0 {                                             // a refusal and a peek leave what they find. RL-252
			want.State, life = states[i], time.Hour
		}
		value, left := kept[2*i].(string), time.Duration(kept[2*i+1].(int64)*time.Millisecond.Nanoseconds())
		if value == "" {
			require.Less(t, life, passed)
			continue
		}
		// A negative life means that the key does not expire. RL-260
		if want.State != unpacked(t, value) || left < max(0, life-passed-spare) || left > life+time.Millisecond { // RL-154
			t.Fatalf("seed %d: state %v, %+v: kept %v for %s, want %v for %s", seed, states[i], items[i].Take, unpacked(t, value), left, want.State, life)
		}
	}
}
