package ipdetector

import "net/http"

// What stands for a peer that has no IP address. All such peers are one client.
const (
	unixPeer    = "unix"
	unknownPeer = "unknown"
)

// RemoteAddr is the [Detector] that takes the address of the connection and
// reads no header, so no client can forge it. It is the right one for a server
// that clients reach directly. Its zero value is ready to use.
//
// The answer has neither port nor zone, and an IPv4-mapped IPv6 address is given
// as IPv4. It is "unix" for a unix socket or an empty address, and "unknown" for
// another text that is no address.
type RemoteAddr struct{}

// IP is the address of the connection.
func (RemoteAddr) IP(r *http.Request) string { return peerOf(r).text() }

// peerOf is the other end of the connection: a client, or the nearest proxy.
func peerOf(r *http.Request) address {
	if isUnix(r.RemoteAddr) {
		return address{written: unixPeer}
	}
	if peer, ok := parseAddress(r.RemoteAddr); ok {
		return peer
	}
	return address{written: unknownPeer}
}

// isUnix reports whether a RemoteAddr is that of a unix socket. An unnamed peer,
// the usual one, is "@" or "" depending on the system; a named one is "@name"
// or a path.
func isUnix(remoteAddr string) bool {
	return remoteAddr == "" || remoteAddr[0] == '@' || remoteAddr[0] == '/'
}
