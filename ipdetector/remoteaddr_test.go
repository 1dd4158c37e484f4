package ipdetector_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

// request comes from remoteAddr with lines of headers: name, value, name, value.
func request(remoteAddr string, lines ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = remoteAddr
	for i := 0; i < len(lines); i += 2 {
		r.Header.Add(lines[i], lines[i+1])
	}
	return r
}

func TestRemoteAddrIsTheAddressOfTheConnection(t *testing.T) {
	tests := []struct {
		name, remoteAddr, want string
	}{
		{"IPv4", "1.2.3.6:52811", "1.2.3.6"}, // TC-062
		{"IPv6", "[2001:db8::7]:443", "2001:db8::7"},
		{"IPv6 with a zone", "[fe80::1%eth0]:443", "fe80::1"},
		{"IPv4-mapped", "[::ffff:1.2.3.4]:443", "1.2.3.4"},
		{"IPv4-mapped in hexadecimal", "[::ffff:102:304]:443", "1.2.3.4"},
		{"IPv6 in another notation", "[2001:DB8:0:0:0:0:0:7]:443", "2001:db8::7"},
		{"IPv4 without a port", "1.2.3.6", "1.2.3.6"},
		{"IPv6 without a port", "2001:db8::7", "2001:db8::7"},
		{"no address", "", "unix"}, // FW-147, TC-059
		{"unix socket", "@", "unix"},
		{"abstract unix socket", "@client", "unix"},
		{"named unix socket", "/run/client.sock", "unix"},
		{"pipe", "pipe", "unknown"},
		{"leading zero", "1.2.3.06:80", "unknown"},
		{"unspecified", "0.0.0.0:80", "unknown"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, ipdetector.RemoteAddr{}.IP(request(test.remoteAddr)))
		})
	}
}

func TestRemoteAddrReadsNoHeader(t *testing.T) {
	names := []string{
		"Client-Ip",       // TC-060
		"X-Forwarded-For", // TC-061
		"Forwarded", "X-Real-Ip", "True-Client-Ip", "CF-Connecting-IP", "X-Client-Ip", "X-Forwarded",
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			r := request("203.0.113.9:4000", name, "1.2.3.4", name, "for=1.2.3.5")
			require.Equal(t, "203.0.113.9", ipdetector.RemoteAddr{}.IP(r)) // RL-306, FW-146
		})
	}
}

// A client that sends another X-Forwarded-For with every request stays one
// client, and one that sends the address of a victim stays itself.
func TestAnUntrustedPeerCannotChooseItsAddress(t *testing.T) {
	detectors := map[string]ipdetector.Detector{
		"RemoteAddr":      ipdetector.RemoteAddr{},
		"X-Forwarded-For": ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8"),
		"Forwarded":       ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8"),
		"Header":          ipdetector.NewHeader("X-Real-IP", "10.0.0.0/8"),
	}
	for name, detector := range detectors {
		t.Run(name, func(t *testing.T) {
			for i := range 12 {
				forged := "6.6.6." + strconv.Itoa(i)
				r := request("203.0.113.9:4000", "X-Forwarded-For", forged, "Forwarded", "for="+forged, "X-Real-Ip", forged)
				require.Equal(t, "203.0.113.9", detector.IP(r)) // peer 47, peer-fw 22
			}
		})
	}
}

func TestStaticTellsTheSameAddress(t *testing.T) {
	r := request("203.0.113.9:4000", "X-Forwarded-For", "6.6.6.6")
	require.Equal(t, "1.2.3.4", ipdetector.Static("1.2.3.4").IP(r)) // FW-145
}

func TestUsualAddressesDoNotAllocate(t *testing.T) {
	xff := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8")
	fwd := ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8")
	tests := []struct {
		name     string
		detector ipdetector.Detector
		request  *http.Request
	}{
		{"RemoteAddr IPv4", ipdetector.RemoteAddr{}, request("203.0.113.9:4000")},
		{"RemoteAddr IPv6", ipdetector.RemoteAddr{}, request("[2001:db8::7]:4000")},
		{"RemoteAddr unix", ipdetector.RemoteAddr{}, request("@")},
		{"X-Forwarded-For", xff, request("10.0.0.1:4000", "X-Forwarded-For", "1.1.1.1, 203.0.113.7, 10.2.3.4")},
		{"Forwarded", fwd, request("10.0.0.1:4000", "Forwarded", `for="[2001:db8::7]:4711";proto=https;by=10.0.0.1`)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Zero(t, testing.AllocsPerRun(100, func() { test.detector.IP(test.request) }))
		})
	}
}
