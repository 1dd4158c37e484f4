// Package ipdetector finds out which client a request comes from.
//
// Headers such as X-Forwarded-For are written by whoever sends the request, so
// an address from them counts only when a proxy that you run has written it.
// [RemoteAddr], the default, trusts no header at all. Behind a reverse proxy or
// a load balancer use [TrustedProxies], or all clients share its address. Use
// [Header] when an edge overwrites a header of its own, such as
// CF-Connecting-IP. Any other trust in headers is the business of a Detector of
// your own.
package ipdetector

import "net/http"

// A Detector tells the address of the client. Implementations
//   - are safe for concurrent use;
//   - answer without I/O: they run for every limited request;
//   - decide by themselves which headers to trust;
//   - return the address as text without port and zone where there is one, and
//     a short fixed text otherwise ("unix" for a unix socket).
type Detector interface {
	IP(r *http.Request) string
}

// Static is a [Detector] for tests: it tells the same address for every request.
type Static string

// IP is the text of s.
func (s Static) IP(*http.Request) string { return string(s) }
