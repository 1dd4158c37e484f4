package redisstorage

import (
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/redisslot"
)

// lanes is how many parts of a cluster are told apart when one cannot be
// reached. Neighboring slots are on the same server.
const lanes = 256

// breakers are those of the parts of Redis that fail one without the other.
type breakers struct {
	lanes []breaker   // one for all of Redis, or one for each lane
	ring  *redis.Ring // nil: the client is another one

	mu     sync.Mutex
	shards map[string]*breaker // of the ring, by address
}

// of is the breaker for the part that has the key.
func (b *breakers) of(key string) *breaker {
	switch {
	case b.ring != nil:
		return b.ofShard(key)
	case len(b.lanes) == 1:
		return &b.lanes[0]
	default:
		return &b.lanes[redisslot.Of(key)*lanes/redisslot.Count]
	}
}

// ofShard asks the ring, which moves keys when it leaves out a server.
func (b *breakers) ofShard(key string) *breaker {
	shard, err := b.ring.GetShardClientForKey(key)
	if err != nil {
		return &breaker{} // there is no server to leave alone
	}
	addr := shard.Options().Addr
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.shards[addr]
	if known == nil {
		if b.shards == nil {
			b.shards = map[string]*breaker{}
		}
		known = &breaker{}
		b.shards[addr] = known
	}
	return known
}
