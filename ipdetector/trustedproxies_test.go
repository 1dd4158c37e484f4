package ipdetector_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

func TestXForwardedForIsReadFromTheRight(t *testing.T) {
	proxies := []string{"10.0.0.0/8", "192.168.1.1", "2001:db8:ff::/48", "::ffff:172.16.0.0/108", "fd00::1"}
	tests := []struct {
		name, remoteAddr string
		lines            []string
		want             string
	}{
		{"untrusted peer", "203.0.113.9:4000", []string{"6.6.6.6"}, "203.0.113.9"}, // RL-307
		{"peer in a prefix", "10.1.2.3:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"peer as a single address", "192.168.1.1:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"peer beside a single address", "192.168.1.2:4000", []string{"203.0.113.7"}, "192.168.1.2"},
		{"peer IPv4-mapped", "[::ffff:10.1.2.3]:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"peer in a prefix written IPv4-mapped", "172.16.5.5:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"peer IPv6 with a zone", "[fd00::1%eth0]:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"peer on a unix socket that is not listed", "@", []string{"203.0.113.7"}, "unix"},
		{"two clients behind an unlisted proxy, one", "172.32.0.1:4000", []string{"203.0.113.7"}, "172.32.0.1"},       // RL-017
		{"two clients behind an unlisted proxy, other", "172.32.0.1:4000", []string{"203.0.113.8"}, "172.32.0.1"},     // RL-017
		{"two clients behind a listed proxy, one", "10.0.0.1:4000", []string{"203.0.113.7"}, "203.0.113.7"},           // RL-017
		{"two clients behind a listed proxy, other", "10.0.0.1:4000", []string{"203.0.113.8"}, "203.0.113.8"},         // RL-017
		{"forged on the left", "10.0.0.1:4000", []string{"6.6.6.6, 203.0.113.7, 10.2.3.4"}, "203.0.113.7"},            // RL-308
		{"forged garbage on the left", "10.0.0.1:4000", []string{`";,x y, 203.0.113.7, 10.2.3.4`}, "203.0.113.7"},     // RL-308
		{"forged proxy on the left", "10.0.0.1:4000", []string{"10.9.9.9, 203.0.113.7"}, "203.0.113.7"},               // RL-308
		{"garbage between proxies", "10.0.0.1:4000", []string{"203.0.113.7, garbage, 10.2.3.4"}, "10.2.3.4"},          // RL-308
		{"several lines", "10.0.0.1:4000", []string{"6.6.6.6", "203.0.113.7", "10.2.3.4,192.168.1.1"}, "203.0.113.7"}, // peer-fw 22
		{"empty lines", "10.0.0.1:4000", []string{"203.0.113.7", "", " , "}, "203.0.113.7"},
		{"only empty members", "10.0.0.1:4000", []string{",, ,"}, "10.0.0.1"},
		{"all proxies over two lines", "10.0.0.1:4000", []string{"10.3.3.3", "10.2.2.2"}, "10.3.3.3"},
		{"IPv4 with a port", "10.0.0.1:4000", []string{"203.0.113.7:51000"}, "203.0.113.7"},
		{"IPv6 in brackets", "10.0.0.1:4000", []string{"[2001:db8::7]"}, "2001:db8::7"},
		{"IPv4-mapped client", "10.0.0.1:4000", []string{"::ffff:203.0.113.7"}, "203.0.113.7"}, // peer-fw 22
		{"IPv4-mapped proxy", "10.0.0.1:4000", []string{"203.0.113.7, ::ffff:10.2.3.4"}, "203.0.113.7"},
		{"zone", "10.0.0.1:4000", []string{"fe80::1%25eth0"}, "fe80::1"}, // peer-fw 22
		{"IPv4 in brackets", "10.0.0.1:4000", []string{"[203.0.113.7]:80"}, "10.0.0.1"},
		{"port that is no number", "10.0.0.1:4000", []string{"203.0.113.7:http"}, "10.0.0.1"},
		{"empty port", "10.0.0.1:4000", []string{"203.0.113.7:"}, "10.0.0.1"},
		{"port that is too long", "10.0.0.1:4000", []string{"203.0.113.7:123456"}, "10.0.0.1"},
		{"only a port", "10.0.0.1:4000", []string{":80"}, "10.0.0.1"},
		{"open bracket", "10.0.0.1:4000", []string{"[2001:db8::7"}, "10.0.0.1"},
		{"text behind the bracket", "10.0.0.1:4000", []string{"[2001:db8::7]x:80"}, "10.0.0.1"},
		{"in quotes", "10.0.0.1:4000", []string{`"203.0.113.7"`}, "10.0.0.1"},
		{"IPv6 unspecified", "10.0.0.1:4000", []string{"::"}, "10.0.0.1"},
		{"IPv4-mapped unspecified", "10.0.0.1:4000", []string{"::ffff:0.0.0.0"}, "10.0.0.1"},
		{"the word for a unix socket", "10.0.0.1:4000", []string{"203.0.113.7, unix"}, "10.0.0.1"},
	}
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", proxies...)
	require.NoError(t, detector.Validate())
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request(test.remoteAddr, "Forwarded", "for=9.9.9.9")
			r.Header["X-Forwarded-For"] = test.lines
			before := r.Clone(r.Context())
			require.Equal(t, test.want, detector.IP(r))
			require.Equal(t, before, r, "the request must stay as it is") // peer-fw 22
		})
	}
}

