package ratelimit

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

var _ Storage = (*Memory)(nil)

func TestMemoryKeepsCountersApart(t *testing.T) {
	type counter struct {
		key      string
		a        Algorithm
		interval int64
	}
	one := counter{"perIp:1.2.3.4", SlidingWindow, 60 * second}
	for name, other := range map[string]counter{
		"another key":                {"perIp:1.2.3.5", SlidingWindow, 60 * second},
		"another policy":             {"perUser:1.2.3.4", SlidingWindow, 60 * second}, // RL-160
		"a longer key":               {"perIp:1.2.3.4 ", SlidingWindow, 60 * second},
		"an empty key":               {"", SlidingWindow, 60 * second},
		"another algorithm":          {"perIp:1.2.3.4", TokenBucket, 60 * second}, // RL-158
		"an algorithm of one's own":  {"perIp:1.2.3.4", foreignAlgorithm{SlidingWindow, "mine"}, 60 * second},
		"another interval":           {"perIp:1.2.3.4", SlidingWindow, 61 * second}, // RL-158, peer 58
		"another day":                {"perIp:1.2.3.4", SlidingWindow, 24 * 3600 * second},
		"the same number in another": {"perIp:1.2.3.4", FixedWindow, 60 * second},
		"the head of another":        {"perIp:", SlidingWindow, 60 * second},
	} {
		t.Run(name, func(t *testing.T) {
			m := new(Memory)
			a := Take{Limit: 5, Cost: 1, Interval: one.interval, Now: memoryStart}
			b := Take{Limit: 5, Cost: 1, Interval: other.interval, Now: memoryStart}
			require.Equal(t, 5, use(t, m, 9, one.key, one.a, a))
			require.Equal(t, 5, use(t, m, 9, other.key, other.a, b))
			require.Equal(t, 2, m.Stats().Counters)
		})
	}
	t.Run("two algorithms of one's own", func(t *testing.T) {
		m, take := new(Memory), Take{Limit: 5, Cost: 1, Interval: second, Now: memoryStart}
		require.Equal(t, 5, use(t, m, 9, "p:k", foreignAlgorithm{FixedWindow, "mine"}, take))
		require.Equal(t, 5, use(t, m, 9, "p:k", foreignAlgorithm{FixedWindow, "yours"}, take))
		require.Equal(t, 2, m.Stats().Counters)
	})
}

// Head and tail of a key are hashed apart.
func TestMemoryKnowsTheHeadOfAKeyFromItsTail(t *testing.T) {
	keys := []string{"", ":", "::", ":::", "::::", "a", "a:", "a::", ":a", "::a", "a:b", "a:b:", "a:b:c", "a:bc:", "ab:c:", ":a:b:", "a:b:a:b:", "a:b:c:d:", "c:d:a:b:", "c:d:c:d:"}
	m, take := new(Memory), Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}
	for i, key := range keys {
		require.True(t, consume(t, m, key, TokenBucket, take).Accepted, key)
		require.False(t, consume(t, m, key, TokenBucket, take).Accepted, key)
		require.Equal(t, i+1, m.Stats().Counters)
		head := headLength([]byte(key))
		require.Equal(t, hashKey([]byte(key)), hashHead(key[:head]).withTail(key[head:]))
	}
	require.Equal(t, len("perIp:ip:"), headLength([]byte("perIp:ip:192.0.2.1:80")))
}

// peer 13: a short and a long limit on one storage.
func TestMemoryServesTwoLimits(t *testing.T) {
	for _, a := range memoryAlgorithms[:2] {
		m := NewMemory(MemoryOptions{})
		var short, long []int64
		for i := range int64(10) {
			now := memoryStart + i*250_000
			short = append(short, consume(t, m, "a:k", a, Take{Limit: 10, Cost: 1, Interval: second, Now: now}).Remaining)
			long = append(long, consume(t, m, "b:k", a, Take{Limit: 30, Cost: 1, Interval: 3600 * second, Now: now}).Remaining)
		}
		require.Equal(t, []int64{29, 28, 27, 26, 25, 24, 23, 22, 21, 20}, long)
		require.Equal(t, []int64{9, 8, 7, 6}, short[:4])
	}
}

