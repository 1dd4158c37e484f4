package ratelimit

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	algMs  = int64(1000)
	algSec = 1000 * algMs
	algMin = 60 * algSec
	algDay = 24 * 60 * algMin
)

var algBuiltIns = []BuiltIn{SlidingWindow, FixedWindow, TokenBucket}

// algEach runs a test for each of the three algorithms.
func algEach(t *testing.T, test func(t *testing.T, b BuiltIn)) {
	t.Helper()
	for _, b := range algBuiltIns {
		t.Run(b.Name(), func(t *testing.T) { test(t, b) })
	}
}

func algYes(remaining, reset int64) Decision {
	return Decision{Accepted: true, Remaining: remaining, ResetAfter: reset, RetryAfter: NoRetryMicros}
}

func algNo(remaining, reset, retry int64) Decision {
	return Decision{Remaining: remaining, ResetAfter: reset, RetryAfter: retry}
}

// algRow is one step: what an algorithm answers to a state and a take.
type algRow struct {
	name  string
	state State
	take  Take
	want  Outcome
}

// algRunRows holds Step to the rows, and the model that Step is compared with.
func algRunRows(t *testing.T, b BuiltIn, rows []algRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			require.NoError(t, row.take.Validate())
			require.Equal(t, row.want, b.Step(row.state, row.take))
			require.Equal(t, row.want, modelStep(b, row.state, row.take), "the model")
		})
	}
}

// algCounter is the smallest storage: one counter, whose state is there until
// exactly the end of its lifetime.
type algCounter struct {
	algorithm       BuiltIn
	limit, interval int64
	state           State
	until           int64
}

func (c *algCounter) take(now, cost int64) Decision {
	var s State
	if now < c.until {
		s = c.state
	}
	out := c.algorithm.Step(s, Take{Limit: c.limit, Cost: cost, Interval: c.interval, Now: now})
	if out.TTL > 0 {
		c.state, c.until = out.State, now+out.TTL
	}
	return out.Decision
}

// accepts counts how many of n takes of cost 1 pass at one moment.
func (c *algCounter) accepts(now int64, n int) (accepted int) {
	for range n {
		if c.take(now, 1).Accepted {
			accepted++
		}
	}
	return accepted
}

// algCall is one call of a script.
type algCall struct {
	now, cost int64
	want      Decision
}

func (c *algCounter) run(t *testing.T, calls []algCall) {
	t.Helper()
	for i, call := range calls {
		require.Equal(t, call.want, c.take(call.now, call.cost), "call %d", i)
	}
}

func TestBuiltIn(t *testing.T) {
	for _, test := range []struct {
		algorithm BuiltIn
		name      string
		err       error
	}{
		{BuiltIn(0), "slidingWindow", nil}, // the zero value is the default
		{SlidingWindow, "slidingWindow", nil},
		{FixedWindow, "fixedWindow", nil},
		{TokenBucket, "tokenBucket", nil},
		{TokenBucket + 1, "unknown", errUnknownAlgorithm},
		{math.MaxUint8, "unknown", errUnknownAlgorithm},
	} {
		require.Equal(t, test.name, test.algorithm.Name())
		require.Equal(t, test.err, test.algorithm.Validate())
	}
}

func TestTakeValidate(t *testing.T) {
	const now = int64(1_700_000_000) * algSec
	for _, test := range []struct {
		name string
		take Take // limit, cost, interval, now
		err  string
	}{
		{"usual", Take{100, 1, algMin, now}, ""},
		{"smallest", Take{1, 0, algSec, 0}, ""},
		{"largest", Take{MaxLimit, math.MaxInt64, 366 * algDay, maxTime}, ""},
		{"a cost above the limit is for the algorithm to refuse", Take{1, 2, algSec, now}, ""},
		{"no limit", Take{0, 1, algMin, now},
			"ratelimit: take out of range: limit 0, cost 1, interval 60000000 µs, now 1700000000000000 µs"},
		{"negative limit", Take{-1, 1, algMin, now},
			"ratelimit: take out of range: limit -1, cost 1, interval 60000000 µs, now 1700000000000000 µs"},
		{"limit too high", Take{MaxLimit + 1, 1, algMin, now},
			"ratelimit: take out of range: limit 1000000001, cost 1, interval 60000000 µs, now 1700000000000000 µs"},
		{"negative cost", Take{100, -1, algMin, now},
			"ratelimit: take out of range: limit 100, cost -1, interval 60000000 µs, now 1700000000000000 µs"},
		{"interval too short", Take{100, 1, algSec - 1, now},
			"ratelimit: take out of range: limit 100, cost 1, interval 999999 µs, now 1700000000000000 µs"},
		{"interval too long", Take{100, 1, 366*algDay + 1, now},
			"ratelimit: take out of range: limit 100, cost 1, interval 31622400000001 µs, now 1700000000000000 µs"},
		{"before the epoch", Take{100, 1, algMin, -1},
			"ratelimit: take out of range: limit 100, cost 1, interval 60000000 µs, now -1 µs"},
		{"beyond all clocks", Take{100, 1, algMin, maxTime + 1},
			"ratelimit: take out of range: limit 100, cost 1, interval 60000000 µs, now 9007199254740993 µs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.take.Validate()
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
		})
	}
}

