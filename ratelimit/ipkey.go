package ratelimit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
)

// IPKey counts by the address of the client. A client of IPv6 controls a whole
// subnet, so it is counted by prefix: the value of an IPKey is the length of
// that prefix, 1 to 128 bits. An IPv4-mapped address counts as the IPv4 address.
//
// What the IP detector returns may be no address at all ("unix"): it counts as
// the text it is, or as its hash when it is longer than an address can be.
type IPKey uint8

// IP counts IPv4 by address and IPv6 by /64.
const IP IPKey = 64

// maxIPLength is the length of the longest text of an IP address.
const maxIPLength = 45

// AppendKey appends the address with its tag.
func (k IPKey) AppendKey(_ context.Context, dst []byte, rc *Context) ([]byte, bool, error) {
	text, err := rc.IP()
	if err != nil {
		return dst, false, err
	}
	dst = append(dst, tagIP...)
	if isIPv4(text) {
		return append(dst, text...), true, nil
	}
	return k.appendOther(dst, text), true, nil
}

// NeedsIdentity is false.
func (IPKey) NeedsIdentity() bool { return false }

// Validate refuses a length that no IPv6 prefix has.
func (k IPKey) Validate() error {
	if k < 1 || k > 128 {
		return fmt.Errorf("an IPv6 prefix of %d bits: 1 to 128", k)
	}
	return nil
}

func (k IPKey) appendOther(dst []byte, text string) []byte {
	if len(text) > maxIPLength {
		sum := sha256.Sum256([]byte(text))
		return hex.AppendEncode(append(dst, hashMark...), sum[:])
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return append(dst, text...)
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.AppendTo(dst)
	}
	prefix, err := addr.Prefix(int(k))
	if err != nil { // a length that Validate refuses
		return addr.AppendTo(dst)
	}
	return prefix.AppendTo(dst)
}

// isIPv4 reports whether text is an IPv4 address in its only canonical form,
// which is its own key.
func isIPv4(text string) bool {
	if len(text) < len("0.0.0.0") || len(text) > len("255.255.255.255") {
		return false
	}
	dots, digits, value := 0, 0, 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '.':
			if digits == 0 {
				return false
			}
			dots, digits, value = dots+1, 0, 0
		case c < '0' || c > '9':
			return false
		default:
			if digits > 0 && value == 0 { // a leading zero
				return false
			}
			digits, value = digits+1, value*10+int(c-'0')
			if value > 255 {
				return false
			}
		}
	}
	return dots == 3 && digits > 0
}
