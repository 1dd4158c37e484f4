package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/auth"
)

func parse(t *testing.T, text string) auth.IPRestriction {
	t.Helper()
	restriction, err := auth.ParseIPRestriction(text)
	require.NoError(t, err)
	return restriction
}

func TestIPRestrictionAllows(t *testing.T) {
	tests := []struct {
		name, text, ip string
		want           bool
	}{
		{"any", "*", "9.9.9.9", true},           // FW-126, TC-166
		{"any, IPv6", "*", "2001:db8::5", true}, // FW-126
		{"any, no address", "*", "unix", true},
		{"empty", "", "9.9.9.9", true}, // FW-127, TC-166
		{"empty, no address", "", "cli", true},
		{"single", "1.2.3.4", "1.2.3.4", true},                           // FW-128
		{"single, other", "1.2.3.4", "1.2.3.5", false},                   // FW-128
		{"single, longer", "1.2.3.4", "1.2.3.44", false},                 // FW-128
		{"list by line feed", "1.2.3.4\n5.6.7.8", "5.6.7.8", true},       // FW-129, TC-163
		{"list by space", "1.2.3.4 5.6.7.8", "5.6.7.8", true},            // FW-129, TC-163
		{"list by comma and space", "1.2.3.4, 5.6.7.8", "5.6.7.8", true}, // FW-129, TC-163
		{"list by comma", "1.2.3.4,5.6.7.8", "5.6.7.8", true},            // FW-129
		{"list by semicolon", "1.2.3.4;5.6.7.8", "5.6.7.8", true},
		{"list by tab", "1.2.3.4\t5.6.7.8", "5.6.7.8", true},                            // FW-135
		{"list by Windows line end", "1.2.3.4\r\n5.6.7.8", "1.2.3.4", true},             // FW-135, TC-162
		{"list by Windows line end, second", "1.2.3.4\r\n5.6.7.8\r\n", "5.6.7.8", true}, // FW-135
		{"list with empty entries", ",1.2.3.4,,;5.6.7.8 ,", "5.6.7.8", true},
		{"not in the list", "1.2.3.4, 5.6.7.8", "5.6.7.9", false},
		{"network", "192.168.0.0/24", "192.168.0.33", true},       // FW-130
		{"network, next", "192.168.0.0/24", "192.168.1.0", false}, // FW-130
		{"network of one", "127.0.0.1/32", "127.0.0.1", true},     // FW-130
		{"network by one of its addresses", "192.168.0.77/24", "192.168.0.33", true},
		{"second network", "10.0.0.0/8,192.168.0.0/16", "192.168.1.1", true}, // FW-131, TC-151
		{"address behind a network", "10.0.0.0/8,1.2.3.4", "1.2.3.4", true},  // FW-131
		{"address before a network", "1.2.3.4,10.0.0.0/8", "1.2.3.4", true},  // TC-153
		{"IPv6 network", "2001:db8::/32", "2001:db8::5", true},               // FW-132, TC-156
		{"IPv6 network, other", "2001:db8::/32", "2a00::1", false},           // FW-132, TC-154
		{"IPv6 network, IPv4 client", "::/0", "1.2.3.4", false},              // FW-132
		{"IPv4 network, IPv6 client", "10.0.0.0/8", "2a00::1", false},        // FW-132, TC-157
		{"all of IPv4, IPv6 client", "0.0.0.0/0", "2a00::1", false},          // FW-132
		{"all of IPv4", "0.0.0.0/0", "9.9.9.9", true},
		{"network, no address", "10.0.0.0/8", "cli", false},     // TC-157
		{"all of IPv4, no address", "0.0.0.0/0", "unix", false}, // FW-132
		{"single, no address", "1.2.3.4", "", false},
		{"IPv6 in upper case", "2001:DB8::1", "2001:db8::1", true},          // FW-133, TC-165
		{"IPv6 not shortened", "2001:db8:0:0:0:0:0:1", "2001:db8::1", true}, // FW-133
		{"client with a zone", "fe80::1", "fe80::1%eth1", true},             // FW-133
		{"IPv4-mapped entry", "::ffff:1.2.3.4", "1.2.3.4", true},            // FW-133
		{"IPv4-mapped client", "1.2.3.4", "::ffff:1.2.3.4", true},           // FW-133
		{"IPv4-mapped network", "::ffff:10.0.0.0/104", "10.1.2.3", true},    // FW-133
		{"any in a list", "*,1.2.3.4", "9.9.9.9", true},                     // FW-136
		{"any at the end of a list", "1.2.3.4 *", "9.9.9.9", true},          // FW-136
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, parse(t, test.text).Allows(test.ip))
		})
	}
}

func TestTheZeroIPRestrictionAllowsNobody(t *testing.T) {
	for _, ip := range []string{"9.9.9.9", "2001:db8::5", "unix", ""} {
		require.False(t, auth.IPRestriction{}.Allows(ip)) // FW-125, TC-166
	}
}

func TestAnyIPAllowsEverybody(t *testing.T) {
	require.Equal(t, parse(t, "*"), auth.AnyIP())
}

// An entry that cannot be read opens nothing, and the entries beside it count.
func TestWrongEntriesNeverMatch(t *testing.T) {
	const wrong = "the IP restriction has entries that are neither an address nor a prefix: number "
	tests := []struct {
		name, text, err string
		allowed         []string
		refused         []string
	}{
		{"mask that is no number", "127.0.0.1/abc", wrong + "1", nil, []string{"127.0.0.1", "8.8.8.8"}}, // FW-134, TC-159
		{"negative mask", "127.0.0.1/-1", wrong + "1", nil, []string{"127.0.0.1", "8.8.8.8"}},           // FW-134, TC-159
		{"mask that is too long", "127.0.0.1/33", wrong + "1", nil, []string{"127.0.0.1", "8.8.8.8"}},   // FW-134, TC-160
		{"no address", "foo/24", wrong + "1", nil, []string{"foo", "cli", "0.0.0.0"}},                   // FW-134
		{"the text of a client without an address", "unix", wrong + "1", nil, []string{"unix"}},         // FW-134
		{"wildcard inside an address", "1.2.3.*", wrong + "1", nil, []string{"1.2.3.4"}},
		{"leading zero", "1.2.3.04", wrong + "1", nil, []string{"1.2.3.4"}},
		{"zone of an address", "fe80::1%eth0", wrong + "1", nil, []string{"fe80::1"}},
		{"zone of an IPv4-mapped address", "::ffff:1.2.3.4%eth0", wrong + "1", nil, []string{"1.2.3.4"}},
		{"zone in a prefix", "fe80::/10%eth0", wrong + "1", nil, []string{"fe80::1"}},
		{"prefix over IPv4 and IPv6", "::ffff:0:0/90", wrong + "1", nil, []string{"1.2.3.4", "::1"}},
		{"beside others", "x, 1.2.3.4 10.0.0.0/40;5.6.7.8", wrong + "1, 3", []string{"1.2.3.4", "5.6.7.8"}, []string{"10.0.0.1"}},
		{"only separators", " ,; \r\n", "the IP restriction has no entry", nil, []string{"1.2.3.4", ""}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			restriction, err := auth.ParseIPRestriction(test.text)
			require.EqualError(t, err, test.err)
			for _, ip := range test.allowed {
				require.True(t, restriction.Allows(ip), ip)
			}
			for _, ip := range test.refused {
				require.False(t, restriction.Allows(ip), ip)
			}
		})
	}
}
