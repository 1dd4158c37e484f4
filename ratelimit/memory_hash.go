package ratelimit

import (
	"bytes"
	"hash/maphash"
)

// keyHash is what a [Memory] knows a key by, or a counter of the key.
//
// Keys are not kept: the identity of a counter and the number of its shard are 96
// bits of two hashes with random seeds, so clients cannot steer where a counter
// goes. Two of a million counters meet with a probability of 2^-57, two of ten
// million with 2^-50. A Memory with a small cap has fewer shards, and fewer
// counters.
//
// Head and tail of a key are hashed apart, by seeds of their own, and combined:
// so a policy hashes the head of all its keys once, see [shortcut].
type keyHash struct{ hash, more uint64 }

var (
	headSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	tailSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	nameSeed  = maphash.MakeSeed() // of algorithms that are not built in
)

func hashKey(key []byte) keyHash {
	n := headLength(key)
	head, tail := key[:n], key[n:]
	return keyHash{
		maphash.Bytes(headSeeds[0], head) ^ maphash.Bytes(tailSeeds[0], tail),
		maphash.Bytes(headSeeds[1], head) ^ maphash.Bytes(tailSeeds[1], tail),
	}
}

// headLength is the length up to the second colon: of the policy and the tag of a
// key of this package.
func headLength(key []byte) int {
	policy := bytes.IndexByte(key, ':') + 1
	return policy + bytes.IndexByte(key[policy:], ':') + 1
}

// hashHead begins the hash of a key; withTail completes it.
func hashHead(head string) keyHash {
	return keyHash{maphash.String(headSeeds[0], head), maphash.String(headSeeds[1], head)}
}

func (h keyHash) withTail(tail string) keyHash {
	return keyHash{h.hash ^ maphash.String(tailSeeds[0], tail), h.more ^ maphash.String(tailSeeds[1], tail)}
}

// hashPolicy is the hash of the policy of a key, which may have none.
func hashPolicy(key []byte) keyHash {
	policy := key[:max(0, bytes.IndexByte(key, ':'))]
	return keyHash{maphash.Bytes(headSeeds[0], policy), maphash.Bytes(headSeeds[1], policy)}
}

// of is the counter of the key for an algorithm and an interval. Those of one key
// differ for certain when their salts do: the hashes of the key cancel out.
func (h keyHash) of(salt uint64) keyHash { return keyHash{h.hash ^ salt, h.more} }

// foreign stands for an algorithm that is not built in. Its name counts, too.
const foreign BuiltIn = 255

func foreignSalt(name string, interval int64) uint64 {
	return builtInSalt(foreign, interval) ^ maphash.String(nameSeed, name)
}

// builtInSalt is a bijection: the interval is below 2^45 and the factor is odd.
func builtInSalt(b BuiltIn, interval int64) uint64 {
	return (uint64(interval)<<8 | uint64(b)) * 0x9E3779B97F4A7C15
}