// RL-158: a policy changes while its counters live.
func TestMemoryMeetsAChangedPolicy(t *testing.T) {
	old := Take{Limit: 10, Cost: 8, Interval: 60 * second, Now: memoryStart}
	for _, a := range memoryAlgorithms {
		for name, c := range map[string]struct {
			change    func(*Take)
			accepted  bool
			remaining int64
		}{
			"a higher limit keeps the use": {func(t *Take) { t.Limit = 20 }, true, 11},
			"a lower limit keeps the use":  {func(t *Take) { t.Limit = 5 }, false, 0},
			"another interval starts anew": {func(t *Take) { t.Interval = 90 * second }, true, 9},
			"a lower limit lets go of it":  {func(t *Take) { t.Limit, t.Now = 5, t.Now+120*second }, true, 4},
		} {
			t.Run(a.Name()+"/"+name, func(t *testing.T) {
				m := new(Memory)
				consume(t, m, "p:k", a, old)
				take := old
				take.Cost = 1
				c.change(&take)
				d := consume(t, m, "p:k", a, take)
				require.Equal(t, c.accepted, d.Accepted)
				require.Equal(t, c.remaining, d.Remaining)
			})
		}
	}
}

func TestMemoryRefusesMistakes(t *testing.T) {
	good := Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}
	for name, c := range map[string]struct {
		a      Algorithm
		change func(*Take)
	}{
		"no limit":                 {SlidingWindow, func(t *Take) { t.Limit = 0 }},
		"limit too high":           {SlidingWindow, func(t *Take) { t.Limit = MaxLimit + 1 }},
		"negative cost":            {SlidingWindow, func(t *Take) { t.Cost = -1 }},
		"interval too short":       {SlidingWindow, func(t *Take) { t.Interval = second - 1 }},
		"interval too long":        {SlidingWindow, func(t *Take) { t.Interval = maxInterval + 1 }},
		"time before the epoch":    {SlidingWindow, func(t *Take) { t.Now = -1 }},
		"time out of range":        {SlidingWindow, func(t *Take) { t.Now = maxTime + 1 }},
		"a mistake, own algorithm": {tally(second), func(t *Take) { t.Limit = 0 }},
		"no algorithm":             {nil, func(*Take) {}},
	} {
		t.Run(name, func(t *testing.T) {
			m, take := new(Memory), good
			c.change(&take)
			d, err := m.Consume(context.Background(), []byte("p:k"), c.a, take)
			require.Error(t, err)
			require.NotErrorIs(t, err, ErrUnavailable)
			require.Zero(t, d)
			require.Zero(t, m.Stats().Counters)
		})
	}
}

func TestMemorySavesOnlyWhatWasUsed(t *testing.T) {
	for _, a := range memoryAlgorithms {
		t.Run(a.Name(), func(t *testing.T) {
			m, take := new(Memory), Take{Limit: 3, Cost: 0, Interval: second, Now: memoryStart}
			require.Equal(t, a.Step(State{}, take).Decision, consume(t, m, "p:k", a, take))
			take.Cost = 4
			require.Equal(t, a.Step(State{}, take).Decision, consume(t, m, "p:k", a, take))
			require.Zero(t, m.Stats().Counters)
			take.Cost = 3
			require.Equal(t, a.Step(State{}, take).Decision, consume(t, m, "p:k", a, take))
			require.Equal(t, 1, m.Stats().Counters)
		})
	}
}

func TestMemoryDoesNotKeepTheKey(t *testing.T) {
	m, take, key := new(Memory), Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}, []byte("p:one")
	_, err := m.Consume(context.Background(), key, FixedWindow, take)
	require.NoError(t, err)
	copy(key, "p:two")
	require.False(t, consume(t, m, "p:one", FixedWindow, take).Accepted)
	require.True(t, consume(t, m, "p:two", FixedWindow, take).Accepted)
}

