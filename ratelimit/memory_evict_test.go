package ratelimit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// peer 79: an exhausted client makes up other keys.
func TestMemoryFloodDoesNotEndARefusal(t *testing.T) {
	for _, a := range memoryAlgorithms {
		for name, flood := range map[string]Take{
			"of fresh clients":     {Limit: 5, Cost: 1, Interval: 60 * second},
			"of exhausted clients": {Limit: 5, Cost: 5, Interval: 60 * second},
		} {
			t.Run(a.Name()+"/"+name, func(t *testing.T) {
				const limit = 1000
				m := NewMemory(MemoryOptions{MaxCounters: limit})
				take := Take{Limit: 5, Cost: 1, Interval: 60 * second, Now: memoryStart}
				require.Equal(t, 5, use(t, m, 6, "login:attacker", a, take))
				flood.Now = memoryStart
				for i := range 3 * limit {
					consume(t, m, fmt.Sprint("login:", i), a, flood)
					require.LessOrEqual(t, m.Stats().Counters, limit)
				}
				require.False(t, consume(t, m, "login:attacker", a, take).Accepted)

				stats := m.Stats()
				want := MemoryStats{Counters: limit, Bytes: stats.Bytes}
				if flood.Cost == 1 {
					want.Evicted = 2*limit + 1
				} else {
					want.Shared, want.Overflowed = 1, 2*limit+1
				}
				require.Equal(t, want, stats)
			})
		}
	}
}

// TestMemoryMakesRoom fills a Memory of three counters and adds a fourth.
func TestMemoryMakesRoom(t *testing.T) {
	type counter struct {
		cost, limit, interval int64
		refused               int64 // then a request of this cost is refused
	}
	const none = -1
	for name, c := range map[string]struct {
		counters [3]counter
		later    int64 // the fourth comes so much later
		gone     int
	}{
		"the one with the most left":         {[3]counter{{cost: 5}, {cost: 2}, {cost: 8}}, 0, 1},
		"by the share of the limit":          {[3]counter{{cost: 5}, {cost: 6, limit: 20}, {cost: 4}}, 0, 1},
		"of equals, the one that ends first": {[3]counter{{cost: 5}, {cost: 5, interval: 60}, {cost: 5, interval: 20}}, 0, 2},
		"an expired one before all":          {[3]counter{{cost: 1}, {cost: 9, interval: 1}, {cost: 2}}, 3 * second, 1},
		"an expired one that had refused":    {[3]counter{{cost: 1}, {cost: 2}, {cost: 10, interval: 1, refused: 1}}, 3 * second, 2},
		"not one with nothing left":          {[3]counter{{cost: 10}, {cost: 10}, {cost: 9}}, 0, 2},
		"not one that refused much":          {[3]counter{{cost: 2, refused: 9}, {cost: 5}, {cost: 9}}, 0, 1},
		"one whose cost was never possible":  {[3]counter{{cost: 5}, {cost: 2, refused: 11}, {cost: 9}}, 0, 1},
		"one whose refusal is over, last":    {[3]counter{{cost: 10, interval: 60}, {cost: 9, interval: 120}, {cost: 10, interval: 120}}, 90 * second, 1},
		"one whose refusal is over, then":    {[3]counter{{cost: 10, interval: 120}, {cost: 10, interval: 60}, {cost: 10, interval: 120}}, 90 * second, 1},
		"nobody when all refuse":             {[3]counter{{cost: 10}, {cost: 1, refused: 10}, {cost: 10}}, 0, none},
		"nobody, most of the time":           {[3]counter{{cost: 10}, {cost: 10}, {cost: 10}}, 2 * second, none},
	} {
		for _, a := range []Algorithm{SlidingWindow, foreignAlgorithm{SlidingWindow, "foreign"}} {
			t.Run(name+"/"+a.Name(), func(t *testing.T) {
				m := NewMemory(MemoryOptions{MaxCounters: 3})
				var takes [3]Take
				for i, c := range c.counters {
					take := Take{Limit: 10, Cost: c.cost, Interval: 30 * second, Now: memoryStart}
					if c.limit > 0 {
						take.Limit = c.limit
					}
					if c.interval > 0 {
						take.Interval = c.interval * second
					}
					key := fmt.Sprint("p:", i)
					require.True(t, consume(t, m, key, a, take).Accepted)
					if take.Cost = c.refused; c.refused > 0 {
						require.False(t, consume(t, m, key, a, take).Accepted)
					}
					take.Cost = 0
					takes[i] = take
				}
				fourth := Take{Limit: 10, Cost: 1, Interval: 30 * second, Now: memoryStart + c.later}
				require.True(t, consume(t, m, "p:new", a, fourth).Accepted)
				stats := m.Stats()
				require.Equal(t, 3, stats.Counters)
				require.Equal(t, c.gone == none, stats.Overflowed == 1)
				require.Equal(t, c.gone != none, stats.Evicted+stats.Expired == 1)
				g := m.shards.Load()
				for i, take := range takes {
					salt := builtInSalt(SlidingWindow, take.Interval)
					if a != SlidingWindow {
						salt = foreignSalt(a.Name(), take.Interval)
					}
					id, s := g.find(hashKey([]byte(fmt.Sprint("p:", i))).of(salt))
					require.Equal(t, i == c.gone, s.find(id) < 0, "counter %d", i)
				}
			})
		}
	}
}

