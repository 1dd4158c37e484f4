package ratelimit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// algCheckOutcome holds an outcome to what the contract promises of each.
func algCheckOutcome(t require.TestingT, b BuiltIn, s State, take Take, out Outcome) {
	require.GreaterOrEqual(t, out.Remaining, int64(0))
	require.LessOrEqual(t, out.Remaining, take.Limit)
	require.GreaterOrEqual(t, out.ResetAfter, int64(0))
	require.Equal(t, out.Accepted && take.Cost > 0, out.TTL > 0, "saved when used") // RL-079
	require.Equal(t, out.TTL > 0, out.State != State{}, "the zero State is never saved")

	kept := s
	switch {
	case out.Accepted:
		require.LessOrEqual(t, take.Cost, take.Limit)
		require.EqualValues(t, NoRetryMicros, out.RetryAfter)
		if out.TTL > 0 {
			require.GreaterOrEqual(t, out.TTL, algMs) // peer 2
			kept = out.State
		}
	case take.Cost > take.Limit:
		require.EqualValues(t, NeverMicros, out.RetryAfter) // RL-322
	default:
		require.Positive(t, out.RetryAfter)
		require.Less(t, out.Remaining, take.Cost)
	}
	// What is kept says the same as what was answered.
	take.Cost = 0
	require.Equal(t, Outcome{Decision: algYes(out.Remaining, out.ResetAfter)}, b.Step(kept, take))
}

func TestStepKeepsItsContract(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			for range 40 {
				take := algTakes.Draw(t, "take")
				state := algStates(take).Draw(t, "state")
				algCheckOutcome(t, b, state, take, b.Step(state, take)) // RL-158
			}
		})
	})
}

// The wait is enough, and one microsecond less is not: from any state, so after
// any change of the limit.
func TestStepWaitIsExact(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			for range 40 {
				take := algTakes.Draw(t, "take")
				take.Cost = rapid.Int64Range(1, take.Limit).Draw(t, "cost")
				state := algStates(take).Draw(t, "state")
				if out := b.Step(state, take); !out.Accepted {
					now := take.Now
					take.Now = now + out.RetryAfter
					require.True(t, b.Step(state, take).Accepted, "after the wait")
					take.Now--
					require.False(t, b.Step(state, take).Accepted, "one microsecond less")
				}
			}
		})
	})
}

// The same for a counter that lives as long as it is told to, used by clocks that
// differ: a client that waits is accepted by the clock that told it to wait.
func TestCounterWaitIsExact(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			h := algHistories(b).Draw(t, "history")
			cost := rapid.Int64Range(1, h.counter.limit).Draw(t, "cost")
			h.counter.take(h.now, h.counter.take(h.now, 0).Remaining)
			d := h.counter.take(h.now, cost)
			require.False(t, d.Accepted)
			less, enough := h.counter, h.counter
			require.False(t, less.take(h.now+d.RetryAfter-1, cost).Accepted) // RL-152
			require.True(t, enough.take(h.now+d.RetryAfter, cost).Accepted)  // RL-152 RL-153
		})
	})
}

// A state matters until the last microsecond of its lifetime and not after.
func TestStepLifetimeIsExact(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			for range 20 {
				take := algTakes.Draw(t, "take")
				take.Cost = rapid.Int64Range(1, take.Limit).Draw(t, "cost")
				state := algStates(take).Draw(t, "state")
				out := b.Step(state, take)
				if !out.Accepted {
					continue
				}
				saved := take.Now
				if out.TTL > algMs { // a shorter one is rounded up to that
					take.Now, take.Cost = saved+out.TTL-1, 0
					require.Less(t, b.Step(out.State, take).Remaining, take.Limit, "before the end") // RL-154
				}
				take.Now = saved + out.TTL + rapid.Int64Range(0, 2*take.Interval).Draw(t, "later")
				take.Cost = algCosts(take.Limit).Draw(t, "cost")
				require.Equal(t, b.Step(State{}, take), b.Step(out.State, take), "after the end") // RL-154
			}
		})
	})
}

// Remaining is what can still be used at that instant: no less, no more.
func TestCounterRemainingIsExact(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			h := algHistories(b).Draw(t, "history")
			remaining := h.counter.take(h.now, 0).Remaining
			atOnce, more := h.counter, h.counter
			require.True(t, atOnce.take(h.now, remaining).Accepted)
			require.False(t, more.take(h.now, remaining+1).Accepted)
			if remaining <= 100 {
				singles := h.counter
				require.EqualValues(t, remaining, singles.accepts(h.now, int(remaining))) // RL-192 peer 41
				require.Zero(t, singles.accepts(h.now, 1))                                // RL-192 peer 41
			}
		})
	})
}

// algAdmitted is what was admitted at which reading of a clock, and the window
// or the time of the bucket in which it was counted.
type algAdmitted struct{ now, counted, cost int64 }

// algDrive has two clocks use a counter, and returns what was admitted.
func algDrive(t *rapid.T, b BuiltIn) (c algCounter, log []algAdmitted) {
	c = algCounter{algorithm: b, limit: rapid.Int64Range(1, 20).Draw(t, "limit"), interval: algIntervals.Draw(t, "interval")}
	for _, now := range algReadings(c.interval).Draw(t, "readings") {
		cost := rapid.Int64Range(1, min(3, c.limit)).Draw(t, "cost")
		if c.take(now, cost).Accepted {
			log = append(log, algAdmitted{now, c.state[0], cost})
		}
	}
	return c, log
}