func TestAPeerOnAUnixSocketIsTrustedWhenListed(t *testing.T) {
	detector := ipdetector.NewTrustedProxies("", "unix")
	require.NoError(t, detector.Validate())
	require.Equal(t, "203.0.113.7", detector.IP(request("@", "X-Forwarded-For", "203.0.113.7")))
	require.Equal(t, "unix", detector.IP(request("@", "X-Forwarded-For", "garbage")))
	require.Equal(t, "unknown", detector.IP(request("pipe", "X-Forwarded-For", "203.0.113.7")))
}

func TestOnlyTheConfiguredHeaderCounts(t *testing.T) {
	r := request("10.0.0.1:4000", "X-Forwarded-For", "203.0.113.1", "Forwarded", "for=203.0.113.2", "X-Real-Ip", "203.0.113.3")
	tests := []struct{ header, want string }{
		{"", "203.0.113.1"},
		{"X-Forwarded-For", "203.0.113.1"},
		{"x-forwarded-for", "203.0.113.1"},
		{"Forwarded", "203.0.113.2"},
		{"FORWARDED", "203.0.113.2"},
	}
	for _, test := range tests {
		t.Run(test.header, func(t *testing.T) {
			detector := ipdetector.NewTrustedProxies(test.header, "10.0.0.0/8")
			require.NoError(t, detector.Validate())
			require.Equal(t, test.want, detector.IP(r))
		})
	}
}

func TestADetectorThatNobodyMade(t *testing.T) {
	type detector interface {
		ipdetector.Detector
		Validate() error
	}
	r := request("[fe80::1%eth0]:4000", "X-Forwarded-For", "203.0.113.7", "", "203.0.113.7")
	for name, row := range map[string]struct {
		detector detector
		want     string
	}{
		"zero TrustedProxies": {&ipdetector.TrustedProxies{}, "ipdetector: a TrustedProxies that is nil or zero: make it with NewTrustedProxies"},
		"nil TrustedProxies":  {(*ipdetector.TrustedProxies)(nil), "ipdetector: a TrustedProxies that is nil or zero: make it with NewTrustedProxies"},
		"zero Header":         {&ipdetector.Header{}, "ipdetector: a Header that is nil or zero: make it with NewHeader"},
		"nil Header":          {(*ipdetector.Header)(nil), "ipdetector: a Header that is nil or zero: make it with NewHeader"},
	} {
		t.Run(name, func(t *testing.T) {
			require.EqualError(t, row.detector.Validate(), row.want)
			require.Equal(t, ipdetector.RemoteAddr{}.IP(r), row.detector.IP(r))
		})
	}
}

func TestTrustedProxiesReportsEveryMistake(t *testing.T) {
	const (
		form   = `: write an address ("192.0.2.1") or a prefix ("10.0.0.0/8"), both without a zone, or "unix"`
		choose = ": any client could choose its address"
	)
	detector := ipdetector.NewTrustedProxies("X-Real-IP", "10.0.0.0/8", "", "proxy", "10.0.0.0/33", "10.0.0.1/", "10.0.0.01",
		"fe80::/10%eth0", "fe80::1%eth0", "0.0.0.0/0", "1.2.3.4/0", "::/0", "::ffff:0:0/96", "::ffff:0:0/90", " 10.0.0.1")
	require.EqualError(t, detector.Validate(), strings.Join([]string{
		`ipdetector: header "X-Real-Ip" is no list of proxies: write "X-Forwarded-For" or "Forwarded", or use NewHeader`,
		`ipdetector: proxy ""` + form,
		`ipdetector: proxy "proxy"` + form,
		`ipdetector: proxy "10.0.0.0/33"` + form,
		`ipdetector: proxy "10.0.0.1/"` + form,
		`ipdetector: proxy "10.0.0.01"` + form,
		`ipdetector: proxy "fe80::/10%eth0"` + form,
		`ipdetector: proxy "fe80::1%eth0"` + form,
		`ipdetector: proxy "0.0.0.0/0"` + choose,
		`ipdetector: proxy "1.2.3.4/0"` + choose,
		`ipdetector: proxy "::/0"` + choose,
		`ipdetector: proxy "::ffff:0:0/96"` + choose,
		`ipdetector: proxy "::ffff:0:0/90": write IPv4 and IPv6 as two prefixes`,
		`ipdetector: proxy " 10.0.0.1"` + form,
	}, "\n"))
}