func TestMemorySharedCounters(t *testing.T) {
	m := NewMemory(MemoryOptions{MaxCounters: 2})
	full := Take{Limit: 1, Cost: 1, Interval: 3600 * second, Now: memoryStart}
	require.Equal(t, 2, use(t, m, 1, "a:1", FixedWindow, full)+use(t, m, 1, "a:2", FixedWindow, full))

	take := Take{Limit: 3, Cost: 1, Interval: 60 * second, Now: memoryStart}
	longer := take
	longer.Interval *= 2
	foreign := foreignAlgorithm{FixedWindow, "foreign"}
	groups := []struct {
		name string
		keys []string
		a    Algorithm
		take Take
	}{
		{"a policy", []string{"a:3", "a:4", "a:", "a:b:c"}, FixedWindow, take},
		{"another policy", []string{"b:3", "b:4"}, FixedWindow, take},
		{"another algorithm", []string{"a:3", "a:4"}, TokenBucket, take},
		{"another interval", []string{"a:3", "a:4"}, FixedWindow, longer},
		{"an algorithm of one's own", []string{"a:3", "a:4"}, foreign, take},
		{"no policy", []string{"a", "b", ""}, FixedWindow, take},
	}
	for _, g := range groups {
		accepted := 0
		for i := range 6 {
			accepted += use(t, m, 1, g.keys[i%len(g.keys)], g.a, g.take)
		}
		require.Equal(t, 3, accepted, g.name)
		g.take.Cost = 0
		require.Zero(t, consume(t, m, g.keys[0], g.a, g.take).Remaining, "a peek sees the shared counter")
	}
	stats := m.Stats()
	require.Equal(t, MemoryStats{Counters: 2, Shared: 6, Overflowed: 6 * 7, Bytes: stats.Bytes}, stats)
	require.False(t, consume(t, m, "a:1", FixedWindow, full).Accepted)

	// Room again: new keys get counters of their own.
	take.Now += 3601 * second
	require.Equal(t, 3, use(t, m, 4, "a:3", FixedWindow, take))
	require.Equal(t, 3, use(t, m, 4, "a:4", FixedWindow, take))
	require.EqualValues(t, 6*7, m.Stats().Overflowed)
}

// A Step that runs outside the lock can lose its room to others.
func TestMemoryRoomIsLostWhileStepRuns(t *testing.T) {
	m, count := NewMemory(MemoryOptions{MaxCounters: 1}), tally(second)
	take := Take{Limit: 9, Cost: 1, Interval: second, Now: memoryStart}
	runs := 0
	disturbed := stepFunc(func(s State, take Take) Outcome {
		if runs++; runs == 1 {
			consume(t, m, "p:faster", FixedWindow, Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart})
		}
		return count(s, take)
	})
	require.Equal(t, int64(8), consume(t, m, "p:slower", disturbed, take).Remaining)
	require.Equal(t, 2, runs)
	stats := m.Stats()
	require.Equal(t, MemoryStats{Counters: 1, Shared: 1, Overflowed: 1, Bytes: stats.Bytes}, stats)
}

// Room is there at the first look and not at the second, time after time: the
// hand goes round in two looks.
func TestMemoryDoesNotLookForRoomForever(t *testing.T) {
	const length, inUse = 4 * victimsSeen, 2 * victimsSeen
	m := NewMemory(MemoryOptions{MaxCounters: inUse})
	s := &m.start().all[0]
	s.slots = make([]slot, length)
	for i := range uint64(inUse) {
		id, mark := counterID{hash: i << 57}, uint64(0)
		if i >= victimsSeen {
			mark = refusesToEnd
		}
		s.slots[s.insert(id, 1)].set(id, tickOf(memoryStart)+9, mark, &State{1})
	}
	require.Len(t, s.slots, length)
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	count := stepFunc(func(s State, take Take) Outcome {
		if runs++; runs == 9 {
			cancel()
		}
		return tally(second)(s, take)
	})
	_, err := m.Consume(ctx, []byte("p:k"), count, Take{Limit: 9, Cost: 1, Interval: second, Now: memoryStart})
	require.NoError(t, err)
	require.Equal(t, 2, runs)
	require.EqualValues(t, 1, m.Stats().Overflowed)
	require.Equal(t, inUse, m.Stats().Counters)
}