// No interleaving of two clocks admits more than the limit in a window.
func TestWindowsAdmitTheLimit(t *testing.T) {
	for _, b := range []BuiltIn{FixedWindow, SlidingWindow} {
		t.Run(b.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, log := algDrive(t, b)
				used, newest := map[int64]int64{}, int64(0)
				for _, a := range log {
					require.GreaterOrEqual(t, a.counted, newest, "a newer window stays")                  // RL-149 RL-155
					require.GreaterOrEqual(t, a.counted, a.now-a.now%c.interval, "the newest one counts") // RL-149
					newest = a.counted
					used[a.counted] += a.cost
					require.LessOrEqual(t, used[a.counted], c.limit) // RL-155
				}
			})
		})
	}
}

// The estimate of the sliding window, told from what was admitted alone, never
// exceeds the limit, by no clock.
func TestSlidingWindowEstimate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, log := algDrive(t, SlidingWindow)
		used := map[int64]int64{}
		for _, a := range log {
			used[a.counted] += a.cost
			overlap := c.interval - max(0, a.now-a.counted)
			faded := modelQuo(modelMul(modelInt(used[a.counted-c.interval]), modelInt(overlap)), modelInt(c.interval))
			require.LessOrEqual(t, used[a.counted]+modelCeil(faded), c.limit) // RL-072 RL-073 RL-155
		}
	})
}

// From one request to another a bucket admits its limit and what comes back
// meanwhile, which is twice the limit less one in an interval.
func TestTokenBucketAdmitsBurstAndRefill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, log := algDrive(t, TokenBucket)
		for last := range log {
			sum := int64(0)
			for first := last; first >= 0; first-- {
				passed := log[last].counted - log[first].counted
				require.GreaterOrEqual(t, passed, int64(0), "time never goes back") // RL-147
				sum += log[first].cost
				refilled := modelFloor(modelQuo(modelMul(modelInt(c.limit), modelInt(passed)), modelInt(c.interval)))
				require.LessOrEqual(t, sum, c.limit+refilled) // RL-075 RL-076 RL-155
				if passed < c.interval {
					require.LessOrEqual(t, sum, 2*c.limit-1)
				}
			}
		}
	})
}

// A clock that lags is answered as if it told the newest time that any has
// shown: what the two are admitted together, the leading one alone would be.
// The sliding window is stricter: for a clock that lags less has faded.
func TestTwoClocksAreAdmittedAsOne(t *testing.T) {
	for _, b := range []BuiltIn{FixedWindow, TokenBucket} {
		t.Run(b.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				both := algCounter{algorithm: b, limit: rapid.Int64Range(1, 20).Draw(t, "limit"), interval: algIntervals.Draw(t, "interval")}
				alone := both
				newest := int64(0)
				for _, now := range algReadings(both.interval).Draw(t, "readings") {
					newest = max(newest, now)
					got, want := both.take(now, 1), alone.take(newest, 1)
					require.Equal(t, want.Accepted, got.Accepted)   // RL-148 RL-155
					require.Equal(t, want.Remaining, got.Remaining) // RL-149
				}
			})
		})
	}
}

// A clock far ahead uses up the limit: until the others have caught up they are
// refused, and told so.
func TestClockAheadRefusesTheOthers(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			c := algCounter{algorithm: b, limit: algLimits.Draw(t, "limit"), interval: algIntervals.Draw(t, "interval")}
			const now = 5 * maxInterval
			ahead := rapid.Int64Range(c.interval, 4*maxInterval).Draw(t, "ahead")
			require.True(t, c.take(now+ahead, c.limit).Accepted)
			for range 10 {
				passed := rapid.Int64Range(0, ahead-c.interval).Draw(t, "passed")
				d := c.take(now+passed, 1)
				require.False(t, d.Accepted)                   // RL-156
				require.Greater(t, d.RetryAfter, ahead-passed) // RL-156
				later := c
				require.True(t, later.take(now+passed+d.RetryAfter, 1).Accepted)
			}
		})
	})
}

// FuzzStep: no state and no take makes Step panic, break its contract or differ
// from the model. The numbers are folded into their ranges.
func FuzzStep(f *testing.F) {
	for b := range uint8(3) {
		f.Add(b, int64(0), int64(0), int64(0), int64(10), int64(1), algMin, 1_700_000_000*algSec)
		f.Add(b, 120*algSec, int64(3), int64(4), int64(10), int64(8), algMin, 150*algSec)
		f.Add(b, 120*algSec, int64(30), int64(40), int64(10), int64(1), algMin, 110*algSec)
		f.Add(b, int64(math.MinInt64), int64(math.MinInt64), int64(math.MinInt64), int64(1), int64(1), algSec, int64(0))
		f.Add(b, int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(MaxLimit), int64(math.MaxInt64-1), maxInterval, int64(maxTime))
		f.Add(b, int64(maxTime), int64(MaxLimit), maxInterval-1, int64(1), int64(1), maxInterval, int64(maxTime))
		f.Add(b, maxTime-maxTime%algSec, int64(MaxLimit), int64(MaxLimit), int64(MaxLimit), int64(MaxLimit), algSec, int64(0))
	}
	f.Fuzz(func(t *testing.T, algorithm uint8, s0, s1, s2, limit, cost, interval, now int64) {
		fold := func(x, low, high int64) int64 {
			if low <= x && x <= high {
				return x
			}
			return low + int64(uint64(x)%uint64(high-low+1))
		}
		b, state := BuiltIn(algorithm%3), State{s0, s1, s2}
		take := Take{
			Limit:    fold(limit, 1, MaxLimit),
			Cost:     fold(cost, 0, math.MaxInt64-1),
			Interval: fold(interval, minInterval, maxInterval),
			Now:      fold(now, 0, maxTime),
		}
		require.NoError(t, take.Validate())
		out := b.Step(state, take)
		algCheckOutcome(t, b, state, take, out)
		require.Equal(t, modelStep(b, state, take), out)
	})
}
