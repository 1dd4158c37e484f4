package ratelimit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTokenBucketStep(t *testing.T) {
	// Ten tokens in ten seconds: one a second, ten millionths of a token a microsecond.
	const interval = 10 * algSec
	algRunRows(t, TokenBucket, []algRow{
		{
			"a full bucket: the first token comes back in a second", // RL-075 RL-154 AMB-08 peer 43
			State{}, Take{10, 1, interval, 100 * algSec},
			Outcome{algYes(9, algSec), State{100 * algSec, 1, 0}, algSec},
		}, {
			"the burst at once", // RL-075
			State{}, Take{10, 10, interval, 100 * algSec},
			Outcome{algYes(0, algSec), State{100 * algSec, 10, 0}, interval},
		}, {
			"the epoch",
			State{}, Take{10, 1, interval, 0},
			Outcome{algYes(9, algSec), State{0, 1, 0}, algSec},
		}, {
			"a bucket of the epoch is a state like any other",
			State{0, 10, 0}, Take{10, 1, interval, 500 * algMs},
			Outcome{Decision: algNo(0, 500*algMs, 500*algMs)},
		}, {
			"the last token: the next one does not come at once", // peer 35
			State{100 * algSec, 9, 0}, Take{10, 1, interval, 100 * algSec},
			Outcome{algYes(0, algSec), State{100 * algSec, 10, 0}, interval},
		}, {
			"empty", // RL-192 RL-079 AMB-08
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 100 * algSec},
			Outcome{Decision: algNo(0, algSec, algSec)},
		}, {
			"empty for a fifth of a second: that is off the wait", // peer 28
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 100*algSec + 200*algMs},
			Outcome{Decision: algNo(0, 800*algMs, 800*algMs)},
		}, {
			"one microsecond before the next token",
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 101*algSec - 1},
			Outcome{Decision: algNo(0, 1, 1)},
		}, {
			"the next token, to the microsecond", // RL-076
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 101 * algSec},
			Outcome{algYes(0, algSec), State{101 * algSec, 10, 0}, interval},
		}, {
			"the fraction is kept", // RL-078 peer 19
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 101*algSec + 300*algMs},
			Outcome{algYes(0, 700*algMs), State{101*algSec + 300*algMs, 9, 7_000_000}, 9700 * algMs},
		}, {
			"a kept fraction is refilled first", // RL-078
			State{100 * algSec, 9, 7_000_000}, Take{10, 1, interval, 100*algSec + 700*algMs},
			Outcome{algYes(0, algSec), State{100*algSec + 700*algMs, 10, 0}, interval},
		}, {
			"a part of a token that is missing counts whole", // RL-192
			State{100 * algSec, 3, 1}, Take{10, 0, interval, 100 * algSec},
			Outcome{Decision: algYes(6, 1)},
		}, {
			"a refused larger cost tells what is left", // RL-192 RL-320
			State{100 * algSec, 3, 0}, Take{5, 3, 5 * algSec, 100 * algSec},
			Outcome{Decision: algNo(2, algSec, algSec)},
		}, {
			"a larger cost waits for all its tokens",
			State{100 * algSec, 10, 0}, Take{10, 4, interval, 101 * algSec},
			Outcome{Decision: algNo(1, algSec, 3*algSec)},
		}, {
			"a cost above the limit", // RL-322
			State{100 * algSec, 3, 0}, Take{10, 11, interval, 100 * algSec},
			Outcome{Decision: algNo(7, algSec, NeverMicros)},
		}, {
			"the largest cost", // RL-322
			State{}, Take{10, math.MaxInt64, interval, 100 * algSec},
			Outcome{Decision: algNo(10, 0, NeverMicros)},
		}, {
			"a peek", // peer 92
			State{100 * algSec, 3, 0}, Take{10, 0, interval, 101*algSec + 500*algMs},
			Outcome{Decision: algYes(8, 500*algMs)},
		}, {
			"a peek at a full bucket: nothing to wait for",
			State{}, Take{10, 0, interval, 100 * algSec},
			Outcome{Decision: algYes(10, 0)},
		}, {
			"one microsecond before it is full",
			State{100 * algSec, 10, 0}, Take{10, 0, interval, 110*algSec - 1},
			Outcome{Decision: algYes(9, 1)},
		}, {
			"full again",
			State{100 * algSec, 10, 0}, Take{10, 0, interval, 110 * algSec},
			Outcome{Decision: algYes(10, 0)},
		}, {
			"full before an interval has passed",
			State{100 * algSec, 2, 5_000_000}, Take{10, 0, interval, 102*algSec + 500*algMs},
			Outcome{Decision: algYes(10, 0)},
		}, {
			"never more than full", // peer 23
			State{100 * algSec, 10, 0}, Take{10, 0, interval, 200 * algSec},
			Outcome{Decision: algYes(10, 0)},
		}, {
			"a clock behind refills nothing, and its wait has the lag in it", // RL-147 RL-151 RL-153
			State{100 * algSec, 10, 0}, Take{10, 1, interval, 90 * algSec},
			Outcome{Decision: algNo(0, 11*algSec, 11*algSec)},
		}, {
			"a clock behind keeps the newest time", // RL-147 RL-151 RL-154
			State{100 * algSec, 3, 5_000_000}, Take{10, 1, interval, 90 * algSec},
			Outcome{algYes(5, 10*algSec+500*algMs), State{100 * algSec, 4, 5_000_000}, 14*algSec + 500*algMs},
		}, {
			"a clock behind at a bucket without debt",
			State{100 * algSec, 0, 0}, Take{10, 0, interval, 90 * algSec},
			Outcome{Decision: algYes(10, 0)},
		}, {
			"a clock an hour ahead refuses the others until their time catches up", // RL-156
			State{3700 * algSec, 10, 0}, Take{10, 1, interval, 100 * algSec},
			Outcome{Decision: algNo(0, 3601*algSec, 3601*algSec)},
		}, {
			"a lowered limit: the debt is paid by the new rate", // RL-158 peer 40
			State{100 * algSec, 12, 0}, Take{10, 1, interval, 100 * algSec},
			Outcome{Decision: algNo(0, algSec, 3*algSec)},
		}, {
			"a lowered limit: asking for as much as there is adds nothing", // peer 25
			State{100 * algSec, 13, 0}, Take{10, 5, interval, 101 * algSec},
			Outcome{Decision: algNo(0, algSec, 7*algSec)},
		}, {
			"a lowered limit: what takes longer than an interval is forgiven", // RL-158
			State{100 * algSec, 50, 0}, Take{10, 1, interval, 102 * algSec},
			Outcome{Decision: algNo(0, algSec, 8*algSec)},
		}, {
			"a lowered limit: forgiven by the clock behind, too", // RL-158 RL-153
			State{100 * algSec, 50, 0}, Take{10, 1, interval, 90 * algSec},
			Outcome{Decision: algNo(0, 11*algSec, 20*algSec)},
		}, {
			"a raised limit: use is kept, refill is faster", // peer 89
			State{100 * algSec, 10, 0}, Take{20, 1, interval, 101 * algSec},
			Outcome{algYes(11, 500*algMs), State{101 * algSec, 9, 0}, 4500 * algMs},
		}, {
			"a shorter interval: a fraction of the longer one is foreign", // RL-158
			State{100 * algSec, 10, 5_000_000}, Take{10, 1, 5 * algSec, 100 * algSec},
			Outcome{algYes(9, 500*algMs), State{100 * algSec, 1, 0}, 500 * algMs},
		}, {
			"a third of a second, rounded up", // peer 37
			State{100 * algSec, 3, 0}, Take{3, 1, algSec, 100 * algSec},
			Outcome{Decision: algNo(0, 333_334, 333_334)},
		}, {
			"what rounding up gave too much is kept", // RL-078
			State{100 * algSec, 3, 0}, Take{3, 1, algSec, 100*algSec + 333_334},
			Outcome{algYes(0, 333_333), State{100*algSec + 333_334, 2, 999_998}, algSec},
		}, {
			"a lifetime is a millisecond at least", // peer 2
			State{}, Take{1_000_000, 1, algSec, 100 * algSec},
			Outcome{algYes(999_999, 1), State{100 * algSec, 1, 0}, algMs},
		}, {
			"the last time of all",
			State{maxTime, 10, 0}, Take{10, 1, interval, maxTime},
			Outcome{Decision: algNo(0, algSec, algSec)},
		}, {
			"a thousand tokens a microsecond", // peer 14
			State{100 * algSec, MaxLimit, 0}, Take{MaxLimit, 1001, algSec, 100*algSec + 1},
			Outcome{Decision: algNo(1000, 1, 1)},
		}, {
			"more than 64 bits: the wait for one of a billion", // RL-078 peer 26
			State{54 * 366 * algDay, MaxLimit, 0}, Take{MaxLimit, 1, 366 * algDay, 54 * 366 * algDay},
			Outcome{Decision: algNo(0, 31_623, 31_623)},
		}, {
			"more than 64 bits: the fraction carries over", // RL-078 peer 26
			State{54 * 366 * algDay, 583_344, 366*algDay - 1}, Take{MaxLimit, MaxLimit, 366 * algDay, 54 * 366 * algDay},
			Outcome{Decision: algNo(MaxLimit-583_345, 31_623, 18_446_768_928)},
		}, {
			"more than 64 bits: the last microsecond of the longest interval", // RL-078 peer 26
			State{54 * 366 * algDay, MaxLimit, 0}, Take{MaxLimit, MaxLimit - 1, 366 * algDay, 55*366*algDay - 1},
			Outcome{algYes(0, 1), State{55*366*algDay - 1, MaxLimit - 1, 1_000_000_000}, 366*algDay - 31_621},
		}, {
			"more than 64 bits: the largest debt at the smallest limit", // RL-158 peer 26
			State{54 * 366 * algDay, MaxLimit, 366*algDay - 1}, Take{1, 1, 366 * algDay, 54*366*algDay + algDay},
			Outcome{Decision: algNo(0, 365*algDay-1, 365*algDay)},
		}, {
			"a long idle bucket is full", // peer 26
			State{100 * algSec, MaxLimit, 0}, Take{MaxLimit, MaxLimit, interval, 100*algSec + 30*algDay},
			Outcome{algYes(0, 1), State{100*algSec + 30*algDay, MaxLimit, 0}, interval},
		},
	})
}

