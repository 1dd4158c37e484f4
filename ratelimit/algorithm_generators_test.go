package ratelimit

import (
	"math"

	"pgregory.net/rapid"
)

var (
	algLimits = rapid.OneOf(
		rapid.Int64Range(1, 12),
		rapid.Int64Range(1, MaxLimit),
		rapid.SampledFrom([]int64{65_535, 999_983, MaxLimit - 1, MaxLimit}),
	)
	algIntervals = rapid.OneOf(
		rapid.SampledFrom([]int64{algSec, 7 * algSec, algMin, 60 * algMin, algDay, 366 * algDay}),
		rapid.Int64Range(minInterval, maxInterval),
	)
	algNows = rapid.OneOf(
		rapid.Int64Range(1_700_000_000*algSec, 1_800_000_000*algSec),
		rapid.Int64Range(0, 2*maxInterval),
		rapid.Int64Range(maxTime-2*maxInterval, maxTime),
	)
	algTakes = rapid.Custom(func(t *rapid.T) Take {
		limit := algLimits.Draw(t, "limit")
		return Take{
			Limit:    limit,
			Cost:     algCosts(limit).Draw(t, "cost"),
			Interval: algIntervals.Draw(t, "interval"),
			Now:      algNows.Draw(t, "now"),
		}
	})
	algWords = rapid.OneOf(
		rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, -1, 0, 1, MaxLimit, MaxLimit + 1, maxTime, maxTime + 1, math.MaxInt64}),
	)
)

func algCosts(limit int64) *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Int64Range(0, min(3, limit)),
		rapid.Int64Range(1, limit),
		rapid.SampledFrom([]int64{limit, limit + 1, math.MaxInt64}),
	)
}

// algStates draws what a storage may hand to Step: states of the three
// algorithms near the take, and nonsense.
func algStates(take Take) *rapid.Generator[State] {
	start := take.Now - take.Now%take.Interval
	used := rapid.Int64Range(0, min(MaxLimit, 2*take.Limit))
	return rapid.OneOf(
		rapid.Just(State{}),
		rapid.Custom(func(t *rapid.T) State { // of a window algorithm
			opened := start + take.Interval*rapid.Int64Range(-2, 2).Draw(t, "windows")
			return State{opened, used.Draw(t, "current"), used.Draw(t, "previous")}
		}),
		rapid.Custom(func(t *rapid.T) State { // of a bucket
			written := take.Now + rapid.Int64Range(-take.Interval, take.Interval).Draw(t, "passed")
			return State{written, used.Draw(t, "used"), rapid.Int64Range(0, take.Interval-1).Draw(t, "fraction")}
		}),
		rapid.Custom(func(t *rapid.T) State {
			return State{algWords.Draw(t, "0"), algWords.Draw(t, "1"), algWords.Draw(t, "2")}
		}),
	)
}

// algMoments draws the time of the next take: at, just before or just after a
// moment at which the answer changes, or any time around, earlier ones too.
func algMoments(s State, take Take, last Outcome) *rapid.Generator[int64] {
	start := take.Now - take.Now%take.Interval
	edges := []int64{
		take.Now, take.Now + last.ResetAfter, take.Now + max(0, last.RetryAfter), take.Now + last.TTL,
		start, start + take.Interval, start + 2*take.Interval, s[0], s[0] + take.Interval,
	}
	return rapid.Custom(func(t *rapid.T) int64 {
		now := rapid.OneOf(
			rapid.SampledFrom(edges),
			rapid.Int64Range(take.Now-take.Interval, take.Now+2*take.Interval),
		).Draw(t, "moment") + rapid.Int64Range(-1, 1).Draw(t, "beside")
		return min(max(0, now), maxTime)
	})
}

// algHistory is a counter with a past, and the time of the next call.
type algHistory struct {
	counter algCounter
	now     int64
}

// algHistories draws a counter that is new or was used with any costs, by clocks
// that go back and forth.
func algHistories(b BuiltIn) *rapid.Generator[algHistory] {
	return rapid.Custom(func(t *rapid.T) algHistory {
		take := algTakes.Draw(t, "take")
		h := algHistory{algCounter{algorithm: b, limit: take.Limit, interval: take.Interval}, take.Now}
		for range rapid.IntRange(0, 12).Draw(t, "calls") {
			h.counter.take(h.now, algCosts(take.Limit).Draw(t, "cost"))
			h.now = min(max(0, h.now+rapid.Int64Range(-take.Interval, take.Interval).Draw(t, "passed")), maxTime)
		}
		return h
	})
}

// algReadings draws what two clocks show in turn: one leads, one lags by the
// same time or not at all.
func algReadings(interval int64) *rapid.Generator[[]int64] {
	return rapid.Custom(func(t *rapid.T) []int64 {
		leading := 5*maxInterval + rapid.Int64Range(0, interval).Draw(t, "first")
		skew := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 2*interval)).Draw(t, "skew")
		longest := interval / rapid.Int64Range(1, 30).Draw(t, "pace")
		readings := make([]int64, 60)
		for i := range readings {
			leading += rapid.Int64Range(0, longest).Draw(t, "passed")
			readings[i] = leading
			if rapid.Bool().Draw(t, "lagging") {
				readings[i] -= skew
			}
		}
		return readings
	})
}
