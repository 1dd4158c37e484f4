package auth_test

import (
	"context"
	"net/netip"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// credentials is the grammar of RFC 6750, section 2.1.
var credentials = regexp.MustCompile(`^(?i:bearer) +([A-Za-z0-9._~+/-]+=*)$`)

// FuzzAuthorizationHeader compares what the repository is asked for with the grammar.
func FuzzAuthorizationHeader(f *testing.F) {
	for _, seed := range []string{
		"", "Bearer", "Bearer ", "Bearer abc", "bearer   a-._~+/9==", "Bearer a b", "Bearer\tabc", "Bearer ab=c", `Bearer "abc"`,
		"BearerX abc", "Basic dTpw", " Bearer abc", "Bearer abc ", "Bearer é", "Bearer =", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var token string
		_, err := auth.Bearer(lookup(func(_ context.Context, sent string) (auth.Token, bool, error) {
			token = sent
			return auth.Token{IPs: auth.AnyIP()}, true, nil
		})).Authorize(t.Context(), request("1.2.3.4", line))

		if match := credentials.FindStringSubmatch(line); match != nil {
			require.NoError(t, err)
			require.Equal(t, match[1], token)
			return
		}
		require.Empty(t, token)
		refusal := api.AsRefusal(err)
		require.NotNil(t, refusal)
		require.NotEmpty(t, refusal.Challenge)
	})
}

// FuzzIPRestriction holds that only addresses get past a restriction without "*".
func FuzzIPRestriction(f *testing.F) {
	for _, seed := range []string{"", "*", "1.2.3.4", "10.0.0.0/8,::/0", "127.0.0.1/abc", "fe80::1%eth0", "::ffff:0:0/90", " ,;\r\n", "é"} {
		f.Add(seed, "1.2.3.4")
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, text, ip string) {
		restriction, _ := auth.ParseIPRestriction(text)
		if restriction.Allows("no address") || !restriction.Allows(ip) {
			return
		}
		addr, err := netip.ParseAddr(ip)
		require.NoError(t, err)
		require.True(t, restriction.Allows(addr.Unmap().WithZone("").String()), "another notation of the same address")
	})
}