func TestTokenBucketScripts(t *testing.T) {
	t.Run("after the burst exactly one a second", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 10, interval: 10 * algSec}
		require.Equal(t, 10, c.accepts(100*algSec, 11)) // RL-075
		for i := int64(1); i <= 30; i++ {
			now := (100 + i) * algSec
			c.run(t, []algCall{
				{now - 1, 1, algNo(0, 1, 1)},
				{now, 1, algYes(0, algSec)}, // RL-076
				{now, 1, algNo(0, algSec, algSec)},
			})
		}
	})
	t.Run("no fraction is lost at any rate, however often it is asked", func(t *testing.T) {
		for _, rate := range []struct{ limit, interval int64 }{
			{7, algSec}, {999_983, algMin}, {1, 366 * algDay}, {MaxLimit, 366 * algDay},
		} {
			c := algCounter{algorithm: TokenBucket, limit: rate.limit, interval: rate.interval}
			const now = 1000 * algDay
			require.True(t, c.take(now, rate.limit).Accepted)
			due := int64(0)
			for i := int64(1); i <= 10_000; i++ {
				last := due
				due = ceilMulDiv(i%rate.limit, rate.interval, rate.limit) + i/rate.limit*rate.interval // i*interval/limit
				if due > 200*366*algDay {
					break // years enough
				}
				require.False(t, c.take(now+(last+due)/2, 1).Accepted, "%+v: between %d and %d", rate, i-1, i) // RL-078
				require.False(t, c.take(now+due-1, 1).Accepted, "%+v: before %d", rate, i)                     // RL-078
				require.True(t, c.take(now+due, 1).Accepted, "%+v: %d", rate, i)                               // RL-076 RL-078
			}
		}
	})
	t.Run("faster than the refill", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 10, interval: 10 * algSec}
		accepted := 0
		for i := range int64(101) { // every 600 ms for 60 s
			accepted += c.accepts(100*algSec+i*600*algMs, 1)
		}
		require.Equal(t, 70, accepted) // peer 19
	})
	t.Run("refill is even, not once an interval", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 10, interval: 5 * algSec}
		c.run(t, []algCall{
			{100 * algSec, 1, algYes(9, 500*algMs)},
			{100*algSec + 600*algMs, 10, algYes(0, 500*algMs)}, // peer 20
		})
	})
	t.Run("idle time leaves the limit on", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 2, interval: 2 * algSec}
		require.Equal(t, 1, c.accepts(100*algSec, 1))
		require.Equal(t, 2, c.accepts(102*algSec, 20)) // peer 16
		require.Equal(t, 0, c.accepts(103*algSec-1, 20))
		require.Equal(t, 1, c.accepts(103*algSec, 20)) // peer 16
	})
	t.Run("the end of a lifetime is not a refill", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 3, interval: algSec}
		accepted := 0
		for i := range int64(31) { // every 100 ms for 3 s
			accepted += c.accepts(100*algSec+i*100*algMs, 1)
		}
		require.Equal(t, 3+3*3, accepted) // RL-154 peer 22
	})
	t.Run("what has been waited counts", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 5, interval: 5 * algMin}
		c.run(t, []algCall{
			{1000 * algSec, 5, algYes(0, algMin)},
			{1059 * algSec, 1, algNo(0, algSec, algSec)}, // peer 28
			{1060 * algSec, 1, algYes(0, algMin)},
		})
	})
	t.Run("a large limit counts to one", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 65_535, interval: algSec}
		for i := range int64(20) {
			require.Equal(t, int64(65_534), c.take(100*algSec+i*100*algMs, 1).Remaining) // peer 14
		}
	})
	t.Run("twice the limit less one within an interval", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 5, interval: 5 * algSec}
		accepted := c.accepts(100*algSec, 10)
		for _, second := range []int64{101, 102, 103, 104} {
			accepted += c.accepts(second*algSec, 10)
		}
		accepted += c.accepts(105*algSec-1, 10)
		require.Equal(t, 2*5-1, accepted)
	})
	t.Run("time never goes back", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 10, interval: 10 * algSec}
		c.run(t, []algCall{
			{100 * algSec, 10, algYes(0, algSec)},
			{90 * algSec, 1, algNo(0, 11*algSec, 11*algSec)}, // RL-147 RL-153
			{100 * algSec, 1, algNo(0, algSec, algSec)},      // RL-147
			{101 * algSec, 1, algYes(0, algSec)},
			{91 * algSec, 1, algNo(0, 11*algSec, 11*algSec)}, // RL-147
			{101 * algSec, 1, algNo(0, algSec, algSec)},      // RL-147
			{102*algSec - 1, 1, algNo(0, 1, 1)},
			{102 * algSec, 1, algYes(0, algSec)}, // RL-152
		})
	})
	t.Run("alternating clocks refill once", func(t *testing.T) {
		both := algCounter{algorithm: TokenBucket, limit: 5, interval: 5 * algSec}
		alone := both
		accepted, expected := 0, 0
		for i := range int64(1000) {
			now := 1000*algSec + i*30*algMs
			accepted += both.accepts(now, 1) + both.accepts(now-10*algSec, 1)
			expected += alone.accepts(now, 2)
		}
		require.Equal(t, 5+29, expected)     // 29.97 s at one a second
		require.Equal(t, expected, accepted) // RL-148
	})
	t.Run("clocks that stand still refill nothing", func(t *testing.T) {
		c := algCounter{algorithm: TokenBucket, limit: 5, interval: 5 * algSec}
		accepted := 0
		for range 1000 {
			accepted += c.accepts(110*algSec, 1) + c.accepts(100*algSec, 1)
		}
		require.Equal(t, 5, accepted) // RL-148 peer 17
	})
}