// At one instant the algorithms differ in their times alone, so the table tells
// what is accepted and what remains.
func TestAlgorithmCosts(t *testing.T) {
	type call struct {
		cost      int64
		accepted  bool
		remaining int64
	}
	for _, test := range []struct {
		name  string
		limit int64
		calls []call
	}{
		{"one by one", 4, []call{{1, true, 3}, {1, true, 2}, {1, true, 1}, {1, true, 0}, {1, false, 0}}}, // RL-075 RL-192 peer 41
		{"limit 1", 1, []call{{1, true, 0}, {1, false, 0}}},
		{"a larger cost leaves what it cannot have", 5, []call{{3, true, 2}, {3, false, 2}, {2, true, 0}}}, // RL-320 RL-079
		{"the whole limit at once", 5, []call{{5, true, 0}, {1, false, 0}}},
		{"small after large", 10, []call{{8, true, 2}, {2, true, 0}, {1, false, 0}}},                        // peer 7
		{"no debt by refusals", 10, []call{{8, true, 2}, {5, false, 2}, {1, true, 1}, {1, true, 0}}},        // peer 8
		{"peeks are free", 2, []call{{0, true, 2}, {0, true, 2}, {1, true, 1}, {0, true, 1}, {1, true, 0}}}, // peer 92
		{"a peek at nothing left", 1, []call{{1, true, 0}, {0, true, 0}, {1, false, 0}}},
		{"above the limit uses nothing", 5, []call{{6, false, 5}, {math.MaxInt64, false, 5}, {5, true, 0}}},         // RL-322
		{"above the limit tells what is left", 5, []call{{2, true, 3}, {6, false, 3}, {3, true, 0}, {6, false, 0}}}, // RL-322
	} {
		t.Run(test.name, func(t *testing.T) {
			algEach(t, func(t *testing.T, b BuiltIn) {
				c := algCounter{algorithm: b, limit: test.limit, interval: algMin}
				for i, call := range test.calls {
					d := c.take(100*algSec, call.cost)
					require.Equal(t, call.accepted, d.Accepted, "call %d", i)
					require.Equal(t, call.remaining, d.Remaining, "call %d", i)
					switch {
					case call.accepted:
						require.EqualValues(t, NoRetryMicros, d.RetryAfter, "call %d", i)
					case call.cost > test.limit:
						require.EqualValues(t, NeverMicros, d.RetryAfter, "call %d", i) // RL-322
					default:
						require.Positive(t, d.RetryAfter, "call %d", i)
					}
				}
			})
		})
	}
}

// Asking while refused neither uses anything nor moves the moment at which the
// next request passes.
func TestAlgorithmRefusalsDoNotPostpone(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		const now = 1000*algSec + 300*algMs
		c := algCounter{algorithm: b, limit: 3, interval: 10 * algSec}
		require.Equal(t, 3, c.accepts(now, 3))
		kept := c.state
		wait := c.take(now, 1).RetryAfter
		for passed := int64(0); passed < wait; passed += wait / 500 {
			d := c.take(now+passed, 1)
			require.False(t, d.Accepted)
			require.Equal(t, wait-passed, d.RetryAfter) // RL-079
			require.Equal(t, kept, c.state)             // RL-079 peer 8
		}
		require.True(t, c.take(now+wait, 1).Accepted) // RL-079 RL-152
	})
}

// A client below the rate is never refused: no call lengthens a window or throws
// away what has come back.
func TestAlgorithmSteadyClient(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		c := algCounter{algorithm: b, limit: 10, interval: 2 * algSec}
		for i := range int64(40) {
			require.True(t, c.take(100*algSec+i*500*algMs, 1).Accepted, "call %d", i) // peer 4
		}
	})
}

