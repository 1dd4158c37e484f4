package ratelimit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryTakesFewBytesPerCounter(t *testing.T) {
	m, key := new(Memory), make([]byte, 0, 64)
	require.Less(t, m.Stats().Bytes, 64, "before the first call")
	take := Take{Limit: 1, Cost: 1, Interval: 3600 * second, Now: memoryStart}
	atMost := map[int]int{1: 300_000, 700_000: 52 * 700_000, 1_000_000: 52_000_000, 1_400_000: 52 * 1_400_000}
	for i := range 1_400_000 {
		if d, err := m.Consume(context.Background(), appendAddressKey(key, i), TokenBucket, take); err != nil || !d.Accepted {
			require.Failf(t, "not accepted", "key %d: %+v, %v", i, d, err)
		}
		if most, ok := atMost[i+1]; ok {
			stats := m.Stats()
			require.Equal(t, MemoryStats{Counters: i + 1, Bytes: stats.Bytes}, stats)
			require.Less(t, stats.Bytes, most, "%d counters", i+1)
		}
	}
}

// RL-111: clients come and go, a million of them.
func TestMemoryForgetsClientsThatHaveGone(t *testing.T) {
	m, key := new(Memory), make([]byte, 0, 64)
	take := Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}
	most := 0
	for i := range 1_000_000 {
		take.Now += 20 // 50,000 live at a time
		if d, err := m.Consume(context.Background(), appendAddressKey(key, i), TokenBucket, take); err != nil || !d.Accepted {
			require.Failf(t, "not accepted", "key %d: %+v, %v", i, d, err)
		}
		if i%20_000 == 0 {
			most = max(most, m.Stats().Counters)
		}
	}
	stats := m.Stats()
	require.Less(t, most, 75_000)
	require.Less(t, stats.Bytes, 6_000_000)
	require.Equal(t, 1_000_000, stats.Counters+int(stats.Expired))
}

// RL-111: it is enough that the same few clients go on.
func TestMemoryShrinksAfterARush(t *testing.T) {
	for name, a := range map[string]Algorithm{"built in": TokenBucket, "foreign": foreignAlgorithm{TokenBucket, "foreign"}} {
		t.Run(name, func(t *testing.T) {
			m, take := onePart(), Take{Limit: 1000, Cost: 1000, Interval: second, Now: memoryStart}
			key := make([]byte, 0, 64)
			for i := range 20_000 {
				_, err := m.Consume(context.Background(), appendAddressKey(key, i), a, take)
				require.NoError(t, err)
			}
			rush := m.Stats()
			require.Equal(t, 20_000, rush.Counters)
			take.Cost = 1
			for range 40_000 {
				take.Now += 2000
				consume(t, m, "p:regular", a, take)
			}
			calm := m.Stats()
			require.Equal(t, 1, calm.Counters)
			require.EqualValues(t, 20_000, calm.Expired)
			require.Less(t, calm.Bytes, rush.Bytes/1000)
		})
	}
}
