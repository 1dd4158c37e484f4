package ipdetector

import (
	"net/netip"
	"strings"
)

// maxAddress is longer than every address with zone and port, escaped or not.
// What is longer is garbage, and not worth looking at.
const maxAddress = 128

// address is one machine on the way of a request. Its Addr has no zone and is
// never IPv4-mapped; it is the zero Addr for a peer without an IP address.
type address struct {
	netip.Addr
	written string // as it stood in the request
}

// text is the canonical text of the address. It allocates only when the address
// was written otherwise.
func (a address) text() string {
	if !a.IsValid() {
		return a.written
	}
	var buf [len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")]byte
	if canonical := a.AppendTo(buf[:0]); string(canonical) != a.written {
		return string(canonical)
	}
	return a.written
}

// parseAddress reads an address with or without a port: "192.0.2.1",
// "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:80".
func parseAddress(s string) (address, bool) {
	host, port := splitPort(s)
	if port != "" && !isPort(port[1:]) {
		return address{}, false
	}
	return parseHost(host)
}

// parseHost reads an address without a port; IPv6 may stand in brackets. An
// unspecified address belongs to nobody and is refused.
func parseHost(host string) (address, bool) {
	if len(host) > maxAddress {
		return address{}, false
	}
	written, bracketed := cutBrackets(host)
	addr, err := netip.ParseAddr(written)
	if err != nil || bracketed && addr.Is4() {
		return address{}, false
	}
	addr = addr.Unmap().WithZone("")
	return address{addr, written}, !addr.IsUnspecified()
}

func cutBrackets(host string) (inner string, bracketed bool) {
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1], true
	}
	return host, false
}

// splitPort divides "192.0.2.1:80" and "[2001:db8::1]:80"; the port keeps its
// colon, so "" is none. Without brackets the last group of an IPv6 address is
// no port.
func splitPort(s string) (host, port string) {
	colon := strings.LastIndexByte(s, ':')
	switch {
	case colon < 0:
		return s, ""
	case s[0] == '[' && s[colon-1] == ']', strings.IndexByte(s, ':') == colon:
		return s[:colon], s[colon:]
	default:
		return s, ""
	}
}

// isPort is the port of RFC 7239, section 6: one to five digits.
func isPort(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) <= 5
}
