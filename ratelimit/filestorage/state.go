package filestorage

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// stored is what the file of a counter holds.
type stored struct {
	state   ratelimit.State
	expires int64 // microseconds since the Unix epoch
}

// A file is a magic text with a version, the three words of the state, the
// expiry, and a CRC-32C of all that stands before it; numbers are big endian.
const (
	magic     = "sprl\x00\x00\x00\x01"
	checksum  = len(magic) + 4*8
	stateSize = checksum + 4
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errBroken  = errors.New("it holds no state of this version")
)

func (s stored) encode() []byte {
	b := append(make([]byte, 0, stateSize), magic...)
	for _, word := range [...]int64{s.state[0], s.state[1], s.state[2], s.expires} {
		b = binary.BigEndian.AppendUint64(b, uint64(word))
	}
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decode(b []byte) (s stored, err error) {
	if len(b) != stateSize || string(b[:len(magic)]) != magic ||
		binary.BigEndian.Uint32(b[checksum:]) != crc32.Checksum(b[:checksum], castagnoli) {
		return stored{}, errBroken
	}
	word := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[len(magic)+8*i:])) }
	return stored{ratelimit.State{word(0), word(1), word(2)}, word(3)}, nil
}

// at is the state that counts at a time: none after the expiry.
func (s stored) at(now int64) ratelimit.State {
	if s.expires <= now {
		return ratelimit.State{}
	}
	return s.state
}

// end is now + ttl, or the end of time.
func end(now, ttl int64) int64 {
	if ttl > math.MaxInt64-now {
		return math.MaxInt64
	}
	return now + ttl
}
