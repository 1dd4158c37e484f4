package ratelimit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// The key is built on the stack, as a limiter does it: that it stays there is a
// part of what is tested.
func TestMemoryAllocatesNothing(t *testing.T) {
	ctx := context.Background()
	for _, options := range []MemoryOptions{{}, {MaxCounters: 1_000_000}} {
		for _, a := range memoryAlgorithms {
			for name, c := range map[string]struct {
				limit, cost int64
				spread      bool
				accepted    bool
			}{
				"hot, accepted": {MaxLimit, 1, false, true},
				"hot, peek":     {MaxLimit, 0, false, true},
				"hot, refused":  {1, 1, false, false},
				"never":         {1, 2, true, false},
				"new keys":      {1, 1, true, true}, // growth apart, which is far less than one in a call
			} {
				t.Run(a.Name()+"/"+name, func(t *testing.T) {
					m, i, accepted := NewMemory(options), 0, false
					take := Take{Limit: c.limit, Cost: c.cost, Interval: 60 * second, Now: memoryStart}
					require.True(t, consume(t, m, string(appendAddressKey(nil, 0)), a, Take{Limit: c.limit, Cost: 1, Interval: 60 * second, Now: memoryStart}).Accepted)
					allocs := testing.AllocsPerRun(20_000, func() {
						if c.spread {
							i++
						}
						var buf [64]byte
						d, err := m.Consume(ctx, appendAddressKey(buf[:0], i), a, take)
						accepted = d.Accepted && err == nil
					})
					require.Zero(t, allocs)
					require.Equal(t, c.accepted, accepted)
				})
			}
		}
	}
	full := NewMemory(MemoryOptions{MaxCounters: 100})
	take := Take{Limit: 2, Cost: 1, Interval: 60 * second, Now: memoryStart}
	i := 0
	flood := func() {
		i++
		var buf [64]byte
		if _, err := full.Consume(ctx, appendAddressKey(buf[:0], i), SlidingWindow, take); err != nil {
			panic(err)
		}
	}
	for range 200 {
		flood()
	}
	require.Zero(t, testing.AllocsPerRun(1000, flood), "evicting")
	require.Positive(t, full.Stats().Evicted)
	take.Cost = 2
	for range 200 {
		flood()
	}
	require.Zero(t, testing.AllocsPerRun(1000, flood), "overflowing")
	require.Positive(t, full.Stats().Overflowed)
}