func TestMemoryLifetime(t *testing.T) {
	const ttl = 10 * second
	for name, c := range map[string]struct {
		written, ttl int64
		then         []int64 // more times at which the counter is looked at
		kept         bool    // whether it is there at the last of them
	}{
		"at its end but one":               {memoryStart, ttl, []int64{memoryStart + ttl - 1}, true},
		"a tick after its end":             {memoryStart, ttl, []int64{memoryStart + ttl + tickSize}, false},
		"written late in a tick":           {memoryStart + tickSize - 1, ttl, []int64{memoryStart + tickSize - 1 + ttl - 1}, true},
		"written late in a tick, over":     {memoryStart + tickSize - 1, ttl, []int64{memoryStart + 2*tickSize + ttl}, false},
		"the shortest":                     {memoryStart + tickSize - 2, 1, []int64{memoryStart + tickSize - 2}, true},
		"the longest":                      {memoryStart, 1<<63 - 1, []int64{maxTime}, true},
		"written at the end of time":       {maxTime, ttl, []int64{maxTime}, true},
		"written at the epoch":             {0, 1, []int64{0}, true},
		"the clock goes back":              {memoryStart, ttl, []int64{memoryStart - 3600*second}, true},
		"the clock goes back to the epoch": {memoryStart, ttl, []int64{0}, true},
		"the clock goes back and on":       {memoryStart, ttl, []int64{0, memoryStart + ttl - 1}, true},
	} {
		t.Run(name, func(t *testing.T) {
			m, a := new(Memory), tally(c.ttl)
			take := Take{Limit: 9, Cost: 4, Interval: second, Now: c.written}
			consume(t, m, "p:k", a, take)
			take.Cost = 0
			var remaining int64
			for _, take.Now = range c.then {
				remaining = consume(t, m, "p:k", a, take).Remaining
			}
			require.Equal(t, c.kept, remaining == 5)
			require.Equal(t, !c.kept, remaining == 9)
		})
	}
}

// RL-144: only the time of the request counts, whatever the computer's clock says.
func TestMemoryTakesTheTimeOfTheRequest(t *testing.T) {
	for _, a := range memoryAlgorithms {
		m, take := new(Memory), Take{Limit: 2, Cost: 1, Interval: 60 * second}
		for _, now := range []int64{0, memoryStart, maxTime - 120*second} {
			take.Now = now
			require.Equal(t, 2, use(t, m, 3, "p:k", a, take), a.Name())
			take.Now = now + 120*second
			require.Equal(t, 2, use(t, m, 3, "p:k", a, take), a.Name())
		}
	}
}

func TestMemoryClear(t *testing.T) {
	m, take := NewMemory(MemoryOptions{MaxCounters: 2}), Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}
	m.Clear()
	consume(t, m, "p:0", FixedWindow, Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart - 9*second})
	for _, key := range []string{"p:1", "p:2", "p:3"} {
		require.Equal(t, 1, use(t, m, 2, key, FixedWindow, take))
	}
	before := m.Stats()
	require.Equal(t, MemoryStats{Counters: 2, Shared: 1, Bytes: before.Bytes, Expired: 1, Overflowed: 2}, before)
	m.Clear()
	after := before
	after.Counters, after.Shared, after.Bytes = 0, 0, m.Stats().Bytes
	require.Equal(t, after, m.Stats())
	require.Less(t, after.Bytes, before.Bytes)
	for _, key := range []string{"p:1", "p:2", "p:3"} {
		require.Equal(t, 1, use(t, m, 2, key, FixedWindow, take))
	}
}

func TestMemoryValidate(t *testing.T) {
	require.NoError(t, new(Memory).Validate())
	require.NoError(t, NewMemory(MemoryOptions{MaxCounters: 1}).Validate())
	m := NewMemory(MemoryOptions{MaxCounters: -5000})
	require.EqualError(t, m.Validate(), "ratelimit: memory: MaxCounters -5000 is negative")
	take := Take{Limit: 1, Cost: 1, Interval: second, Now: memoryStart}
	for _, key := range []string{"p:1", "p:2", "p:3"} {
		require.Equal(t, 1, use(t, m, 2, key, FixedWindow, take))
	}
	require.Equal(t, 3, m.Stats().Counters)
	require.Zero(t, m.shards.Load().all[0].max)
}
