// Package keys makes the keys of limits: as many distinct addresses as needed.
package keys

import (
	"math/rand/v2"
	"strconv"
)

// Most is how many distinct keys there are.
const Most = 1 << 24

// Append appends key i, an address of 10.0.0.0/8. Neighbors are far apart, and
// the factor is odd, so no two of them are the same.
func Append(dst []byte, i int) []byte {
	v := uint32(i) * 0x9E3779B1 % Most
	dst = append(dst, "10"...)
	for shift := 16; shift >= 0; shift -= 8 {
		dst = append(dst, '.')
		dst = strconv.AppendUint(dst, uint64(v>>shift&0xFF), 10)
	}
	return dst
}

// String is key i with memory of its own, as a server makes it for a request.
func String(i int) string {
	var room [16]byte
	return string(Append(room[:0], i))
}

// List are the first n keys. Their bytes lie one behind the other in their order,
// so whoever goes through the list reads them from the cache, and only what it
// looks up with them is at random.
func List(n int) []string {
	all := make([]byte, 0, n*len("10.255.255.255"))
	ends := make([]int, n)
	for i := range n {
		all = Append(all, i)
		ends[i] = len(all)
	}
	text, list, start := string(all), make([]string, n), 0
	for i, end := range ends {
		list[i], start = text[start:end], end
	}
	return list
}

// Order are the numbers from 0 to n-1 in an order of their own, always the same:
// for filling, so that the order of later calls is none of the memory.
func Order(n int) []int {
	return rand.New(rand.NewPCG(1, 2)).Perm(n) //nolint:gosec // an order is no secret
}
