package ratelimit

import (
	"math"
	"math/bits"
	"sync/atomic"
)

const (
	shardBits   = 12
	minPerShard = 512 // counters of the cap, so that shards fill about evenly
)

// shards is what a [Memory] makes when it is first used.
type shards struct {
	all        []shard       // a power of two of them
	shift      uint8         // of a hash, to the number of its shard
	overflowed atomic.Uint64 // total of requests decided by a shared counter
	shared     shard         // the shared counters, without a cap
}

func newShards(maxCounters int) *shards {
	width := shardBits
	if maxCounters > 0 {
		width = min(shardBits, bits.Len(uint(max(1, maxCounters/minPerShard)))-1)
	}
	g := &shards{
		all:   make([]shard, 1<<width),
		shift: uint8(64 - width),
	}
	n := len(g.all)
	for i := range g.all {
		share := maxCounters / n
		if i < maxCounters%n {
			share++
		}
		g.all[i].max = uint32(min(share, math.MaxInt32))
	}
	return g
}

// find returns the identity of a counter and its shard.
func (g *shards) find(h keyHash) (counterID, *shard) {
	return counterID{hash: h.hash, tag: h.more & tagMask}, &g.all[h.more>>g.shift]
}

// overflow returns the counter that the new keys of a policy share when there
// is no room for them.
func (g *shards) overflow(policy keyHash) (counterID, *shard) {
	g.overflowed.Add(1)
	id, _ := g.find(policy)
	return id, &g.shared
}