// Changed limits keep the use, and apply at once.
func TestAlgorithmChangedLimit(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		const now = 1000 * algSec
		c := algCounter{algorithm: b, limit: 100, interval: 100 * algSec}
		for _, call := range []struct {
			limit, cost int64
			accepted    bool
			remaining   int64
		}{
			{100, 1, true, 99},  // peer 89
			{10, 0, true, 9},    // peer 89
			{200, 0, true, 199}, // peer 89
			{200, 150, true, 49},
			{10, 0, true, 0},   // peer 40
			{10, 1, false, 0},  // RL-158 peer 40
			{10, 11, false, 0}, // RL-322
			{152, 1, true, 0},
			{153, 2, false, 1},
		} {
			c.limit = call.limit
			d := c.take(now, call.cost)
			require.Equal(t, call.accepted, d.Accepted, "%+v", call)
			require.Equal(t, call.remaining, d.Remaining, "%+v", call)
		}
	})
}

// After the limit was lowered far below the use, a request passes within two
// intervals: nobody is refused for ever.
func TestAlgorithmLoweredLimitEnds(t *testing.T) {
	for _, test := range []struct {
		algorithm BuiltIn
		wait      int64
	}{
		{FixedWindow, 60 * algSec},
		{SlidingWindow, 120*algSec - algMin/1_000_000}, // one of a million is left
		{TokenBucket, 60 * algSec},
	} {
		t.Run(test.algorithm.Name(), func(t *testing.T) {
			const now = 600 * algSec
			state := test.algorithm.Step(State{}, Take{MaxLimit, 1_000_000, algMin, now}).State
			require.Equal(t, algNo(0, test.algorithm.Step(state, Take{2, 0, algMin, now}).ResetAfter, test.wait),
				test.algorithm.Step(state, Take{2, 1, algMin, now}).Decision) // RL-158
			require.False(t, test.algorithm.Step(state, Take{2, 1, algMin, now + test.wait - 1}).Accepted)
			require.True(t, test.algorithm.Step(state, Take{2, 1, algMin, now + test.wait}).Accepted) // RL-158
		})
	}
}

// What cannot be a state of the algorithm counts as no state: the answer is
// that to a first request, and what is saved is sound again.
func TestAlgorithmForeignState(t *testing.T) {
	const (
		now   = 1_700_000_000 * algSec
		start = now - now%algMin
	)
	windows, bucket := []BuiltIn{FixedWindow, SlidingWindow}, []BuiltIn{TokenBucket}
	for _, test := range []struct {
		name       string
		algorithms []BuiltIn
		state      State
	}{
		{"negative use", algBuiltIns, State{start, -1, 0}},
		{"smallest use", algBuiltIns, State{start, math.MinInt64, 0}},
		{"use above every limit", algBuiltIns, State{start, MaxLimit + 1, 0}},
		{"largest use", algBuiltIns, State{start, math.MaxInt64, 0}},
		{"negative third word", algBuiltIns, State{start, 5, -1}},
		{"smallest third word", algBuiltIns, State{start, 5, math.MinInt64}},
		{"largest third word", algBuiltIns, State{start, 5, math.MaxInt64}},
		{"before the epoch", algBuiltIns, State{-algMin, 5, 0}},
		{"smallest time", algBuiltIns, State{math.MinInt64, 5, 0}},
		{"beyond all clocks", algBuiltIns, State{maxTime - maxTime%algMin + algMin, 5, 0}},
		{"largest time", algBuiltIns, State{math.MaxInt64, 5, 0}},
		{"all largest", algBuiltIns, State{math.MaxInt64, math.MaxInt64, math.MaxInt64}},
		{"all smallest", algBuiltIns, State{math.MinInt64, math.MinInt64, math.MinInt64}},
		{"start of another interval", windows, State{start + 10*algSec, 5, 0}},
		{"a bucket", windows, State{now - 1, 5, 17}},
		{"previous window above every limit", windows, State{start, 5, MaxLimit + 1}},
		{"a whole token as fraction", bucket, State{now, 5, algMin}},
		{"a window of long ago", bucket, State{start - algMin, 5, 3}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, b := range test.algorithms {
				for _, cost := range []int64{0, 1, 10, 11} {
					take := Take{10, cost, algMin, now}
					require.Equal(t, b.Step(State{}, take), b.Step(test.state, take), "%s, cost %d", b.Name(), cost) // RL-158
				}
			}
		})
	}
}

// A state of another algorithm that happens to make sense is neither a crash
// nor an endless refusal.
func TestAlgorithmStateOfAnother(t *testing.T) {
	const now = 1_700_000_000 * algSec
	for _, from := range algBuiltIns {
		for _, to := range algBuiltIns {
			state := from.Step(State{}, Take{MaxLimit, 1000, algMin, now}).State
			d := to.Step(state, Take{10, 1, 10 * algSec, now}).Decision
			require.LessOrEqual(t, d.RetryAfter, 2*algMin, "%s to %s", from.Name(), to.Name()) // RL-158
			require.True(t, to.Step(state, Take{10, 1, 10 * algSec, now + 2*algMin}).Accepted, "%s to %s", from.Name(), to.Name())
		}
	}
}
