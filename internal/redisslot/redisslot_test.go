package redisslot_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redisslot"
)

func TestOf(t *testing.T) { // RL-161
	for key, slot := range map[string]int{
		"":                          0,
		"123456789":                 0x31C3, // the check value of the CRC
		"{123456789}:a":             0x31C3,
		"rl:{123456789}:b":          0x31C3,
		"{123456789}{other}":        0x31C3, // the first one
		"rl:{perIp:203.0.113.7}:a":  13236,
		"rl:{perIp:203.0.113.7}:b}": 13236,
		"foo{}{bar}":                8363, // an empty tag is none
		"foo{{bar}}zap":             4015,
	} {
		require.Equal(t, slot, redisslot.Of(key), key)
	}
}
