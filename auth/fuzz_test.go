package auth_test

import (
	"context"
	"net/netip"
	"net/url"
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

// basicCredentials is the grammar of RFC 7617, section 2, around the base64.
var basicCredentials = regexp.MustCompile(`^(?i:basic) +([A-Za-z0-9+/]+=*)$`)

// FuzzBasicAuthorizationHeader compares who is admitted with the grammar and with
// what net/http reads, which is less strict.
func FuzzBasicAuthorizationHeader(f *testing.F) {
	for _, seed := range []string{
		"", "Basic", "Basic ", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "bAsIc   YTpiOmM=", "Basic dXNlcg==", "Basic dXMAZXI6cA==", "Basic YTpiOmN=",
		"Basic !!!", "Basic YTpi\nOmM=", "Basic Og==", "Basic OmE=", "Basic YTo=", "Basic /zph", "Bearer abc", "Basic\tYTpi", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var user, password string
		verify := func(given, _ string) (bool, error) { password = given; return true, nil }
		identity, err := auth.Basic(auth.VerifyWith(auth.PasswordFunc(func(_ context.Context, name string) (auth.Password, bool, error) {
			user = name
			return auth.Password{Hash: "x"}, true, nil
		}), verify)).Authorize(t.Context(), request("1.2.3.4", line))

		if err != nil {
			require.Equal(t, wrong, api.AsRefusal(err))
			require.Empty(t, user)
			return
		}
		match := basicCredentials.FindStringSubmatch(line)
		require.NotNil(t, match)
		r := request("1.2.3.4", "Basic "+match[1])
		wantUser, wantPassword, ok := r.BasicAuth()
		require.True(t, ok)
		require.Equal(t, []string{wantUser, wantPassword, wantUser}, []string{user, password, identity.ID})
		require.NotRegexp(t, `[\x00-\x1f\x7f]`, user+password)
		require.NotEmpty(t, user)
		require.NotEmpty(t, password)
		require.NotContains(t, user, ":")
	})
}

// FuzzAPIKeys compares the keys that are found with what net/http finds.
func FuzzAPIKeys(f *testing.F) {
	for _, seed := range []string{
		"", "k=", "k=a", "k=a&k=b", "k[]=a", "k=a;k=b", "k=%zz&k=a", "%6b=a", "k=a+b%20c", "K=a", "k", "&&=&k=a&", `k="a"`, "k=a; k=b", "x=k=a", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		find := func(key func(string, auth.TokenRepository, ...auth.Option) api.Authorization, name string, r *api.Request) (found []string, refusal *api.Refusal) {
			_, err := key(name, auth.TokenFunc(func(_ context.Context, token string) (auth.Token, bool, error) {
				found = append(found, token)
				return auth.Token{IPs: auth.AnyIP()}, true, nil
			})).Authorize(t.Context(), r)
			return found, api.AsRefusal(err)
		}
		check := func(found []string, refusal *api.Refusal, values []string) {
			if len(values) == 1 && values[0] != "" {
				require.Equal(t, values, found)
				require.Nil(t, refusal)
				return
			}
			require.Empty(t, found)
			require.NotNil(t, refusal)
			require.NotEmpty(t, refusal.Challenge)
		}

		r := request("1.2.3.4")
		r.URL.RawQuery = text
		found, refusal := find(auth.QueryKey, "k", r)
		values := r.URL.Query()["k"]
		if refusal != nil && refusal.Message == "API key cannot be read" { // net/url leaves such values out
			_, err := url.ParseQuery(text)
			require.Error(t, err)
			values = nil
		}
		check(found, refusal, values)

		r = request("1.2.3.4")
		r.Header["Cookie"] = []string{text}
		found, refusal = find(auth.CookieKey, "k", r)
		values = nil
		for _, cookie := range r.CookiesNamed("k") {
			values = append(values, cookie.Value)
		}
		check(found, refusal, values)

		r = request("1.2.3.4")
		r.Header["K"] = []string{text}
		found, refusal = find(auth.HeaderKey, "k", r)
		check(found, refusal, []string{text})
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
