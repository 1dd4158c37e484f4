package ratelimit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFixedWindowStep(t *testing.T) {
	algRunRows(t, FixedWindow, []algRow{
		{
			"the window starts at a multiple of the interval, not at the first request", // RL-069 RL-154 AMB-08
			State{}, Take{10, 1, algMin, 130 * algSec},
			Outcome{algYes(9, 50*algSec), State{120 * algSec, 1}, 50 * algSec},
		}, {
			"the first instant of a window",
			State{}, Take{10, 1, algMin, 120 * algSec},
			Outcome{algYes(9, 60*algSec), State{120 * algSec, 1}, 60 * algSec},
		}, {
			"the last instant of a window: saved for a millisecond", // peer 2
			State{}, Take{10, 1, algMin, 180*algSec - 1},
			Outcome{algYes(9, 1), State{120 * algSec, 1}, algMs},
		}, {
			"the epoch",
			State{}, Take{10, 1, algMin, 0},
			Outcome{algYes(9, algMin), State{0, 1}, algMin},
		}, {
			"the first window is a state like any other",
			State{0, 9}, Take{10, 1, algMin, algMin - algSec},
			Outcome{algYes(0, algSec), State{0, 10}, algSec},
		}, {
			"the same window adds",
			State{120 * algSec, 3}, Take{10, 4, algMin, 150 * algSec},
			Outcome{algYes(3, 30*algSec), State{120 * algSec, 7}, 30 * algSec},
		}, {
			"the last one: more comes with the next window", // peer 35
			State{120 * algSec, 9}, Take{10, 1, algMin, 150 * algSec},
			Outcome{algYes(0, 30*algSec), State{120 * algSec, 10}, 30 * algSec},
		}, {
			"full", // RL-192 RL-079 AMB-08
			State{120 * algSec, 10}, Take{10, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 30*algSec)},
		}, {
			"full until the last instant",
			State{120 * algSec, 10}, Take{10, 1, algMin, 180*algSec - 1},
			Outcome{Decision: algNo(0, 1, 1)},
		}, {
			"the next window is fresh",
			State{120 * algSec, 10}, Take{10, 1, algMin, 180 * algSec},
			Outcome{algYes(9, 60*algSec), State{180 * algSec, 1}, 60 * algSec},
		}, {
			"a refused larger cost tells what is left", // RL-192 RL-320
			State{120 * algSec, 3}, Take{5, 3, algMin, 150 * algSec},
			Outcome{Decision: algNo(2, 30*algSec, 30*algSec)},
		}, {
			"a cost above the limit", // RL-322
			State{120 * algSec, 3}, Take{10, 11, algMin, 150 * algSec},
			Outcome{Decision: algNo(7, 30*algSec, NeverMicros)},
		}, {
			"the largest cost", // RL-322
			State{}, Take{10, math.MaxInt64, algMin, 150 * algSec},
			Outcome{Decision: algNo(10, 30*algSec, NeverMicros)},
		}, {
			"a peek", // peer 92
			State{120 * algSec, 3}, Take{10, 0, algMin, 150 * algSec},
			Outcome{Decision: algYes(7, 30*algSec)},
		}, {
			"a peek at nothing",
			State{}, Take{10, 0, algMin, 150 * algSec},
			Outcome{Decision: algYes(10, 30*algSec)},
		}, {
			"a peek at a full window",
			State{120 * algSec, 10}, Take{10, 0, algMin, 150 * algSec},
			Outcome{Decision: algYes(0, 30*algSec)},
		}, {
			"a clock behind counts in the newest window, by its own time", // RL-149 RL-151 RL-154
			State{120 * algSec, 3}, Take{10, 1, algMin, 110 * algSec},
			Outcome{algYes(6, 70*algSec), State{120 * algSec, 4}, 70 * algSec},
		}, {
			"a clock behind waits for the end of the newest window", // RL-149 RL-151
			State{120 * algSec, 10}, Take{10, 1, algMin, 110 * algSec},
			Outcome{Decision: algNo(0, 70*algSec, 70*algSec)},
		}, {
			"a clock an hour ahead refuses the others until their time catches up", // RL-156
			State{3720 * algSec, 10}, Take{10, 1, algMin, 120 * algSec},
			Outcome{Decision: algNo(0, 3660*algSec, 3660*algSec)},
		}, {
			"a lowered limit", // RL-158 peer 40
			State{120 * algSec, 8}, Take{3, 1, algMin, 150 * algSec},
			Outcome{Decision: algNo(0, 30*algSec, 30*algSec)},
		}, {
			"a raised limit", // peer 89
			State{120 * algSec, 8}, Take{20, 1, algMin, 150 * algSec},
			Outcome{algYes(11, 30*algSec), State{120 * algSec, 9}, 30 * algSec},
		}, {
			"a start that is no multiple of a new interval", // RL-158
			State{120 * algSec, 10}, Take{10, 1, 50 * algSec, 130 * algSec},
			Outcome{algYes(9, 20*algSec), State{100 * algSec, 1}, 20 * algSec},
		}, {
			"the last time of all",
			State{maxTime, 10}, Take{10, 1, 1 << 20, maxTime},
			Outcome{Decision: algNo(0, 1<<20, 1<<20)},
		}, {
			"everything at its largest", // peer 26
			State{284 * 366 * algDay, MaxLimit - 1}, Take{MaxLimit, 1, 366 * algDay, maxTime},
			Outcome{algYes(0, 285*366*algDay-maxTime), State{284 * 366 * algDay, MaxLimit}, 285*366*algDay - maxTime},
		},
	})
}

func TestFixedWindowScripts(t *testing.T) {
	t.Run("a request one second before the boundary", func(t *testing.T) {
		c := algCounter{algorithm: FixedWindow, limit: 2, interval: algMin}
		c.run(t, []algCall{
			{59 * algSec, 2, algYes(0, algSec)},
			{60*algSec - 1, 1, algNo(0, 1, 1)},  // RL-154
			{60 * algSec, 1, algYes(1, algMin)}, // RL-069
		})
	})
	t.Run("twice the limit around a boundary", func(t *testing.T) {
		c := algCounter{algorithm: FixedWindow, limit: 6, interval: algSec}
		require.Equal(t, 6, c.accepts(100*algSec-10*algMs, 7))
		require.Equal(t, 6, c.accepts(100*algSec+10*algMs, 7)) // RL-070 peer 31
	})
	t.Run("a large limit counts to one", func(t *testing.T) {
		c := algCounter{algorithm: FixedWindow, limit: 65_535, interval: algSec}
		for i := range int64(20) {
			require.Equal(t, 65_534-i%10, c.take(100*algSec+i*100*algMs, 1).Remaining) // peer 14
		}
	})
	t.Run("two clocks meet in one window", func(t *testing.T) {
		c := algCounter{algorithm: FixedWindow, limit: 3, interval: algMin}
		c.run(t, []algCall{
			{130 * algSec, 1, algYes(2, 50*algSec)},
			{110 * algSec, 1, algYes(1, 70*algSec)}, // RL-149 RL-151
			{131 * algSec, 1, algYes(0, 49*algSec)}, // RL-149
			{110 * algSec, 1, algNo(0, 70*algSec, 70*algSec)},
			{179 * algSec, 1, algNo(0, algSec, algSec)},
			{180*algSec - 1, 1, algNo(0, 1, 1)},
			{180 * algSec, 1, algYes(2, 60*algSec)}, // RL-152
		})
	})
}
