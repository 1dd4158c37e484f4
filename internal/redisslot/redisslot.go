// Package redisslot tells where Redis Cluster keeps a key.
package redisslot

import "strings"

// Count is the number of slots of a cluster.
const Count = 16384

// Of is the slot of a key: the CRC16 (XMODEM) of its hash tag or, without one, of
// the whole key (Redis cluster specification, "Hash tags").
func Of(key string) int {
	var crc uint16
	for _, c := range []byte(tag(key)) {
		crc ^= uint16(c) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return int(crc % Count)
}

// tag is what stands between the first opening brace and the next closing one,
// unless that is nothing.
func tag(key string) string {
	_, rest, opened := strings.Cut(key, "{")
	if inside, _, closed := strings.Cut(rest, "}"); opened && closed && inside != "" {
		return inside
	}
	return key
}
