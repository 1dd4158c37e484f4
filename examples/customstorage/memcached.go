package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// memcached is a ratelimit.Storage on Memcached. It is exact, since a state is
// only replaced when nobody else has replaced it meanwhile. It forgets when
// Memcached does: when it restarts, and when its memory is full.
type memcached struct {
	client *memcache.Client
	prefix string // of its items, for a server that others use, too
}

// newMemcached does not connect yet. The timeout is that of one step: to connect,
// to read, to write. The client knows no context, so keep it well below the
// budget of a gate.
func newMemcached(addr, prefix string, timeout time.Duration) memcached {
	client := memcache.New(addr)
	client.Timeout = timeout
	client.MaxIdleConns = 100 // requests at the same time that need no new connection
	return memcached{client, prefix}
}

// Consume implements ratelimit.Storage.
func (m memcached) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	if err := t.Validate(); err != nil {
		return ratelimit.Decision{}, err
	}
	name := m.itemKey(ratelimit.CounterName(key, a, t))
	for ctx.Err() == nil {
		item, err := m.load(name)
		if err != nil {
			return ratelimit.Decision{}, ratelimit.Unavailable(err)
		}
		o := a.Step(stateIn(item), t)
		if o.TTL <= 0 {
			return o.Decision, nil
		}
		saved, err := m.save(name, item, o)
		if err != nil {
			return ratelimit.Decision{}, ratelimit.Unavailable(err)
		}
		if saved {
			return o.Decision, nil
		}
	}
	return ratelimit.Decision{}, ctx.Err()
}

// load returns nil for an item that is not there. A read that has failed is no
// such thing: taken for a new counter, an outage would be a full quota.
func (m memcached) load(name string) (*memcache.Item, error) {
	item, err := m.client.Get(name)
	if errors.Is(err, memcache.ErrCacheMiss) {
		return nil, nil
	}
	return item, err
}

// save replaces the item that was loaded. saved is false when it is not there any
// more as it was. A write that has failed is an error, as nothing was counted.
func (m memcached) save(name string, loaded *memcache.Item, o ratelimit.Outcome) (saved bool, err error) {
	item := &memcache.Item{Key: name, Value: encode(o.State), Expiration: expiration(o.TTL, time.Now())}
	write := m.client.Add
	if loaded != nil {
		item.CasID = loaded.CasID
		write = m.client.CompareAndSwap
	}
	err = write(item)
	for _, lost := range []error{memcache.ErrCASConflict, memcache.ErrNotStored, memcache.ErrCacheMiss} {
		if errors.Is(err, lost) {
			return false, nil
		}
	}
	return err == nil, err
}

// itemKey makes a key of any bytes one that Memcached takes: 250 bytes at most,
// without spaces and control characters.
func (m memcached) itemKey(counter string) string {
	sum := sha256.Sum256([]byte(counter))
	return m.prefix + hex.EncodeToString(sum[:])
}

// stateIn is the zero State, which is none, for an item that is not there or
// that somebody else has written.
func stateIn(item *memcache.Item) (s ratelimit.State) {
	if item == nil || len(item.Value) != binary.Size(s) {
		return s
	}
	for i := range s {
		s[i] = int64(binary.BigEndian.Uint64(item.Value[8*i:]))
	}
	return s
}

func encode(s ratelimit.State) (value []byte) {
	for _, word := range s {
		value = binary.BigEndian.AppendUint64(value, uint64(word))
	}
	return value
}

// relative is the longest lifetime that Memcached takes as seconds from now. More
// than that is the time of the end, in seconds since 1970: a lifetime of 31 days
// would end in 1970, and the item would be gone at once.
const relative = 30 * 24 * 60 * 60

// expiration is a lifetime in microseconds as Memcached wants it. It counts in
// seconds of its own clock, so that the first one may be cut short: one is added.
// A time beyond the 32 bits of the protocol is 0, which is never.
func expiration(ttl int64, now time.Time) int32 {
	const second = 1_000_000
	seconds := (ttl+second-1)/second + 1
	if seconds > relative {
		seconds += now.Unix()
	}
	if seconds > math.MaxInt32 {
		return 0
	}
	return int32(seconds)
}
