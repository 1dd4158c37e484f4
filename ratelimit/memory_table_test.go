package ratelimit

import (
	"math/bits"
	"math/rand/v2"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestMemoryLayout(t *testing.T) {
	require.EqualValues(t, 40, unsafe.Sizeof(slot{}))
	if strconv.IntSize == 64 {
		require.EqualValues(t, 64, unsafe.Sizeof(shard{}), "one cache line")
	}
	require.Greater(t, tick(lastTick>>tickShift), tickOf(maxTime)+tickOf(2*maxInterval))
	require.LessOrEqual(t, refusesTo+expiryBits, 1<<markBits)
	require.LessOrEqual(t, bits.Len64(uint64(maxInterval)<<8), 64-7, "a salt loses nothing")
}

// crowded makes identities that compete for few homes, many of them at the end
// of the table, so that chains go round.
func crowded(r *rand.Rand) counterID {
	homes := []uint64{0, 1 << 60, 1 << 63, 1<<64 - 1<<58, 1<<64 - 1}
	return counterID{hash: homes[r.IntN(len(homes))] ^ uint64(r.IntN(4)), tag: uint64(r.IntN(16))}
}

// checkTable requires that a table holds just these counters, each to be found.
func checkTable(t *testing.T, tb *table, want map[counterID]slot) {
	t.Helper()
	used := 0
	for i := range tb.slots {
		if !tb.slots[i].empty() {
			used++
		}
	}
	require.Equal(t, used, int(tb.used))
	require.LessOrEqual(t, used, maxUsed(len(tb.slots)))
	for id, s := range want {
		if i := tb.find(id); i < 0 || tb.slots[i] != s {
			require.Failf(t, "lost or changed", "%x in slot %d", id, i)
		}
	}
	require.GreaterOrEqual(t, used, len(want))
}

func TestTableAgreesWithAMap(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 0))
		var tb table
		want, now := map[counterID]slot{}, tick(1000)
		added, removed := 0, 0
		for range 2000 {
			id := crowded(r)
			i := tb.find(id)
			switch r.IntN(10) {
			case 0:
				if i >= 0 {
					tb.remove(i)
					removed++
					delete(want, id)
				}
			case 1:
				tb.sweep(now, 1+r.IntN(8))
			case 2:
				tb.rebuild(now, r.IntN(8))
			case 3:
				now += tick(r.IntN(20))
			default:
				if i < 0 {
					i = tb.insert(id, now)
					added++
				}
				tb.slots[i].set(id, now+1+tick(r.IntN(200)), r.Uint64N(1<<markBits), &State{r.Int64(), r.Int64(), r.Int64()})
				want[id] = tb.slots[i]
			}
			for id, s := range want {
				if s.expired(now) {
					delete(want, id)
				}
			}
			checkTable(t, &tb, want)
			require.Equal(t, added-removed-int(tb.expired), int(tb.used), "each counter is accounted for")
		}
		require.Positive(t, tb.expired)
		tb.rebuild(now+1000, 0)
		require.Zero(t, tb.used)
		require.Empty(t, tb.slots)
	}
}

// An expired counter may come back before anybody has removed it.
func TestTableSlotIsReusedOnce(t *testing.T) {
	var tb table
	a, b := counterID{hash: 1 << 40, tag: 1}, counterID{hash: 1 << 40, tag: 2}
	for _, id := range []counterID{a, b} {
		tb.slots[tb.insert(id, 10)].set(id, 20, 0, &State{1})
	}
	c := counterID{hash: 1 << 40, tag: 3}
	i := tb.insert(c, 20) // takes the place of a
	tb.slots[i].set(c, 30, 0, &State{3})
	require.Negative(t, tb.find(a))
	require.Equal(t, i, tb.find(c))
	require.GreaterOrEqual(t, tb.find(b), 0)
	require.EqualValues(t, 2, tb.used)
	require.EqualValues(t, 1, tb.expired)
}

func TestTicksOnlyLengthen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		now, wait := r.Int64N(maxTime+1), 1+r.Int64N(1<<(1+r.IntN(60)))
		end := tickAfter(now, wait)
		require.Greater(t, end, tickOf(now))
		require.LessOrEqual(t, uint64(end), uint64(expiryMask))
		if last := now + wait - 1; last <= maxTime {
			require.Greater(t, end, tickOf(last), "too early: %d+%d", now, wait)
			require.LessOrEqual(t, int64(end)<<tickShift, now+wait+tickSize-1, "too late: %d+%d", now, wait)
		}
	}
}
