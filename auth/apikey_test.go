package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

const apiKeyChallenge = `ApiKey realm="api"`

// place is one of the places of a key, and a request that has keys there.
type place struct {
	in, name string
	make     func(name string, tokens auth.TokenRepository, options ...auth.Option) api.Authorization
	send     func(r *api.Request, name string, keys ...string)
}

var places = []place{
	{"header", "X-API-KEY", auth.HeaderKey, func(r *api.Request, name string, keys ...string) {
		for _, key := range keys {
			r.Header.Add(name, key)
		}
	}},
	{"query", "api_key", auth.QueryKey, func(r *api.Request, name string, keys ...string) {
		query := r.URL.Query()
		for _, key := range keys {
			query.Add(name, key)
		}
		r.URL.RawQuery = query.Encode()
	}},
	{"cookie", "api_key", auth.CookieKey, func(r *api.Request, name string, keys ...string) {
		for _, key := range keys {
			r.Header.Add("Cookie", name+"="+key)
		}
	}},
}

func TestAPIKeys(t *testing.T) {
	const notSet = "API key is not set"
	tokens := auth.Tokens{"my-key": {IPs: auth.AnyIP(), Value: "paid"}, "0": {IPs: auth.AnyIP()}, "bound": {IPs: parse(t, "10.0.0.0/8")}}
	refused := func(kind api.Kind, message string) *api.Refusal {
		return &api.Refusal{Kind: kind, Message: message, Challenge: apiKeyChallenge}
	}
	tests := []struct {
		name string
		keys []string
		want api.Identity
		err  *api.Refusal
	}{
		{"known", []string{"my-key"}, api.Identity{Scheme: "apikey", ID: hash("my-key"), Value: "paid"}, nil}, // FW-117, FW-119, FW-120, TC-017, TC-021, TC-025
		{"zero", []string{"0"}, api.Identity{Scheme: "apikey", ID: hash("0")}, nil},                           // FW-121
		{"unknown", []string{"other"}, api.Identity{}, refused(api.KindUnauthorized, unknownToken)},           // TC-018, TC-022, TC-026
		{"other address", []string{"bound"}, api.Identity{}, refused(api.KindUnauthorized, invalidIP)},
		{"missing", nil, api.Identity{}, refused(api.KindUnauthorized, notSet)},        // FW-117, FW-119, FW-120, TC-019, TC-023, TC-027
		{"empty", []string{""}, api.Identity{}, refused(api.KindUnauthorized, notSet)}, // FW-117, FW-119, FW-120
		{"two", []string{"my-key", "0"}, api.Identity{}, refused(api.KindInput, "API key is set more than once")},
		{"the same twice", []string{"my-key", "my-key"}, api.Identity{}, refused(api.KindInput, "API key is set more than once")},
		{"one and an empty one", []string{"my-key", ""}, api.Identity{}, refused(api.KindInput, "API key is set more than once")},
	}
	for _, p := range places {
		key := p.make(p.name, tokens)
		require.NoError(t, key.(interface{ Validate() error }).Validate())
		for _, test := range tests {
			t.Run(p.in+": "+test.name, func(t *testing.T) {
				r := request("1.2.3.4")
				p.send(r, p.name, test.keys...)
				identity, err := key.Authorize(t.Context(), r)
				require.Equal(t, test.want, identity)
				require.Equal(t, test.err, api.AsRefusal(err))
			})
		}
		t.Run(p.in+": other name", func(t *testing.T) {
			r := request("1.2.3.4", "Bearer my-key")
			p.send(r, p.name+"2", "my-key")
			_, err := key.Authorize(t.Context(), r)
			require.Equal(t, refused(api.KindUnauthorized, notSet), api.AsRefusal(err))
		})
		t.Run(p.in+": reads back", func(t *testing.T) {
			require.Equal(t, api.Scheme{Name: "apikey", Challenge: apiKeyChallenge, Identifies: api.IdentifiesAlways, // FW-106
				Type: "apiKey", In: p.in, ParameterName: p.name}, key.Scheme()) // FW-118, FW-119, FW-120, TC-020, TC-024, TC-028
			require.Equal(t, `ApiKey realm="my api"`, p.make(p.name, tokens, auth.Realm("my api")).Scheme().Challenge)
		})
	}
}

