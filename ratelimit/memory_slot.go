package ratelimit

// slot is one counter. It holds no pointer, so the garbage collector never
// looks into a table, however many clients there are.
type slot struct {
	hash  uint64
	meta  uint64 // from the top: tag, expiry, mark; 0: the slot is empty
	state State
}

// counterID tells the counters of a shard apart, see [shards.identify].
type counterID struct {
	hash uint64
	tag  uint64 // tagBits of them
}

const (
	tagBits    = 20
	expiryBits = 38
	markBits   = 64 - tagBits - expiryBits

	tagShift   = 64 - tagBits
	tagMask    = 1<<tagBits - 1
	expiryMask = 1<<expiryBits - 1
	markMask   = 1<<markBits - 1
)

func (s *slot) is(id counterID) bool {
	return s.hash == id.hash && s.meta>>tagShift == id.tag && !s.empty()
}

func (s *slot) empty() bool { return s.meta == 0 }

// expiry is the tick from which the counter is gone. It is never 0.
func (s *slot) expiry() tick { return tick(s.meta >> markBits & expiryMask) }

// expired is true of an empty slot, too: a new counter may take it.
func (s *slot) expired(now tick) bool { return s.expiry() <= now }

// mark is for eviction, see [usedMark].
func (s *slot) mark() uint64 { return s.meta & markMask }

// set fills the slot. The words are copied one by one: a wide copy would wait
// for the single words that an algorithm has just written.
func (s *slot) set(id counterID, expiry tick, mark uint64, state *State) {
	s.hash, s.meta = id.hash, id.tag<<tagShift|uint64(expiry)<<markBits|mark
	s.state[0], s.state[1], s.state[2] = state[0], state[1], state[2]
}

// tick is a time as a slot keeps it: coarse, to fit into expiryBits. The present
// is rounded down and the future is rounded up, so a counter may live up to one
// tick longer than asked, never shorter.
type tick uint64

const (
	tickShift = 16
	tickSize  = 1 << tickShift          // 65,536 µs
	lastTick  = expiryMask << tickShift // far behind the latest time of a Take
)

func tickOf(now int64) tick { return tick(now >> tickShift) }

// tickAfter is the first tick that begins at now+wait or later. It saturates.
func tickAfter(now, wait int64) tick {
	end := now + min(wait, lastTick-now)
	return tick((end + tickSize - 1) >> tickShift)
}
