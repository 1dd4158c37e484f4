package ipdetector_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

// requireAddress requires the canonical text of an address.
func requireAddress(t *testing.T, text string) {
	t.Helper()
	addr, err := netip.ParseAddr(text)
	require.NoError(t, err)
	require.Equal(t, addr.Unmap().WithZone("").String(), text)
	require.False(t, addr.IsUnspecified())
}

// FuzzXForwardedFor lets a client write anything in front of what its proxy
// appends: the answer is what the proxy has written.
func FuzzXForwardedFor(f *testing.F) {
	for _, seed := range []string{"", "6.6.6.6", "10.0.0.1", "::1, garbage", "[fe80::1%eth0]:80", ",,\t,", "203.0.113.07", "::ffff:10.0.0.1"} {
		f.Add(seed)
	}
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, sent string) {
		requireAddress(t, detector.IP(request("10.0.0.1:4000", "X-Forwarded-For", sent)))
		for _, list := range [][]string{{sent + ", 203.0.113.7, 10.2.3.4"}, {sent, "203.0.113.7", "10.2.3.4"}} {
			r := request("10.0.0.1:4000")
			r.Header["X-Forwarded-For"] = list
			require.Equal(t, "203.0.113.7", detector.IP(r))
		}
	})
}

// FuzzForwarded does the same for Forwarded, where a malformed field gives the
// peer instead. A field that is well-formed gives what X-Forwarded-For gives.
func FuzzForwarded(f *testing.F) {
	for _, seed := range []string{
		"", "for=6.6.6.6", `for="[::1]:80";by=_x`, `for="`, `x="\"`, ";,;", "for=unknown, for=10.2.3.4", `a="b";a=c`, `for="\1.1.1.1"`,
	} {
		f.Add(seed)
	}
	detector := ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, sent string) {
		requireAddress(t, detector.IP(request("10.0.0.1:4000", "Forwarded", sent)))
		answer := detector.IP(request("10.0.0.1:4000", "Forwarded", sent+", for=203.0.113.7, for=10.2.3.4"))
		require.Contains(t, []string{"203.0.113.7", "10.0.0.1"}, answer)
	})
}

// FuzzListsAgree writes one list of nodes for either header: both walks have one answer.
func FuzzListsAgree(f *testing.F) {
	nodes := []string{"1.2.3.4", "5.6.7.8:80", "10.1.1.1", "10.2.2.2:80", "unknown", "0.0.0.0", "[2001:db8::7]", "[::ffff:10.3.3.3]:80", "1.2.3"}
	for _, seed := range []string{"\x00", "\x02\x03", "\x00\x04\x02", "\x04\x00", "\x05\x07\x02", "\x00\x02\x08"} {
		f.Add([]byte(seed))
	}
	xff := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8")
	fwd := ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8")
	f.Fuzz(func(t *testing.T, picks []byte) {
		var list, elements []string
		for _, pick := range picks {
			node := nodes[int(pick)%len(nodes)]
			list = append(list, node)
			elements = append(elements, `for="`+node+`"`)
		}
		require.Equal(t,
			xff.IP(request("10.0.0.1:4000", "X-Forwarded-For", strings.Join(list, ", "))),
			fwd.IP(request("10.0.0.1:4000", "Forwarded", strings.Join(elements, ", "))))
	})
}
