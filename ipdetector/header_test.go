package ipdetector_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

func TestHeaderIsReadFromTheEdgeAlone(t *testing.T) {
	tests := []struct {
		name, remoteAddr string
		lines            []string
		want             string
	}{
		{"from the edge", "10.0.0.1:4000", []string{"203.0.113.7"}, "203.0.113.7"},
		{"from elsewhere", "203.0.113.9:4000", []string{"203.0.113.7"}, "203.0.113.9"},
		{"missing", "10.0.0.1:4000", nil, "10.0.0.1"},
		{"last line", "10.0.0.1:4000", []string{"1.2.3.4", "203.0.113.7"}, "203.0.113.7"},
		{"last line empty", "10.0.0.1:4000", []string{"1.2.3.4", ""}, "10.0.0.1"},
		{"a list", "10.0.0.1:4000", []string{"1.2.3.4, 203.0.113.7"}, "10.0.0.1"},
		{"white space", "10.0.0.1:4000", []string{"\t203.0.113.7 "}, "203.0.113.7"},
		{"a port", "10.0.0.1:4000", []string{"203.0.113.7:51000"}, "203.0.113.7"},
		{"IPv6", "10.0.0.1:4000", []string{"2001:DB8::7"}, "2001:db8::7"},
		{"IPv4-mapped", "10.0.0.1:4000", []string{"::ffff:203.0.113.7"}, "203.0.113.7"},
		{"unspecified", "10.0.0.1:4000", []string{"0.0.0.0"}, "10.0.0.1"},
		{"garbage", "10.0.0.1:4000", []string{"garbage"}, "10.0.0.1"},
		{"garbage of a megabyte", "10.0.0.1:4000", []string{strings.Repeat("1", 1<<20)}, "10.0.0.1"},
		{"an address of the edge", "10.0.0.1:4000", []string{"10.0.0.2"}, "10.0.0.2"},
	}
	detector := ipdetector.NewHeader("cf-connecting-ip", "10.0.0.0/8")
	require.NoError(t, detector.Validate())
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request(test.remoteAddr, "X-Real-Ip", "9.9.9.9")
			r.Header["Cf-Connecting-Ip"] = test.lines
			require.Equal(t, test.want, detector.IP(r))
		})
	}
}

func TestHeaderReportsEveryMistake(t *testing.T) {
	tests := []struct {
		name, header string
		edge         []string
		want         string
	}{
		{"no edge", "X-Real-IP", nil, "ipdetector: there is no proxy to trust: name one, or use RemoteAddr"},
		{"no name, no edge", "", nil, `ipdetector: "" is not the name of a header` + "\n" +
			"ipdetector: there is no proxy to trust: name one, or use RemoteAddr"},
		{"no name", "", []string{"10.0.0.1"}, `ipdetector: "" is not the name of a header`},
		{"no token", "X Real IP", []string{"10.0.0.1"}, `ipdetector: "X Real IP" is not the name of a header`},
		{"a list", "forwarded", []string{"10.0.0.1"}, `ipdetector: header "Forwarded" is a list of proxies: use NewTrustedProxies`},
		{"a list, and everybody", "X-Forwarded-For", []string{"::/0"},
			`ipdetector: header "X-Forwarded-For" is a list of proxies: use NewTrustedProxies` + "\n" +
				`ipdetector: proxy "::/0": any client could choose its address`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.EqualError(t, ipdetector.NewHeader(test.header, test.edge...).Validate(), test.want)
		})
	}
}
