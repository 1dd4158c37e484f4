package ratelimit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlidingWindowStep(t *testing.T) {
	algRunRows(t, SlidingWindow, []algRow{
		{
			"the first request: kept for this window and the next", // RL-154 AMB-08
			State{}, Take{10, 1, algMin, 130 * algSec},
			Outcome{algYes(9, 50*algSec), State{120 * algSec, 1, 0}, 110 * algSec},
		}, {
			"the epoch",
			State{}, Take{10, 1, algMin, 0},
			Outcome{algYes(9, 60*algSec), State{0, 1, 0}, 120 * algSec},
		}, {
			"the first window of all becomes the previous one",
			State{0, 8, 0}, Take{10, 1, algMin, 90 * algSec},
			Outcome{algYes(5, 30*algSec), State{60 * algSec, 1, 8}, 90 * algSec},
		}, {
			"the same window adds",
			State{120 * algSec, 3, 0}, Take{10, 4, algMin, 150 * algSec},
			Outcome{algYes(3, 30*algSec), State{120 * algSec, 7, 0}, 90 * algSec},
		}, {
			"previous window, 0 % in: counts whole", // RL-072 RL-073
			State{60 * algSec, 80, 0}, Take{100, 1, algMin, 120 * algSec},
			Outcome{algYes(19, 60*algSec), State{120 * algSec, 1, 80}, 120 * algSec},
		}, {
			"previous window, 25 % in", // RL-072
			State{60 * algSec, 80, 0}, Take{100, 1, algMin, 135 * algSec},
			Outcome{algYes(39, 45*algSec), State{120 * algSec, 1, 80}, 105 * algSec},
		}, {
			"previous window, 50 % in", // RL-072
			State{120 * algSec, 5, 80}, Take{100, 1, algMin, 150 * algSec},
			Outcome{algYes(54, 30*algSec), State{120 * algSec, 6, 80}, 90 * algSec},
		}, {
			"previous window, 99 % in: a part counts as one", // RL-072 RL-192
			State{120 * algSec, 5, 80}, Take{100, 1, algMin, 120*algSec + 59*algSec + 400*algMs},
			Outcome{algYes(93, 600*algMs), State{120 * algSec, 6, 80}, 60*algSec + 600*algMs},
		}, {
			"previous window, the last instant",
			State{120 * algSec, 5, 80}, Take{100, 1, algMin, 180*algSec - 1},
			Outcome{algYes(93, 1), State{120 * algSec, 6, 80}, 60*algSec + 1},
		}, {
			"the window before the previous one is forgotten",
			State{0, 80, 80}, Take{100, 1, algMin, 120 * algSec},
			Outcome{algYes(99, 60*algSec), State{120 * algSec, 1, 0}, 120 * algSec},
		}, {
			"no burst at the edge of two windows", // RL-073 RL-192 AMB-08
			State{60 * algSec, 10, 0}, Take{10, 1, algMin, 120 * algSec},
			Outcome{Decision: algNo(0, 60*algSec, 6*algSec)},
		}, {
			"nor one microsecond later", // RL-073
			State{60 * algSec, 10, 0}, Take{10, 1, algMin, 120*algSec + 1},
			Outcome{Decision: algNo(0, 60*algSec-1, 6*algSec-1)},
		}, {
			"one microsecond before a tenth has faded",
			State{60 * algSec, 10, 0}, Take{10, 1, algMin, 126*algSec - 1},
			Outcome{Decision: algNo(0, 54*algSec+1, 1)},
		}, {
			"when a tenth has faded",
			State{60 * algSec, 10, 0}, Take{10, 1, algMin, 126 * algSec},
			Outcome{algYes(0, 54*algSec), State{120 * algSec, 1, 10}, 114 * algSec},
		}, {
			"the wait is that for one to fade, not the end of the window", // peer 34
			State{120 * algSec, 12, 60}, Take{60, 1, algMin, 132 * algSec},
			Outcome{Decision: algNo(0, 48*algSec, algSec)},
		}, {
			"a third fades in a third, rounded up", // peer 37
			State{60 * algSec, 3, 0}, Take{3, 1, 10 * algSec, 70 * algSec},
			Outcome{Decision: algNo(0, 10*algSec, 3_333_334)},
		}, {
			"the whole previous window must fade: the end of this one",
			State{120 * algSec, 9, 10}, Take{10, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 30*algSec)},
		}, {
			"the current window is full: a tenth of it fades in the next", // peer 35
			State{120 * algSec, 10, 0}, Take{10, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 36*algSec)},
		}, {
			"the current window is full and all is asked: the end of the next", // RL-154
			State{120 * algSec, 10, 0}, Take{10, 10, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 90*algSec)},
		}, {
			"a refused larger cost tells what is left", // RL-192 RL-320
			State{120 * algSec, 3, 0}, Take{5, 3, algMin, 150 * algSec},
			Outcome{Decision: algNo(2, 30*algSec, 50*algSec)},
		}, {
			"a cost above the limit", // RL-322
			State{120 * algSec, 3, 4}, Take{10, 11, algMin, 150 * algSec},
			Outcome{Decision: algNo(5, 30*algSec, NeverMicros)},
		}, {
			"the largest cost", // RL-322
			State{}, Take{10, math.MaxInt64, algMin, 150 * algSec},
			Outcome{Decision: algNo(10, 30*algSec, NeverMicros)},
		}, {
			"a peek", // peer 92
			State{120 * algSec, 3, 4}, Take{10, 0, algMin, 150 * algSec},
			Outcome{Decision: algYes(5, 30*algSec)},
		}, {
			"a peek at more than the limit",
			State{120 * algSec, 30, 4}, Take{10, 0, algMin, 150 * algSec},
			Outcome{Decision: algYes(0, 30*algSec)},
		}, {
			"a clock behind counts in the newest window, by its own time", // RL-149 RL-151 RL-154
			State{120 * algSec, 3, 0}, Take{10, 1, algMin, 110 * algSec},
			Outcome{algYes(6, 70*algSec), State{120 * algSec, 4, 0}, 130 * algSec},
		}, {
			"nothing of the previous window has faded for a clock behind", // RL-149
			State{120 * algSec, 3, 5}, Take{10, 1, algMin, 61 * algSec},
			Outcome{algYes(1, 119*algSec), State{120 * algSec, 4, 5}, 179 * algSec},
		}, {
			"a clock behind waits until its own time is far enough", // RL-151 RL-152
			State{120 * algSec, 2, 8}, Take{10, 2, algMin, 110 * algSec},
			Outcome{Decision: algNo(0, 70*algSec, 25*algSec)},
		}, {
			"a clock an hour ahead refuses the others until their time catches up", // RL-156
			State{3720 * algSec, 10, 0}, Take{10, 1, algMin, 120 * algSec},
			Outcome{Decision: algNo(0, 3660*algSec, 3666*algSec)},
		}, {
			"a lowered limit: the current window is above it", // RL-158 peer 40
			State{120 * algSec, 8, 0}, Take{3, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 75*algSec)},
		}, {
			"a lowered limit: the previous window is above it", // RL-158
			State{120 * algSec, 0, 30}, Take{3, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 26*algSec)},
		}, {
			"a raised limit", // peer 89
			State{120 * algSec, 8, 4}, Take{20, 1, algMin, 150 * algSec},
			Outcome{algYes(9, 30*algSec), State{120 * algSec, 9, 4}, 90 * algSec},
		}, {
			"a start that is no multiple of a new interval", // RL-158
			State{120 * algSec, 10, 10}, Take{10, 1, 50 * algSec, 130 * algSec},
			Outcome{algYes(9, 20*algSec), State{100 * algSec, 1, 0}, 70 * algSec},
		}, {
			"the last time of all",
			State{maxTime, 9, 1}, Take{10, 1, 1 << 20, maxTime},
			Outcome{Decision: algNo(0, 1<<20, 1<<20)},
		}, {
			"more than 64 bits: a thousand used in the last microsecond of the longest interval", // peer 26
			State{54 * 366 * algDay, MaxLimit - 1000, MaxLimit}, Take{MaxLimit, 999, 366 * algDay, 55*366*algDay - 1},
			Outcome{algYes(0, 1), State{54 * 366 * algDay, MaxLimit - 1, MaxLimit}, 366*algDay + 1},
		}, {
			"more than 64 bits: the wait for one of a billion", // peer 26
			State{54 * 366 * algDay, MaxLimit, 0}, Take{MaxLimit, 1, 366 * algDay, 55 * 366 * algDay},
			Outcome{Decision: algNo(0, 366*algDay, 31_623)},
		},
	})
}

