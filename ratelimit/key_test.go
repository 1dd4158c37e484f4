package ratelimit_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func textKey(key string, ok bool, err error) ratelimit.KeyFunc {
	return func(context.Context, *ratelimit.Context) (string, bool, error) { return key, ok, err }
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestKeysTellWhoSharesACounter(t *testing.T) {
	caller := by("bearer:ab12")
	caller.Endpoint = "POST v1/login"
	for _, tc := range []struct {
		name string
		key  ratelimit.Key
		rc   *ratelimit.Context
		want string
		ok   bool
	}{
		{"an IPv4 address", ratelimit.IP, from("203.0.113.7"), "ip:203.0.113.7", true},
		{"an IPv6 address by /64", ratelimit.IP, from("2001:db8:abcd:1234:5678:9abc:def0:1"), "ip:2001:db8:abcd:1234::/64", true}, // RL-315
		{"another address of that /64", ratelimit.IP, from("2001:DB8:ABCD:1234::9"), "ip:2001:db8:abcd:1234::/64", true},          // RL-315, peer 49
		{"an IPv6 address by /56", ratelimit.IPKey(56), from("2001:db8:abcd:1234::1"), "ip:2001:db8:abcd:1200::/56", true},        // peer 49
		{"an IPv4-mapped address", ratelimit.IP, from("::ffff:1.2.3.4"), "ip:1.2.3.4", true},                                      // RL-316, peer 50
		{"an IPv4-mapped address in hex", ratelimit.IP, from("::FFFF:102:304"), "ip:1.2.3.4", true},                               // RL-316, peer 50
		{"an IPv6 address that ends like IPv4", ratelimit.IP, from("64:ff9b::1.2.3.4"), "ip:64:ff9b::/64", true},                  // peer 50
		{"an address with a zone", ratelimit.IP, from("fe80::1%eth0"), "ip:fe80::/64", true},                                      // RL-315
		{"a short text that is no address", ratelimit.IP, from("unix"), "ip:unix", true},                                          // RL-318
		{"digits that are no address", ratelimit.IP, from("203.0.113.07"), "ip:203.0.113.07", true},                               // RL-318
		{"45 characters", ratelimit.IP, from(strings.Repeat("x", 45)), "ip:" + strings.Repeat("x", 45), true},                     // RL-317
		{"46 characters", ratelimit.IP, from(strings.Repeat("x", 46)), "ip:" + sha(strings.Repeat("x", 46)), true},                // RL-317
		{"the identity", ratelimit.Identity, caller, "identity:bearer:ab12", true},                                                // RL-219
		{"no identity", ratelimit.Identity, by(""), "", false},                                                                    // RL-087
		{"the endpoint", ratelimit.Endpoint, caller, "endpoint:POST v1/login", true},                                              // RL-218
		{"a key of one's own", textKey("acme", true, nil), caller, "acme", true},                                                  // RL-205
		{"an empty text is a key", textKey("", true, nil), caller, "", true},                                                      // AMB-18
		{"a list", ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint), caller, "ip:192.0.2.1|endpoint:POST v1/login", true},         // RL-216
		{"a list of lists", ratelimit.Keys(ratelimit.Keys(ratelimit.IP), ratelimit.Endpoint), from("1.2.3.4"), "ip:1.2.3.4|endpoint:GET v1/users", true},
		{"own and built-in keys", ratelimit.Keys(textKey("acme", true, nil), ratelimit.Identity), caller, "acme|identity:bearer:ab12", true},              // RL-062, RL-210
		{"bars and backslashes in a part", ratelimit.Keys(textKey(`a|b\c`, true, nil), ratelimit.Identity), caller, `a\|b\\c|identity:bearer:ab12`, true}, // RL-217
		{"a part that skips", ratelimit.Keys(textKey("acme", true, nil), ratelimit.Identity), by(""), "", false},                                          // RL-211
	} {
		t.Run(tc.name, func(t *testing.T) {
			key, ok, err := tc.key.AppendKey(t.Context(), []byte("perIp:"), tc.rc)
			require.NoError(t, err)
			require.Equal(t, tc.ok, ok)
			if ok {
				require.Equal(t, "perIp:"+tc.want, string(key))
			}
		})
	}
}

