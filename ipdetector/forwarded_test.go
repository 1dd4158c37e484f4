package ipdetector_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

func TestForwardedIsReadFromTheRight(t *testing.T) {
	const peer = "10.0.0.1"
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"no header", nil, peer},
		{"IPv6 in quotes and brackets", []string{`for="[2001:db8:cafe::17]:4711"`}, "2001:db8:cafe::17"},     // RL-309
		{"IPv6 without a port", []string{`for="[2001:DB8:cafe::17]"`}, "2001:db8:cafe::17"},                  // RL-309
		{"IPv6 with an obfuscated port", []string{`for="[2001:db8:cafe::17]:_p-1.x_"`}, "2001:db8:cafe::17"}, // RL-309
		{"IPv4 with a port", []string{`for="192.0.2.43:47011"`}, "192.0.2.43"},                               // RL-309
		{"forged first element", []string{"for=6.6.6.6, for=198.51.100.17;by=10.0.0.1"}, "198.51.100.17"},    // RL-309
		{"forged first line", []string{"for=6.6.6.6", "for=198.51.100.17"}, "198.51.100.17"},                 // RL-309
		{"forged proxy", []string{"for=10.9.9.9, for=198.51.100.17, for=10.2.2.2"}, "198.51.100.17"},         // RL-309
		{"obfuscated client of a proxy", []string{"for=_hidden, for=10.2.2.2"}, "10.2.2.2"},                  // RL-309
		{"unknown client of a proxy", []string{"for=198.51.100.17, for=unknown, for=10.2.2.2"}, "10.2.2.2"},  // RL-309
		{"unknown on the right", []string{"for=198.51.100.17, for=unknown"}, peer},
		{"unknown in the middle, client on the right", []string{"for=unknown, for=198.51.100.17"}, "198.51.100.17"},
		{"all proxies", []string{"for=10.3.3.3, for=10.2.2.2"}, "10.3.3.3"},
		{"names in upper case", []string{"FOR=192.0.2.43;PROTO=https"}, "192.0.2.43"},
		{"for behind other parameters", []string{`by=_x;host="example.com:80";proto=http;for=192.0.2.43`}, "192.0.2.43"},
		{"parameters that are not registered", []string{"secret=a;for=192.0.2.43;x!#$%&'*+-.^_`|~=y"}, "192.0.2.43"},
		{"empty members", []string{",, for=192.0.2.43 ,\t,"}, "192.0.2.43"},
		{"empty parameters", []string{";for=192.0.2.43;;proto=http;"}, "192.0.2.43"},
		{"space around semicolons", []string{"for=192.0.2.43 ; proto=http"}, "192.0.2.43"},
		{"escapes", []string{`for="\1\92.0.2.43"`}, "192.0.2.43"},
		{"separators in quotes", []string{`for=192.0.2.43;x="a;for=6.6.6.6, for=6.6.6.6"`}, "192.0.2.43"},
		{"an escaped quote", []string{`for=192.0.2.43;x="\", for=6.6.6.6"`}, "192.0.2.43"},
		{"an escaped backslash ends no quote early", []string{`x="\\";for=192.0.2.43`}, "192.0.2.43"},
		{"tab and high bytes in quotes", []string{"x=\"\t\xe9\";for=192.0.2.43"}, "192.0.2.43"},
		{"IPv4-mapped", []string{`for="[::ffff:192.0.2.43]"`}, "192.0.2.43"},

		{"only a semicolon", []string{"for=192.0.2.43, ;"}, peer},
		{"empty value in quotes", []string{`for=""`}, peer},
		{"IPv6 without brackets", []string{`for="2001:db8::1"`}, peer},
		{"IPv4 in brackets", []string{`for="[192.0.2.43]"`}, peer},
		{"port with a sign", []string{`for="192.0.2.43:+80"`}, peer},
		{"empty obfuscated port", []string{`for="192.0.2.43:_"`}, peer},
		{"wrong character in an obfuscated port", []string{`for="192.0.2.43:_a!"`}, peer},
		{"a number that is too long", []string{`for="` + strings.Repeat("1", 1<<20) + `"`}, peer},

		{"open quote", []string{`for="6.6.6.6, for=198.51.100.17`}, peer},
		{"open quote closed by the next line", []string{`for=198.51.100.17;x="`, `";for=6.6.6.6`}, peer},
		{"open quote after an escape", []string{`for="6.6.6.6\", for=198.51.100.17`}, peer},
		{"backslash at the end", []string{`for="6.6.6.6\`}, peer},
		{"control character in quotes", []string{"for=198.51.100.17;x=\"\x00\""}, peer},
		{"control character behind a backslash", []string{"for=198.51.100.17;x=\"\\\x7f\""}, peer},
		{"text behind a quote", []string{`for="198.51.100.17"x`}, peer},
		{"no equals sign", []string{"for"}, peer},
		{"no name", []string{"=198.51.100.17"}, peer},
		{"no value", []string{"for="}, peer},
		{"no value before a comma", []string{"for=, for=198.51.100.17"}, peer},
		{"space before the equals sign", []string{"for =198.51.100.17"}, peer},
		{"space behind the equals sign", []string{"for= 198.51.100.17"}, peer},
		{"two values", []string{"for=198.51.100.17 for=6.6.6.6"}, peer},
		{"port without quotes", []string{"for=198.51.100.17:80"}, peer},
		{"repeated parameter", []string{"for=6.6.6.6;FOR=198.51.100.17"}, peer},
		{"repeated parameter of another name", []string{"for=198.51.100.17;x=1;X=2"}, peer},
		{"malformed element on the left", []string{"for=[::1], for=198.51.100.17"}, peer},
	}
	detector := ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request("10.0.0.1:4000", "X-Forwarded-For", "9.9.9.9")
			r.Header["Forwarded"] = test.lines
			require.Equal(t, test.want, detector.IP(r))
		})
	}
}

// The search for repeated parameters is quadratic, so their number is bounded.
func TestForwardedBoundsTheParametersOfAnElement(t *testing.T) {
	detector := ipdetector.NewTrustedProxies("Forwarded", "10.0.0.0/8")
	element := func(pairs int) string {
		text := "for=198.51.100.17"
		for i := 1; i < pairs; i++ {
			text += fmt.Sprintf(";p%d=x", i)
		}
		return text
	}
	require.Equal(t, "198.51.100.17", detector.IP(request("10.0.0.1:4000", "Forwarded", element(16))))
	require.Equal(t, "10.0.0.1", detector.IP(request("10.0.0.1:4000", "Forwarded", element(17))))
}