// Strangers who come once each never fall onto the shared counter: somebody with
// little used can always go.
func TestMemoryEvictionFindsAVictimInAThinTable(t *testing.T) {
	for _, a := range []Algorithm{FixedWindow, SlidingWindow, TokenBucket} {
		for _, most := range []int{100, 1000, 10_000} {
			m := NewMemory(MemoryOptions{MaxCounters: most})
			for i := range 20 * most {
				d := consume(t, m, "p:"+strconv.Itoa(i), a, Take{Limit: 5, Cost: 1, Interval: 60 * second, Now: memoryStart})
				require.True(t, d.Accepted, "%s: key %d of a cap of %d", a.Name(), i, most)
			}
			require.Zero(t, m.Stats().Overflowed)
		}
	}
}

func TestMemoryCapIsSplit(t *testing.T) {
	for limit, parts := range map[int]int{0: 4096, 1: 1, 511: 1, 1023: 1, 1024: 2, 1_000_000: 1024, 5_000_001: 4096, 1_000_000_000: 4096} {
		g := newShards(limit)
		require.Len(t, g.all, parts)
		sum := 0
		for i := range g.all {
			sum += int(g.all[i].max)
			require.LessOrEqual(t, g.all[0].max-g.all[i].max, uint32(1))
		}
		require.Equal(t, limit, sum)
		seen := map[*shard]bool{}
		for i := range 20 * parts {
			_, s := g.find(hashKey(appendAddressKey(nil, i)))
			seen[s] = true
		}
		require.Len(t, seen, parts, "all parts are used")
	}
	require.GreaterOrEqual(t, newShards(math.MaxInt).all[0].max, uint32(math.MaxInt32/4096))
}

func TestRefusalMarksOnlyLengthen(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		expiry := 1 + tick(r.Uint64N(1<<(1+r.IntN(expiryBits-1))))
		until := 1 + tick(r.Uint64N(uint64(expiry)))
		var s slot
		s.set(counterID{}, expiry, refusalMark(until, expiry), &State{})
		got := s.refusesUntil()
		require.Equal(t, expiry, s.expiry())
		require.GreaterOrEqual(t, got, until)
		require.LessOrEqual(t, got-until, (expiry-until)/2)
	}
	for _, c := range []struct{ limit, remaining int64 }{{1, 0}, {1, 1}, {1, 9}, {7, -1}, {MaxLimit, 0}, {MaxLimit, MaxLimit}} {
		require.Less(t, usedMark(c.limit, c.remaining), uint64(usedSteps))
	}
}

// Nobody who was refused is accepted before his time, whatever others do.
func TestMemoryNeverForgetsARefusal(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 0))
		m, now := NewMemory(MemoryOptions{MaxCounters: 60}), memoryStart
		type refusal struct{ cost, until int64 }
		refusals := map[string][]refusal{}
		checked := 0
		for range 20_000 {
			now += r.Int64N(second / 50)
			a := memoryAlgorithms[r.IntN(len(memoryAlgorithms))]
			take := Take{Limit: 3, Cost: 1 + r.Int64N(3), Interval: second * (1 + r.Int64N(5)), Now: now}
			key := fmt.Sprint("p:", r.IntN(10))
			if r.IntN(3) == 0 { // the flood
				key, take.Cost = fmt.Sprint("p:", r.IntN(1000)), 1
			}
			before := m.Stats().Overflowed
			d, err := m.Consume(context.Background(), []byte(key), a, take)
			require.NoError(t, err)
			own := m.Stats().Overflowed == before

			counter := fmt.Sprint(key, a.Name(), take.Interval)
			var last []refusal
			for _, f := range refusals[counter] {
				if now >= f.until {
					continue
				}
				last = append(last, f)
				require.True(t, own, "a counter that refuses is there")
				if take.Cost >= f.cost {
					checked++
					require.False(t, d.Accepted, "%s: %+v although %+v", counter, take, f)
				}
			}
			if !d.Accepted && own {
				last = append(last, refusal{take.Cost, now + d.RetryAfter})
			}
			refusals[counter] = last
		}
		stats := m.Stats()
		require.Greater(t, checked, 500)
		require.Greater(t, stats.Evicted, uint64(100))
		require.Greater(t, stats.Overflowed, uint64(100))
		require.LessOrEqual(t, stats.Counters, 60)
	}
}
