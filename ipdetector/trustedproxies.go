package ipdetector

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// The headers that proxies append to, in canonical form.
const (
	xForwardedFor = "X-Forwarded-For"
	forwarded     = "Forwarded"
)

// maxHops is how many members of a list are read at most, from the right. No
// request comes through more proxies; a hostile one may say so.
const maxHops = 32

// TrustedProxies is the [Detector] for a server behind reverse proxies or load
// balancers that append to X-Forwarded-For or to Forwarded (RFC 7239). Make one
// with [NewTrustedProxies]; nil and the zero value trust nobody, and are mistakes.
// It is immutable and safe for concurrent use.
//
// The header counts only when the peer is one of the proxies. All its lines are
// one list, which is read from the right, as every proxy adds its own peer at
// the end:
//   - an address of one of the proxies: go on to the left;
//   - any other address is the client;
//   - what is no address ends the list, and the client is the last proxy that
//     was seen, so that nobody gets past a limit with nonsense.
//
// When all are proxies, the leftmost is the client. Addresses left of the client
// are never looked at: the client may have written them. More than 32 hops are
// not followed: the list ends there.
//
// A Forwarded header that breaks the grammar of its RFC counts as absent, since
// an open quote of the client can swallow what a proxy has appended.
//
// To verify a set-up send X-Forwarded-For: 6.6.6.6 through the proxy: the log
// must show your own address.
type TrustedProxies struct {
	header   string // canonical
	proxies  proxies
	mistakes error
}

// NewTrustedProxies trusts one header when it comes from the proxies:
//
//	ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8", "192.168.1.1")
//	ipdetector.NewTrustedProxies("Forwarded", "2001:db8::/48")
//
// An empty header is X-Forwarded-For. Choose the one that your proxies append
// to, and let them remove the other: a header that nobody checks must not count.
//
// A proxy is an address, a prefix, or "unix" for whoever connects to a unix
// socket. None at all is a mistake: without proxies use [RemoteAddr]. Mistakes
// are kept for [TrustedProxies.Validate] and trust nobody.
func NewTrustedProxies(header string, proxies ...string) *TrustedProxies {
	if header == "" {
		header = xForwardedFor
	}
	header = http.CanonicalHeaderKey(header)
	trusted, mistakes := parseProxies(proxies)
	if header != xForwardedFor && header != forwarded {
		unknown := fmt.Errorf("ipdetector: header %q is no list of proxies: write %q or %q, or use NewHeader",
			header, xForwardedFor, forwarded)
		return &TrustedProxies{mistakes: errors.Join(unknown, mistakes)}
	}
	return &TrustedProxies{header: header, proxies: trusted, mistakes: mistakes}
}

// Validate reports every mistake of the configuration: no proxies, proxies that
// cannot be read, that have a zone or that contain every address, and an unknown
// header.
func (t *TrustedProxies) Validate() error {
	if t == nil || t.header == "" && t.mistakes == nil {
		return errors.New("ipdetector: a TrustedProxies that is nil or zero: make it with NewTrustedProxies")
	}
	return t.mistakes
}

// IP is the address of the client.
func (t *TrustedProxies) IP(r *http.Request) string {
	peer := peerOf(r)
	switch {
	case t == nil || !t.proxies.trust(peer):
		return peer.text()
	case t.header == forwarded:
		return t.proxies.walkForwarded(peer, r.Header[forwarded]).text()
	default:
		return t.proxies.walkXForwardedFor(peer, r.Header[xForwardedFor]).text()
	}
}

// walkXForwardedFor reads the list from its right end and no further than the
// client, so a long header of a client costs nothing.
func (p *proxies) walkXForwardedFor(peer address, lines []string) address {
	nearest, members := peer, 0
	for i := len(lines) - 1; i >= 0; i-- {
		for list, member := lines[i], ""; list != "" && members < maxHops; members++ {
			list, member = cutLast(list)
			if member == "" {
				continue // RFC 9110, section 5.6.1.2: empty members do not count
			}
			hop, ok := parseAddress(member)
			if !ok {
				return nearest
			}
			if !p.trust(hop) {
				return hop
			}
			nearest = hop
		}
	}
	return nearest
}

// cutLast takes the last member off a comma-separated list.
func cutLast(list string) (rest, member string) {
	comma := strings.LastIndexByte(list, ',')
	return list[:max(comma, 0)], trimSpace(list[comma+1:])
}