func TestAKeyThatPretendsToBeAnotherDoesNot(t *testing.T) { // RL-219
	keys := func(tenant, identity string) string {
		key, ok, err := ratelimit.Keys(textKey(tenant, true, nil), ratelimit.Identity).AppendKey(t.Context(), nil, by(identity))
		require.NoError(t, err)
		require.True(t, ok)
		return string(key)
	}
	require.NotEqual(t, keys("a|identity:x", "y"), keys("a", "x|identity:y"))
	require.NotEqual(t, keys("a|identity:x", ""+"z"), keys("a", "x")+"|identity:z")
	require.NotEqual(t, keys("1", "21"), keys("12", "1")) // peer 53
}

func TestKeysNeedTheIdentityAsSoonAsOnePartDoes(t *testing.T) {
	own := ratelimit.IdentityKeyFunc(textKey("", true, nil))
	require.False(t, ratelimit.IP.NeedsIdentity())       // RL-085
	require.False(t, ratelimit.Endpoint.NeedsIdentity()) // RL-085
	require.True(t, ratelimit.Identity.NeedsIdentity())  // RL-082
	require.True(t, own.NeedsIdentity())                 // RL-208
	require.False(t, ratelimit.KeyFunc(own).NeedsIdentity())
	require.True(t, ratelimit.Keys(ratelimit.IP, ratelimit.Identity).NeedsIdentity()) // RL-212
	require.True(t, ratelimit.Keys(ratelimit.IP, own).NeedsIdentity())                // RL-212
	require.False(t, ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint).NeedsIdentity())
}

func TestKeysPassErrorsOn(t *testing.T) {
	down := errors.New("tenants are down")
	for name, key := range map[string]ratelimit.Key{
		"alone":     textKey("", true, down),
		"in a list": ratelimit.Keys(ratelimit.Endpoint, textKey("", true, down)),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := key.AppendKey(t.Context(), nil, from("192.0.2.1"))
			require.ErrorIs(t, err, down)
		})
	}
}

func TestTheIPKeyNeedsADetectorAndARequest(t *testing.T) {
	noDetector := &ratelimit.Context{Endpoint: "GET v1/users", Request: httptest.NewRequest("GET", "/", nil)}
	_, _, err := ratelimit.IP.AppendKey(t.Context(), nil, noDetector)
	require.EqualError(t, err, "ratelimit: GET v1/users: the client address is needed, but there is no IP detector") // RL-291, RL-292, RL-293

	noRequest := &ratelimit.Context{Endpoint: "GET v1/users", Detector: ipdetector.Static("192.0.2.1")}
	_, _, err = ratelimit.IP.AppendKey(t.Context(), nil, noRequest)
	require.EqualError(t, err, "ratelimit: GET v1/users: the client address is needed, but there is no request")

	_, ok, err := ratelimit.Endpoint.AppendKey(t.Context(), nil, noDetector)
	require.NoError(t, err) // RL-294
	require.True(t, ok)
}

func TestMistakesOfKeys(t *testing.T) {
	for _, tc := range []struct {
		name string
		key  ratelimit.Key
		want string
	}{
		{"a prefix of no bits", ratelimit.IPKey(0), "key: an IPv6 prefix of 0 bits: 1 to 128"},
		{"a prefix of too many bits", ratelimit.IPKey(129), "key: an IPv6 prefix of 129 bits: 1 to 128"},
		{"no built-in key", ratelimit.BuiltInKey(9), "key: unknown built-in key 9"},
		{"a nil function", ratelimit.KeyFunc(nil), "key: it is a nil ratelimit.KeyFunc"},
		{"a nil function by identity", ratelimit.IdentityKeyFunc(nil), "key: it is a nil ratelimit.IdentityKeyFunc"},
		{"an empty list", ratelimit.Keys(), "key: the list of keys is empty"},
		{"a nil part", ratelimit.Keys(ratelimit.IP, nil), "key: part 2 is nil"},
		{"a faulty part", ratelimit.Keys(ratelimit.IPKey(0)), "key: part 1: an IPv6 prefix of 0 bits: 1 to 128"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := ratelimit.Policy{Name: "x", Limit: 1, Interval: ratelimit.MinInterval, Key: tc.key}
			require.EqualError(t, p.Validate(), tc.want)
		})
	}
}

func FuzzKeysAreInjective(f *testing.F) { // RL-217
	f.Add("a", "b|c", `a\`, "|b")
	f.Add(`a\|`, "", "a", `\|`)
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 string) {
		join := func(parts ...string) string {
			key, _, err := ratelimit.Keys(textKey(parts[0], true, nil), textKey(parts[1], true, nil)).AppendKey(t.Context(), nil, from(""))
			require.NoError(t, err)
			return string(key)
		}
		require.Equal(t, a1 == b1 && a2 == b2, join(a1, a2) == join(b1, b2))
	})
}
