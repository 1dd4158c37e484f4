package ratelimit

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// hammer makes many requests at once, of each goroutine in the order of its
// numbers, and counts those accepted per key.
func hammer(t *testing.T, m *Memory, goroutines, requests int, a Algorithm, keys int, take func(i int) Take) []int64 {
	t.Helper()
	accepted, failed := make([]atomic.Int64, keys), atomic.Int64{}
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := range requests {
				k := i % keys
				d, err := m.Consume(context.Background(), append([]byte("p:"), strconv.Itoa(k)...), a, take(i))
				if err != nil {
					failed.Add(1)
				}
				if d.Accepted {
					accepted[k].Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.Zero(t, failed.Load())
	counts := make([]int64, keys)
	for i := range counts {
		counts[i] = accepted[i].Load()
	}
	return counts
}

func repeat(n int, value int64) []int64 {
	values := make([]int64, n)
	for i := range values {
		values[i] = value
	}
	return values
}

// RL-110
func TestMemoryAdmitsExactlyTheLimit(t *testing.T) {
	held := func(limit int64) func(int) Take {
		return func(int) Take { return Take{Limit: limit, Cost: 1, Interval: 60 * second, Now: memoryStart} }
	}
	algorithms := append([]Algorithm{stepFunc(func(s State, t Take) Outcome { return TokenBucket.Step(s, t) })}, memoryAlgorithms...)
	for _, a := range algorithms {
		t.Run(a.Name(), func(t *testing.T) {
			t.Run("one key", func(t *testing.T) {
				require.Equal(t, []int64{500}, hammer(t, new(Memory), 64, 1000, a, 1, held(500)))
			})
			t.Run("many keys", func(t *testing.T) {
				m := onePart()
				require.Equal(t, repeat(100, 500), hammer(t, m, 64, 1000, a, 100, held(500)))
				require.Equal(t, 100, m.Stats().Counters)
			})
			t.Run("a shared counter", func(t *testing.T) {
				m := NewMemory(MemoryOptions{MaxCounters: 10})
				fill := held(1)(0)
				for i := range 10 {
					require.Equal(t, 1, use(t, m, 1, "full:"+strconv.Itoa(i), FixedWindow, fill))
				}
				sum := int64(0)
				for _, accepted := range hammer(t, m, 64, 1000, a, 50, held(500)) {
					sum += accepted
				}
				require.EqualValues(t, 500, sum)
				require.EqualValues(t, 64*1000, m.Stats().Overflowed)
			})
		})
	}
}

func TestMemoryStartsOnce(t *testing.T) {
	for range 200 {
		m := new(Memory)
		take := func(int) Take { return Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart} }
		require.Equal(t, []int64{1}, hammer(t, m, 4, 1, FixedWindow, 1, take))
	}
}

// peer 80: counters expire and come back while others are removed.
func TestMemoryLosesNoRenewedCounter(t *testing.T) {
	const rounds, keys, goroutines, limit = 40, 200, 8, 5
	for _, a := range []Algorithm{FixedWindow, foreignAlgorithm{FixedWindow, "foreign"}} {
		t.Run(a.Name(), func(t *testing.T) {
			m := onePart()
			for round := range int64(rounds) {
				now := memoryStart + round*2*second
				take := func(int) Take { return Take{Limit: limit, Cost: 1, Interval: second, Now: now} }
				require.Equal(t, repeat(keys, limit), hammer(t, m, goroutines, keys, a, keys, take), "round %d", round)
			}
			stats := m.Stats()
			require.Positive(t, stats.Expired)
			require.GreaterOrEqual(t, stats.Counters, keys)
		})
	}
}

// The race detector looks at this one.
func TestMemoryAllAtOnce(t *testing.T) {
	m := NewMemory(MemoryOptions{MaxCounters: 300})
	var wg sync.WaitGroup
	for _, a := range memoryAlgorithms {
		wg.Go(func() {
			hammer(t, m, 2, 3000, a, 1000, func(i int) Take {
				return Take{Limit: 2, Cost: int64(i % 3), Interval: second, Now: memoryStart + int64(i)*1000}
			})
		})
	}
	for range 20 {
		stats := m.Stats()
		require.LessOrEqual(t, stats.Counters, 300)
		m.Clear()
	}
	wg.Wait()
	require.LessOrEqual(t, m.Stats().Counters, 300)
}