func TestSlidingWindowScripts(t *testing.T) {
	t.Run("no burst at the edge of two windows", func(t *testing.T) {
		c := algCounter{algorithm: SlidingWindow, limit: 6, interval: algSec}
		require.Equal(t, 6, c.accepts(100*algSec-10*algMs, 7))
		require.Equal(t, 0, c.accepts(100*algSec, 7))          // RL-073
		require.Equal(t, 0, c.accepts(100*algSec+10*algMs, 7)) // RL-073 peer 31
	})
	t.Run("the previous window is still there when it is weighed", func(t *testing.T) {
		c := algCounter{algorithm: SlidingWindow, limit: 10, interval: algMin}
		require.Equal(t, 10, c.accepts(59*algSec, 11))
		require.Equal(t, 0, c.accepts(61*algSec, 11)) // RL-154 peer 32
		require.Equal(t, 1, c.accepts(66*algSec, 11))
	})
	t.Run("it weighs until just before the end of the next window", func(t *testing.T) {
		c := algCounter{algorithm: SlidingWindow, limit: 10, interval: algMin}
		c.run(t, []algCall{
			{59 * algSec, 10, algYes(0, algSec)},
			{120*algSec - 1, 10, algNo(9, 1, 1)}, // RL-154
			{120 * algSec, 10, algYes(0, algMin)},
		})
	})
	t.Run("limit 1: what is left of one counts as one", func(t *testing.T) {
		c := algCounter{algorithm: SlidingWindow, limit: 1, interval: 10 * algSec}
		c.run(t, []algCall{
			{0, 1, algYes(0, 10*algSec)},                                 // peer 11
			{10*algSec + 500*algMs, 1, algNo(0, 9500*algMs, 9500*algMs)}, // peer 11
			{20*algSec + 500*algMs, 1, algYes(0, 9500*algMs)},            // peer 11
			{31 * algSec, 1, algNo(0, 9*algSec, 9*algSec)},               // peer 11
			{40 * algSec, 1, algYes(0, 10*algSec)},
		})
	})
	t.Run("two clocks meet in one window", func(t *testing.T) {
		c := algCounter{algorithm: SlidingWindow, limit: 3, interval: algMin}
		c.run(t, []algCall{
			{130 * algSec, 1, algYes(2, 50*algSec)},
			{110 * algSec, 1, algYes(1, 70*algSec)}, // RL-149 RL-151
			{131 * algSec, 1, algYes(0, 49*algSec)}, // RL-149
			{110 * algSec, 1, algNo(0, 70*algSec, 90*algSec)},
			{200*algSec - 1, 1, algNo(0, 40*algSec+1, 1)},
			{200 * algSec, 1, algYes(0, 40*algSec)}, // RL-152
		})
	})
}