func TestTheNameOfAHeaderKeyIgnoresCase(t *testing.T) {
	key := auth.HeaderKey("x-aPi-key", auth.StaticTokens{"my-key": "*"})
	require.Equal(t, "x-aPi-key", key.Scheme().ParameterName) // FW-118, TC-024
	for _, name := range []string{"X-API-KEY", "x-api-key", "X-Api-Key"} {
		r := request("1.2.3.4")
		r.Header.Set(name, "my-key")
		_, err := key.Authorize(t.Context(), r)
		require.NoError(t, err, name) // FW-118
	}
}

func TestQueryKeysAreReadAsTheyWereWritten(t *testing.T) {
	tests := []struct{ name, query, key, err string }{
		{"escaped", "a=b&api%5Fkey=my%20+key&c", "my  key", ""},
		{"list", "api_key[]=my-key", "", "API key is not set"},             // FW-122, TC-168
		{"escaped list", "api_key%5B%5D=my-key", "", "API key is not set"}, // FW-122
		{"list beside a key", "api_key[]=x&api_key=my-key", "my-key", ""},
		{"other case", "API_KEY=my-key", "", "API key is not set"},
		{"without a value", "api_key", "", "API key is not set"},
		{"name that cannot be read", "api%zzkey=x&api_key=my-key", "my-key", ""},
		{"value that cannot be read", "api_key=%zz", "", "API key cannot be read"},
		{"one of them cannot be read", "api_key=my-key&api_key=%zz", "", "API key cannot be read"},
		{"semicolon", "api_key=my-key;x=y", "", "API key is not set"},
		{"equals sign in the value", "api_key=a=b", "a=b", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var asked string
			key := auth.QueryKey("api_key", auth.TokenFunc(func(_ context.Context, token string) (auth.Token, bool, error) {
				asked = token
				return auth.Token{IPs: auth.AnyIP()}, true, nil
			}))
			r := request("1.2.3.4")
			r.URL.RawQuery = test.query
			_, err := key.Authorize(t.Context(), r)
			require.Equal(t, test.key, asked)
			if test.err == "" {
				require.NoError(t, err)
				require.Equal(t, test.key, r.URL.Query().Get("api_key"), "as net/url reads it")
				return
			}
			require.EqualError(t, err, test.err)
			require.NotNil(t, api.AsRefusal(err))
		})
	}
	_, err := auth.QueryKey("api_key", auth.StaticTokens{}).Authorize(t.Context(), &api.Request{Request: &http.Request{}})
	require.EqualError(t, err, "API key is not set")
}

