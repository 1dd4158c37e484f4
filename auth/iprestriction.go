package auth

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"unicode"

	"github.com/sallyport-go/sallyport/api"
)

// IPRestriction tells from which addresses a token may be used. The zero value
// allows none, so its token is disabled. It is immutable and safe for concurrent
// use.
type IPRestriction struct {
	anywhere bool
	prefixes []netip.Prefix
}

// AnyIP allows every address.
func AnyIP() IPRestriction { return IPRestriction{anywhere: true} }

// ParseIPRestriction reads a list of addresses and prefixes, IPv4 and IPv6 without
// zones, divided by commas, semicolons or white space:
//
//	192.0.2.1, 10.0.0.0/8; 2001:db8::/32
//
// The entry "*" allows every client, and so does the empty text. What disables a
// token is the zero IPRestriction: take that for a NULL in a database.
//
// The error names the entries that cannot be read by their number, and never by
// their text, which may be a token in the wrong place. The restriction beside it
// has the entries that can be read.
func ParseIPRestriction(text string) (IPRestriction, error) {
	if text == "" {
		return AnyIP(), nil
	}
	entries := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	if len(entries) == 0 {
		return IPRestriction{}, errors.New("the IP restriction has no entry")
	}
	var restriction IPRestriction
	var wrong []string
	for i, entry := range entries {
		if entry == "*" {
			restriction.anywhere = true
		} else if prefix, ok := parsePrefix(entry); ok {
			restriction.prefixes = append(restriction.prefixes, prefix)
		} else {
			wrong = append(wrong, strconv.Itoa(i+1))
		}
	}
	if wrong != nil {
		return restriction, fmt.Errorf("the IP restriction has entries that are neither an address nor a prefix: number %s",
			strings.Join(wrong, ", "))
	}
	return restriction, nil
}

// parsePrefix reads a prefix or a single address. IPv4-mapped addresses are IPv4.
// A zone is refused: detectors tell none, so it would be that of every link.
func parsePrefix(entry string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(entry); err == nil {
		zone := addr.Zone()
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), zone == ""
	}
	prefix, err := netip.ParsePrefix(entry)
	if err != nil {
		return netip.Prefix{}, false
	}
	if addr := prefix.Addr(); addr.Is4In6() {
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96) // not valid for less than 96
	}
	return prefix.Masked(), prefix.IsValid()
}

// Allows reports whether a client may use the token. One that has no IP address
// matches no entry but "*".
func (r IPRestriction) Allows(ip string) bool {
	if r.anywhere {
		return true
	}
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	addr = addr.Unmap().WithZone("")
	for _, prefix := range r.prefixes {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}

// enabled reports whether any address is allowed.
func (r IPRestriction) enabled() bool { return r.anywhere || len(r.prefixes) > 0 }

// allowsClient is Allows for the client of a request, whose address is not
// needed when every client gets the same answer.
func (r IPRestriction) allowsClient(request *api.Request) (bool, error) {
	if r.anywhere || !r.enabled() {
		return r.anywhere, nil
	}
	ip, err := request.ClientIP()
	return err == nil && r.Allows(ip), err
}
