package ipdetector

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Header is the [Detector] for a server behind an edge that overwrites a header
// with the address of the client: X-Real-IP, CF-Connecting-IP, True-Client-IP.
// Make one with [NewHeader]; nil and the zero value trust nobody, and are
// mistakes. It is immutable and safe for concurrent use.
//
// The header counts only when the peer is the edge. The last line wins, as the
// edge writes behind what the client has sent; a value that is not one single
// address is ignored, and then the client is the peer.
//
// Do not use it when the edge passes the header on as it came: then every client
// chooses its address. The addresses of a public edge change, so load them when
// the program starts instead of writing them down.
type Header struct {
	name     string // canonical
	edge     proxies
	mistakes error
}

// NewHeader trusts the header when it comes from the edge, a list as in
// [NewTrustedProxies], which must not be empty either:
//
//	ipdetector.NewHeader("X-Real-IP", "10.0.0.0/8")
//
// Mistakes are kept for [Header.Validate] and trust nobody.
func NewHeader(name string, edge ...string) *Header {
	name = http.CanonicalHeaderKey(name)
	trusted, mistakes := parseProxies(edge)
	if err := checkName(name); err != nil {
		return &Header{mistakes: errors.Join(err, mistakes)}
	}
	return &Header{name: name, edge: trusted, mistakes: mistakes}
}

func checkName(name string) error {
	switch {
	case !httptoken.Is(name):
		return fmt.Errorf("ipdetector: %q is not the name of a header", name)
	case name == xForwardedFor || name == forwarded:
		return fmt.Errorf("ipdetector: header %q is a list of proxies: use NewTrustedProxies", name)
	default:
		return nil
	}
}

// Validate reports every mistake of the configuration: no edge, addresses of it
// that cannot be read, that have a zone or that contain every address, a header
// without a name, and one that is a list.
func (h *Header) Validate() error {
	if h == nil || h.name == "" && h.mistakes == nil {
		return errors.New("ipdetector: a Header that is nil or zero: make it with NewHeader")
	}
	return h.mistakes
}

// IP is the address of the client.
func (h *Header) IP(r *http.Request) string {
	peer := peerOf(r)
	if h == nil {
		return peer.text()
	}
	lines := r.Header[h.name]
	if len(lines) == 0 || !h.edge.trust(peer) {
		return peer.text()
	}
	if client, ok := parseAddress(trimSpace(lines[len(lines)-1])); ok {
		return client.text()
	}
	return peer.text()
}