func TestAPIKeysReportEveryMistake(t *testing.T) {
	const field = "auth: the name of the API key cannot be that of a %s: it is no token (RFC 9110, section 5.6.2)"
	sum := func(key string) string { return "auth: token with the SHA-256 " + hash(key)[:8] + "...: " }
	const unfit = "no client can send it: it has characters that its place cannot carry"
	tests := []struct {
		name string
		key  api.Authorization
		want []string
	}{
		{"header", auth.HeaderKey("X-API-Key", auth.StaticTokens{"my key, b": "*"}), nil},
		{"query", auth.QueryKey("api key[]", auth.StaticTokens{"my key, b\n": "*"}), nil},
		{"cookie", auth.CookieKey("__Host-key", auth.StaticTokens{"my-key=": "*"}), nil},
		{"header name", auth.HeaderKey("X API", auth.StaticTokens{}), []string{fmt.Sprintf(field, "header")}},
		{"cookie name", auth.CookieKey("a=b", auth.StaticTokens{}), []string{fmt.Sprintf(field, "cookie")}},
		{"query name", auth.QueryKey("a\nb", auth.StaticTokens{}), []string{"auth: the name of the API key has control characters or is no UTF-8"}},
		{"a field that net/http moves", auth.HeaderKey("transfer-encoding", auth.StaticTokens{}),
			[]string{"auth: the API key cannot stand in Transfer-Encoding, which net/http keeps out of the header"}},
		{"no name, realm, repository", auth.HeaderKey("", nil, auth.Realm("é")),
			[]string{"auth: the realm is not printable ASCII", "auth: the API key has no name", "auth: there is no token repository"}},
		{"nil function", auth.QueryKey("k", auth.TokenFunc(nil)), []string{"auth: the token repository is a nil auth.TokenFunc"}},
		{"keys of a header", auth.HeaderKey("k", auth.StaticTokens{"": "*", " a": "*", "a\nb": "*"}), []string{sum(" a") + unfit, sum("a\nb") + unfit, sum("") + "it is empty"}},
		{"keys of a cookie", auth.CookieKey("k", auth.StaticTokens{"a;b": "*", `"a"`: "*", "é": "*"}), []string{sum(`"a"`) + unfit, sum("a;b") + unfit, sum("é") + unfit}},
		{"a digest", auth.HeaderKey("k", auth.StaticTokens{"sha256:" + strings.Repeat("0", 64): "*", "sha256:0": "*"}), []string{
			sum("sha256:"+strings.Repeat("0", 64)) + "it is the digest of a token, as auth.TokensFile reads it: write the token"}},
		{"hidden by a hash key", auth.HeaderKey("k", auth.StaticTokens{"": "*"}, auth.HashKey([]byte("0123456789abcdef"))), []string{
			"auth: token with the ID " + keyedHash([]byte("0123456789abcdef"), "")[:8] + "...: it is empty"}},
		{"empty key", auth.QueryKey("k", auth.StaticTokens{"": "*"}), []string{sum("") + "it is empty"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.key.(interface{ Validate() error }).Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.ElementsMatch(t, test.want, strings.Split(err.Error(), "\n"))
		})
	}
}

func TestARepositoryMayTellTheClientOfAKeyMore(t *testing.T) {
	for _, test := range []struct {
		err  error
		want api.Refusal
	}{
		{api.Unauthorized("The key has expired"), api.Refusal{Kind: api.KindUnauthorized, Message: "The key has expired", Challenge: apiKeyChallenge}},
		{api.Forbidden("Your plan has ended"), api.Refusal{Kind: api.KindForbidden, Message: "Your plan has ended"}},
	} {
		key := auth.HeaderKey("X-API-Key", lookup(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, test.err }))
		r := request("1.2.3.4")
		r.Header.Set("X-API-Key", "x")
		_, err := key.Authorize(t.Context(), r)
		require.Equal(t, &test.want, api.AsRefusal(err))
	}
}

// A page of a stranger may not read what a cookie key opens, and with the
// protection of net/http around the presenter it may not change anything.
func TestAPIKeyThatCannotDecide(t *testing.T) {
	down := errors.New("connection refused")
	key := auth.HeaderKey("k", lookup(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, down }))
	r := request("1.2.3.4")
	r.Header.Set("k", "x")
	_, err := key.Authorize(t.Context(), r)
	require.EqualError(t, err, "auth: look up the token: connection refused")
	require.Nil(t, api.AsRefusal(err))
}

func ExampleHeaderKey() {
	key := auth.HeaderKey("X-API-Key", auth.Tokens{"my-key": {ID: "shop-7", IPs: auth.AnyIP()}})

	r := request("192.0.2.1")
	r.Header.Set("X-API-Key", "my-key")
	fmt.Println(key.Authorize(context.Background(), r))
	fmt.Println(key.Scheme().In, key.Scheme().ParameterName)
	// Output:
	// apikey:shop-7 <nil>
	// header X-API-Key
}

func ExampleQueryKey() {
	key := auth.QueryKey("api_key", auth.Tokens{"my-key": {ID: "shop-7", IPs: auth.AnyIP()}})

	r := request("192.0.2.1")
	r.URL.RawQuery = url.Values{"api_key": {"my-key"}}.Encode()
	fmt.Println(key.Authorize(context.Background(), r))
	// Output:
	// apikey:shop-7 <nil>
}
