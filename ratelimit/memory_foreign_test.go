package ratelimit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// An algorithm that is not built in runs without a lock: it can even use the
// storage itself, as these tests do to change the counter under it.

func TestMemoryRunsStepAgainWhenTheCounterHasChanged(t *testing.T) {
	take := Take{Limit: 9, Cost: 1, Interval: second, Now: memoryStart}
	for name, c := range map[string]struct {
		cost      int64
		meanwhile func(m *Memory, count Algorithm)
		seen      []int64
		remaining int64 // what the decision says
		counted   int64 // in the end
	}{
		"somebody counts":      {1, func(m *Memory, a Algorithm) { consume(t, m, "p:k", a, take) }, []int64{2, 3}, 5, 4},
		"somebody peeks":       {1, func(m *Memory, a Algorithm) { consume(t, m, "p:k", a, Take{Limit: 9, Interval: second}) }, []int64{2}, 6, 3},
		"somebody clears":      {1, func(m *Memory, _ Algorithm) { m.Clear() }, []int64{2, 0}, 8, 1},
		"nothing happens":      {1, func(*Memory, Algorithm) {}, []int64{2}, 6, 3},
		"another key":          {1, func(m *Memory, a Algorithm) { consume(t, m, "p:other", a, take) }, []int64{2}, 6, 3},
		"a peek does not mind": {0, func(m *Memory, a Algorithm) { consume(t, m, "p:k", a, take) }, []int64{2}, 7, 3},
	} {
		t.Run(name, func(t *testing.T) {
			m, count := new(Memory), tally(second)
			consume(t, m, "p:k", count, take)
			consume(t, m, "p:k", count, take)
			var seen []int64
			disturbed := stepFunc(func(s State, take Take) Outcome {
				if seen = append(seen, s[0]); len(seen) == 1 {
					c.meanwhile(m, count)
				}
				return count(s, take)
			})
			mine := take
			mine.Cost = c.cost
			require.Equal(t, c.remaining, consume(t, m, "p:k", disturbed, mine).Remaining)
			require.Equal(t, c.seen, seen)
			require.Equal(t, c.counted, 9-consume(t, m, "p:k", count, Take{Limit: 9, Interval: second, Now: memoryStart}).Remaining)
		})
	}
}

func TestMemoryGivesUpWithTheContext(t *testing.T) {
	m, count := new(Memory), tally(second)
	take := Take{Limit: 9, Cost: 1, Interval: second, Now: memoryStart}
	ctx, cancel := context.WithCancel(context.Background())
	disturbed := stepFunc(func(s State, take Take) Outcome {
		consume(t, m, "p:k", count, take)
		if s[0] == 2 {
			cancel()
		}
		return count(s, take)
	})
	d, err := m.Consume(ctx, []byte("p:k"), disturbed, take)
	require.Equal(t, context.Canceled, err)
	require.Zero(t, d)
	take.Cost = 0
	require.Equal(t, int64(6), consume(t, m, "p:k", count, take).Remaining, "only the others counted")

	d, err = m.Consume(ctx, []byte("p:k"), count, take)
	require.NoError(t, err, "nothing to wait for")
	require.Equal(t, int64(6), d.Remaining)
}

func TestMemorySurvivesAPanic(t *testing.T) {
	for _, o := range []MemoryOptions{{}, {MaxCounters: 1}} {
		m := NewMemory(o)
		take := Take{Limit: 9, Cost: 1, Interval: second, Now: memoryStart}
		broken := stepFunc(func(State, Take) Outcome { panic("broken") })
		for range 2 {
			require.PanicsWithValue(t, "broken", func() {
				_, _ = m.Consume(context.Background(), []byte("p:k"), broken, take)
			})
		}
		require.Equal(t, int64(8), consume(t, m, "p:k", tally(second), take).Remaining)
		require.Equal(t, 1, m.Stats().Counters)
	}
}
