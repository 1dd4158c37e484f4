// Package httpuri tells URIs of the web from other text.
package httpuri

import (
	"net/netip"
	"strings"
)

// Is reports whether text is an absolute URI of http or https as RFC 3986 writes
// it: ASCII alone, everything else escaped, with a host. One with a user and a
// password is none (RFC 9110, section 4.2.4), nor is one with escapes in the host.
// Such a text has no characters that could end it between "<" and ">" or in quotes.
func Is(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	switch strings.ToLower(scheme) {
	case "http", "https":
	default:
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	return isAuthority(authority) && consists(path, ":@/") && consists(query, ":@/?") && consists(fragment, ":@/?")
}

// isAuthority has no "@", so no user either (section 3.2).
func isAuthority(text string) bool {
	if address, ok := strings.CutPrefix(text, "["); ok {
		address, port, ok := strings.Cut(address, "]")
		ip, err := netip.ParseAddr(address)
		return ok && err == nil && ip.Is6() && ip.Zone() == "" && (port == "" || port[0] == ':' && isPort(port[1:]))
	}
	host, port, _ := strings.Cut(text, ":")
	return host != "" && !strings.Contains(host, "%") && consists(host, "") && isPort(port)
}

func isPort(text string) bool { return strings.Trim(text, "0123456789") == "" }

// consists reports whether text has unreserved characters, sub-delims, some more
// and escapes alone (section 2).
func consists(text, more string) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("-._~!$&'()*+,;=", c) >= 0, strings.IndexByte(more, c) >= 0:
		case c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
