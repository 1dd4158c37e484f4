package ratelimit

import (
	"math/bits"
	"slices"
)

// table is a hash table with linear probing: a counter stands at its home or,
// when that was taken, in the first free slot behind it, and no empty slot lies
// between. Homes are in the order of the hashes, so a table can have any length
// and grow in small steps. There are no tombstones.
type table struct {
	slots   []slot
	used    uint32 // slots that are not empty
	hand    uint32 // the slot at which sweep and victim go on
	expired uint64 // total of counters dropped after their lifetime
}

func home(hash uint64, length int) int {
	hi, _ := bits.Mul64(hash, uint64(length))
	return int(hi)
}

// next is the slot behind i; behind the last one is the first.
func (t *table) next(i int) int {
	if i++; i < len(t.slots) {
		return i
	}
	return 0
}

// find returns the slot of a counter, or -1.
func (t *table) find(id counterID) int {
	if len(t.slots) == 0 {
		return -1
	}
	for i := home(id.hash, len(t.slots)); ; i = t.next(i) {
		switch s := &t.slots[i]; {
		case s.is(id):
			return i
		case s.empty():
			return -1
		}
	}
}

// insert returns the slot for a counter that is not in the table, for the
// caller to set.
func (t *table) insert(id counterID, now tick) int {
	if int(t.used) >= maxUsed(len(t.slots)) {
		t.rebuild(now, 1)
	}
	i := t.seat(id.hash, now)
	if t.slots[i].empty() {
		t.used++
	} else {
		t.expired++
	}
	return i
}

// seat is the first slot that a new counter may take.
func (t *table) seat(hash uint64, now tick) int {
	i := home(hash, len(t.slots))
	for !t.slots[i].expired(now) {
		i = t.next(i)
	}
	return i
}

// remove empties a slot and closes the gap: counters behind it move up unless
// they would come to stand before their home.
func (t *table) remove(i int) {
	for j := t.next(i); !t.slots[j].empty(); j = t.next(j) {
		if h := home(t.slots[j].hash, len(t.slots)); t.distance(h, j) >= t.distance(i, j) {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.used--
}

// distance is the number of steps from slot i to slot j.
func (t *table) distance(i, j int) int {
	if j < i {
		j += len(t.slots)
	}
	return j - i
}

// advance returns the slot under the hand and moves the hand on.
func (t *table) advance() int {
	i := int(t.hand)
	if i >= len(t.slots) {
		i = 0
	}
	t.hand = uint32(i + 1)
	return i
}

// sweep looks at the next n slots, drops the expired counters among them, and
// gives memory back when the table has become mostly empty.
func (t *table) sweep(now tick, n int) {
	for range min(n, len(t.slots)) {
		i := t.advance()
		if s := &t.slots[i]; !s.empty() && s.expired(now) {
			t.remove(i)
			t.expired++
		}
	}
	if int(t.used) < len(t.slots)/4 {
		t.rebuild(now, 0)
	}
}

// rebuild drops all expired counters and makes the table as long as the others
// and room more need it. It costs as much as a fraction of the inserts and
// removals that lead to it.
func (t *table) rebuild(now tick, room int) {
	live := 0
	for i := range t.slots {
		if !t.slots[i].expired(now) {
			live++
		}
	}
	t.expired += uint64(int(t.used) - live)
	old := t.slots
	t.slots, t.used, t.hand = makeSlots(live+room), uint32(live), 0
	for i := range old {
		if s := &old[i]; !s.expired(now) {
			t.slots[t.seat(s.hash, now)] = *s
		}
	}
}

// maxUsed is how many slots of a table may be in use: seven eighths. So there
// is always an empty one, at which a search ends.
func maxUsed(length int) int { return length * 7 / 8 }

// makeSlots makes a table that is four fifths full with n counters, so that it
// grows by about a tenth when it has become full.
func makeSlots(n int) []slot {
	if n == 0 {
		return nil
	}
	// Unlike make, growing a slice takes all of the block that the allocator
	// has for that size.
	s := slices.Grow([]slot(nil), n*5/4+3)
	s = s[:cap(s)]
	clear(s)
	return s
}
