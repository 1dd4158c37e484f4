package ratelimit

import (
	"context"
	"fmt"
	"sync/atomic"
)

// MemoryOptions are the options of a [Memory]. The zero value suits most
// programs.
type MemoryOptions struct {
	// MaxCounters caps the number of counters, at about 50 bytes each; 0: no
	// cap. It is for programs whose clients can make up keys faster than the
	// counters expire; [Memory] tells what it costs. A negative number is a
	// mistake.
	MaxCounters int
}

// Memory is a [Storage] in the memory of this process. It is the fastest one,
// and the right one for a service that runs as one process: several processes
// count apart, and each starts with no counters.
//
// The zero value is ready to use and has no cap. A Memory is safe for concurrent
// use, must not be copied, and has no goroutine and nothing to close. Consume
// does not wait for anything, so it looks at its context only when an algorithm
// that is not built in has to run again.
//
// # Memory used
//
// A counter takes about 50 bytes, however long its key is: of the key, only a
// keyed hash is kept. An unused Memory takes a few bytes, and its first call
// 256 KiB. Tables grow by a tenth, each of thousands of them by itself, so that
// no call takes long.
//
// Expired counters are removed by later calls that save something: a few by each
// call, and all of a table before it grows. A table that has become mostly empty
// shrinks. When no more calls come, what is there stays, until [Memory.Clear].
//
// # Time
//
// The time is that of the requests. A counter lives as long as its algorithm
// asks, on the clock that it was saved by, and up to 66 ms longer. A clock that
// goes back makes it live longer, never shorter. A clock far ahead removes what
// it finds expired, and that does not come back with the right time.
//
// # The cap
//
// With MaxCounters there are never more counters than that. A new counter then
// takes the place of an expired one, or else of the one with the most left. One
// that still refuses keeps its place: nobody gets out of a refusal by making up
// other keys. When only such counters are found, all new keys of a policy share
// one counter, for each algorithm and interval; it has its place beyond the cap.
// The policy is what stands before the first colon of the key. All of this shows
// in [Memory.Stats].
//
// Two things are not exact. The cap is split into parts of 512 counters or more
// (there is one part up to a cap of 1023), and when one is full others are not
// yet: with many parts, expect the first eviction at about 85 percent of the
// cap. And a call looks at 32 counters of a part to make room; what it chooses is
// the best of these.
type Memory struct {
	max    int
	shards atomic.Pointer[shards] // nil until the first call
}

// NewMemory returns an empty Memory.
func NewMemory(o MemoryOptions) *Memory { return &Memory{max: o.MaxCounters} }

// Validate refuses a negative cap. Without that check it is none.
func (m *Memory) Validate() error {
	if m.max < 0 {
		return fmt.Errorf("ratelimit: memory: MaxCounters %d is negative", m.max)
	}
	return nil
}

// Consume decides one request, see [Storage]. A built-in algorithm runs under a
// lock and allocates nothing. Any other runs without the lock, and again when
// the counter has changed meanwhile: it may take its time and it may panic. The
// only errors are a mistake of the program and, before such an algorithm runs
// again, the end of ctx.
func (m *Memory) Consume(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error) {
	if err := t.Validate(); err != nil {
		return Decision{}, err
	}
	if b, ok := a.(BuiltIn); ok {
		id, s := m.started().find(hashKey(key).of(builtInSalt(b, t.Interval)))
		d, full := s.consume(id, b, &t)
		if full {
			d = m.decideShared(hashPolicy(key), b, &t)
		}
		return d, nil
	}
	return m.started().consumeForeign(ctx, key, a, t)
}

// decideShared is for a new counter that there is no room for.
func (m *Memory) decideShared(policy keyHash, b BuiltIn, t *Take) Decision {
	id, s := m.started().overflow(policy.of(builtInSalt(b, t.Interval)))
	d, _ := s.consume(id, b, t)
	return d
}

func (m *Memory) started() *shards {
	if g := m.shards.Load(); g != nil {
		return g
	}
	return m.start()
}

func (m *Memory) start() *shards {
	m.shards.CompareAndSwap(nil, newShards(max(0, m.max)))
	return m.shards.Load()
}

// Clear removes all counters and gives their memory back. Of a request at the
// same time, it is open which comes first. The totals of [MemoryStats] stay.
func (m *Memory) Clear() {
	g := m.shards.Load()
	if g == nil {
		return
	}
	for i := range g.all {
		g.all[i].clear()
	}
	g.shared.clear()
}
