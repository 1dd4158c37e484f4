package ratelimit

import "unsafe"

// MemoryStats tells what a [Memory] holds and what became of the rest.
type MemoryStats struct {
	Counters int // kept now; some may have expired and not been removed yet
	Shared   int // counters beyond the cap, each for the new keys of one policy
	Bytes    int // memory taken

	Expired    uint64 // total of counters removed after their lifetime
	Evicted    uint64 // total of counters removed before, to make room
	Overflowed uint64 // total of requests decided by a shared counter
}

// Stats adds up all parts, one after the other, while other calls go on. That
// takes well below a millisecond.
func (m *Memory) Stats() MemoryStats {
	stats := MemoryStats{Bytes: int(unsafe.Sizeof(*m))}
	g := m.shards.Load()
	if g == nil {
		return stats
	}
	stats.Bytes += int(unsafe.Sizeof(*g)) + len(g.all)*int(unsafe.Sizeof(shard{}))
	for i := range g.all {
		stats.Counters += g.all[i].addTo(&stats)
	}
	stats.Shared = g.shared.addTo(&stats)
	stats.Overflowed = g.overflowed.Load()
	return stats
}

func (s *shard) addTo(stats *MemoryStats) (counters int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats.Bytes += len(s.slots) * int(unsafe.Sizeof(slot{}))
	stats.Expired += s.expired
	stats.Evicted += s.evicted
	return int(s.used)
}