func TestTrustedProxiesWithoutProxies(t *testing.T) {
	const none = "ipdetector: there is no proxy to trust: name one, or use RemoteAddr"
	require.EqualError(t, ipdetector.NewTrustedProxies("").Validate(), none)
	require.EqualError(t, ipdetector.NewTrustedProxies("Forwarded").Validate(), none)
	require.EqualError(t, ipdetector.NewTrustedProxies("10.0.0.0/8").Validate(),
		`ipdetector: header "10.0.0.0/8" is no list of proxies: write "X-Forwarded-For" or "Forwarded", or use NewHeader`+"\n"+none)
}

func TestAMistakeTrustsNobody(t *testing.T) {
	r := request("10.0.0.1:4000", "X-Forwarded-For", "203.0.113.7", "X-Real-Ip", "203.0.113.7")
	require.Equal(t, "10.0.0.1", ipdetector.NewTrustedProxies("X-Real-IP", "10.0.0.0/8").IP(r))
	require.Equal(t, "10.0.0.1", ipdetector.NewTrustedProxies("", "0.0.0.0/0").IP(r))
	require.Equal(t, "10.0.0.1", ipdetector.NewTrustedProxies("10.0.0.0/8").IP(r))
	require.Equal(t, "10.0.0.1", ipdetector.NewHeader("X-Forwarded-For", "10.0.0.0/8").IP(r))
}

// What a client sends in front of the proxy's own entry changes nothing, however
// long it is.
func TestALongHeaderOfAClientChangesNothing(t *testing.T) {
	const megabyte = 1 << 20
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8")
	for _, junk := range []string{",", "6", "6.6.6.6,", "10.0.0.1,", " ", "[", "fe80::1%"} {
		t.Run(junk, func(t *testing.T) {
			r := request("10.0.0.1:4000", "X-Forwarded-For", strings.Repeat(junk, megabyte/len(junk))+", 203.0.113.7")
			require.Equal(t, "203.0.113.7", detector.IP(r))
			require.Zero(t, testing.AllocsPerRun(1, func() { detector.IP(r) }))
		})
	}
}

// A list that names proxies without end is not followed without end.
func TestALongListOfProxiesEnds(t *testing.T) {
	list := func(format string, proxies int) string {
		members := make([]string, proxies+1)
		members[0] = fmt.Sprintf(format, "203.0.113.7")
		for i := range proxies {
			members[i+1] = fmt.Sprintf(format, "10.0.1."+strconv.Itoa(proxies-i))
		}
		return strings.Join(members, ", ")
	}
	for header, format := range map[string]string{"X-Forwarded-For": "%s", "Forwarded": "for=%s"} {
		t.Run(header, func(t *testing.T) {
			detector := ipdetector.NewTrustedProxies(header, "10.0.0.0/8")
			require.Equal(t, "203.0.113.7", detector.IP(request("10.0.0.1:4000", header, list(format, 31))))
			require.Equal(t, "10.0.1.32", detector.IP(request("10.0.0.1:4000", header, list(format, 32))))
			require.Equal(t, "10.0.1.32", detector.IP(request("10.0.0.1:4000", header, list(format, 200))))
		})
	}
}

func TestADetectorServesRequestsConcurrently(t *testing.T) {
	detectors := []ipdetector.Detector{
		ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8"),
		ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8"),
		ipdetector.NewHeader("X-Real-IP", "10.0.0.0/8"),
	}
	var wg sync.WaitGroup
	for _, ip := range []string{"203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"} {
		wg.Go(func() {
			r := request("10.0.0.1:4000", "X-Forwarded-For", ip, "Forwarded", "for="+ip, "X-Real-Ip", ip)
			for range 100 {
				for _, detector := range detectors {
					if got := detector.IP(r); got != ip {
						t.Errorf("got %s, want %s", got, ip)
					}
				}
			}
		})
	}
	wg.Wait()
}
