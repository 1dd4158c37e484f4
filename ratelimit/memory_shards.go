package ratelimit

import (
	"bytes"
	"hash/maphash"
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
	all        []shard // a power of two of them
	shift      uint8   // of a hash, to the number of its shard
	seeds      [3]maphash.Seed
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
		seeds: [3]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed(), maphash.MakeSeed()},
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

// identify returns the identity of a counter and its shard.
//
// Keys are not kept: the identity and the number of the shard are 96 bits of a
// hash with random seeds, so clients cannot steer where a counter goes. Two of a
// million counters meet with a probability of 2^-57, two of ten million with
// 2^-50. A Memory with a small cap has fewer shards, and fewer counters.
//
// The salt stands for the algorithm and the interval. The counters of one key
// differ for certain when their salts do: the hashes of the key cancel out.
func (g *shards) identify(key []byte, salt uint64) (counterID, *shard) {
	hash := maphash.Bytes(g.seeds[0], key) ^ salt
	more := maphash.Bytes(g.seeds[1], key)
	return counterID{hash: hash, tag: more & tagMask}, &g.all[more>>g.shift]
}

// overflow returns the counter that the new keys of a policy share when there
// is no room for them. Keys without a policy share one, too.
func (g *shards) overflow(key []byte, salt uint64) (counterID, *shard) {
	g.overflowed.Add(1)
	policy := key[:max(0, bytes.IndexByte(key, ':'))]
	id, _ := g.identify(policy, salt)
	return id, &g.shared
}

// foreign stands for an algorithm that is not built in. Its name counts, too.
const foreign BuiltIn = 255

func (g *shards) foreignSalt(name string, interval int64) uint64 {
	return builtInSalt(foreign, interval) ^ maphash.String(g.seeds[2], name)
}

// builtInSalt is a bijection: the interval is below 2^45 and the factor is odd.
func builtInSalt(b BuiltIn, interval int64) uint64 {
	return (uint64(interval)<<8 | uint64(b)) * 0x9E3779B97F4A7C15
}
