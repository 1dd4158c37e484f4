package auth_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// claims is a value that knows its scopes.
type claims []string

func (c claims) Scopes() []string { return c }

var scopedTokens = auth.Tokens{
	"read":   {ID: "ada", IPs: auth.AnyIP(), Scopes: []string{"reports:read"}, Value: "paid"},
	"both":   {ID: "bob", IPs: auth.AnyIP(), Scopes: []string{"reports:write", "reports:read"}},
	"none":   {ID: "eve", IPs: auth.AnyIP()},
	"claims": {ID: "cy", IPs: auth.AnyIP(), Value: claims{"reports:read"}},
	"halves": {ID: "di", IPs: auth.AnyIP(), Value: claims{"reports:write"}, Scopes: []string{"reports:read"}},
	"nil":    {ID: "fo", IPs: auth.AnyIP(), Value: (*claims)(nil)},
}

// jwtLike is a bearer of a program.
var jwtLike = own{
	scheme:   api.Scheme{Name: "Bearer", Type: "http", Challenge: `Bearer error="x"`, Identifies: api.IdentifiesAlways},
	identity: api.Identity{Scheme: "jwt", ID: "1"},
}

func insufficient(scope string) *api.Refusal {
	return &api.Refusal{Kind: api.KindForbidden, Message: "Insufficient scope", Challenge: `Bearer realm="api", error="insufficient_scope", scope="` + scope + `"`}
}

func TestScopesOfTokens(t *testing.T) {
	bearer := auth.Bearer(scopedTokens)
	read, write := auth.Scopes(bearer, "reports:read"), auth.Scopes(bearer, "reports:read", "reports:write")
	id := func(id string, value any) api.Identity { return api.Identity{Scheme: "bearer", ID: id, Value: value} }
	tests := []struct {
		name   string
		scopes api.Authorization
		token  string
		want   api.Identity
		err    *api.Refusal
	}{
		{"held", read, "read", id("ada", "paid"), nil},
		{"one of those held", read, "both", id("bob", nil), nil},
		{"all held", write, "both", id("bob", nil), nil},
		{"held by the value", read, "claims", id("cy", claims{"reports:read"}), nil},
		{"held by both", write, "halves", id("di", claims{"reports:write"}), nil},
		{"one missing", write, "read", id("ada", "paid"), insufficient("reports:read reports:write")}, // peer-fw 70
		{"none", read, "none", id("eve", nil), insufficient("reports:read")},
		{"a nil value", read, "nil", id("fo", (*claims)(nil)), insufficient("reports:read")},
		{"exactly", auth.Scopes(bearer, "reports:Read"), "read", id("ada", "paid"), insufficient("reports:Read")},
		{"wrong token", read, "x", api.Identity{}, &api.Refusal{Kind: api.KindUnauthorized, Message: unknownToken, Challenge: invalidToken}},
		{"through a wrapper", auth.Scopes(wrapper{bearer}, "reports:read"), "read", id("ada", "paid"), nil},
		{"twice", auth.Scopes(auth.Scopes(bearer, "reports:read"), "reports:write"), "both", id("bob", nil), nil},
		{"twice, inner missing", auth.Scopes(auth.Scopes(bearer, "reports:write"), "reports:read"), "read", id("ada", "paid"), insufficient("reports:write")},
		{"twice, outer missing", auth.Scopes(auth.Scopes(bearer, "reports:read"), "reports:write"), "read", id("ada", "paid"), insufficient("reports:write")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := test.scopes.Authorize(t.Context(), request("1.2.3.4", "Bearer "+test.token))
			require.Equal(t, test.want, identity)
			require.Equal(t, test.err, api.AsRefusal(err))
		})
	}
}

// What is held is that of the identity, and the challenge that of its scheme.
func TestScopesOfSeveralAuthorizations(t *testing.T) {
	bearer := auth.Bearer(scopedTokens, auth.Realm(`a, "b" \`))
	keys := auth.HeaderKey("X-API-Key", auth.Tokens{"my-key": {ID: "shop", IPs: auth.AnyIP(), Scopes: []string{"orders"}}})
	either, both := auth.Any(bearer, keys), auth.All(keys, bearer)
	forbidden := func(challenge string) *api.Refusal {
		return &api.Refusal{Kind: api.KindForbidden, Message: "Insufficient scope", Challenge: challenge}
	}
	const challenge = `Bearer realm="a, \"b\" \\", error="insufficient_scope", scope="orders"`
	ada, shop := api.Identity{Scheme: "bearer", ID: "ada", Value: "paid"}, api.Identity{Scheme: "apikey", ID: "shop"}
	other := auth.HeaderKey("X-Other-Key", auth.Tokens{"my-key": {ID: "shop", IPs: auth.AnyIP(), Scopes: []string{"admin"}}})
	copied := auth.QueryKey("key", auth.Tokens{"my-key": {ID: "shop", IPs: auth.AnyIP()}})
	anonymous := own{scheme: api.Scheme{Identifies: api.IdentifiesSometimes, Challenge: "Own"}}
	tests := []struct {
		name   string
		scopes api.Authorization
		call   call
		want   api.Identity
		err    *api.Refusal
	}{
		{"the key has it", auth.Scopes(either, "orders"), call{nil, "my-key"}, shop, nil},
		{"the token has not", auth.Scopes(either, "orders"), call{[]string{"Bearer read"}, ""}, ada, forbidden(challenge)},
		{"the key has not", auth.Scopes(either, "reports:read"), call{nil, "my-key"}, shop, forbidden("")},
		{"the token has it", auth.Scopes(either, "reports:read"), call{[]string{"Bearer read"}, ""}, ada, nil},
		{"both, that of the identity", auth.Scopes(both, "orders"), call{[]string{"Bearer read"}, "my-key"}, shop, nil},
		{"both, that of the other", auth.Scopes(both, "reports:read"), call{[]string{"Bearer read"}, "my-key"}, shop, forbidden("")},
		{"each its own", auth.All(auth.Scopes(keys, "orders"), auth.Scopes(bearer, "reports:read")), call{[]string{"Bearer read"}, "my-key"}, shop, nil},
		{"forbidden ends the way", auth.Any(auth.Scopes(bearer, "orders"), keys), call{[]string{"Bearer read"}, "my-key"}, ada, forbidden(challenge)},
		{"what a way that ended has granted", auth.Scopes(auth.Any(auth.All(keys, basics), copied), "orders"), call{nil, "my-key"}, shop, forbidden("")},
		{"what another member has granted to the same", auth.Scopes(auth.All(copied, keys), "orders"), call{nil, "my-key"}, shop, forbidden("")},
		{"what several grant together", auth.Scopes(auth.All(keys, other), "orders", "admin"), call{nil, "my-key"}, shop, forbidden("")},
		{"deep inside", auth.Scopes(auth.All(network, auth.Any(wrapper{auth.Any(bearer)}, keys)), "orders"), call{[]string{"Bearer read"}, ""}, ada, forbidden(challenge)},
		{"a bearer with another name for its callers", auth.Scopes(auth.Any(keys, jwtLike), "orders"), call{}, jwtLike.identity, insufficient("orders")},
		{"nobody", auth.Scopes(auth.Any(bearer, auth.None()), "orders"), call{}, api.Identity{},
			&api.Refusal{Kind: api.KindUnauthorized, Message: "Insufficient scope", Challenge: `Bearer realm="a, \"b\" \\"`}},
		{"nobody of one's own", auth.Scopes(anonymous, "orders"), call{}, api.Identity{},
			&api.Refusal{Kind: api.KindUnauthorized, Message: "Insufficient scope", Challenge: "Own"}},
		{"a password has none", auth.Scopes(basics, "orders"), call{[]string{basic("ada", "secret")}, ""}, api.Identity{Scheme: "basic", ID: "ada"}, forbidden("")},
		{"a bearer of one's own", auth.Scopes(jwtLike, "orders"), call{}, jwtLike.identity, insufficient("orders")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := test.call.request()
			r.Header.Set("X-Other-Key", test.call.key)
			r.URL.RawQuery = "key=" + test.call.key
			identity, err := test.scopes.Authorize(t.Context(), r)
			require.Equal(t, test.want, identity)
			require.Equal(t, test.err, api.AsRefusal(err))
		})
	}
}

func TestScopesDescribesItself(t *testing.T) {
	want := bearers.Scheme()
	want.Scopes = []string{"a", "b", "c"}
	require.Equal(t, want, auth.Scopes(auth.Scopes(bearers, "a"), "b", "c").Scheme())
	require.Equal(t, api.Scheme{}, auth.Scopes(nil, "a").Scheme())
}

func TestScopesReportsEveryMistake(t *testing.T) {
	const ungrantable = "auth: Scopes: scope %d cannot be granted: it is no scope-token (RFC 6749, section 3.3)"
	tests := []struct {
		name   string
		scopes api.Authorization
		want   []string
	}{
		{"none", auth.Scopes(bearers, "reports:read", "!#[]~"), nil},
		{"no scope", auth.Scopes(bearers), []string{"auth: Scopes: there is none"}},
		{"space", auth.Scopes(bearers, "a", "b c"), []string{fmt.Sprintf(ungrantable, 2)}},
		{"quote", auth.Scopes(bearers, `"`), []string{fmt.Sprintf(ungrantable, 1)}},
		{"backslash", auth.Scopes(bearers, `\`), []string{fmt.Sprintf(ungrantable, 1)}},
		{"empty", auth.Scopes(bearers, ""), []string{fmt.Sprintf(ungrantable, 1)}},
		{"not ASCII", auth.Scopes(bearers, "é"), []string{fmt.Sprintf(ungrantable, 1)}},
		{"no authorization", auth.Scopes(nil), []string{"auth: Scopes: there is none", "auth: Scopes: there is no authorization"}},
		{"a nil authorization", auth.Scopes((*own)(nil), "a"), []string{"auth: Scopes: there is no authorization"}},
		{"nobody", auth.Scopes(auth.None(), "a"), []string{"auth: Scopes: the authorization tells of nobody, so nobody could hold a scope"}},
		{"of a token", auth.Bearer(auth.Tokens{"my-token": {IPs: auth.AnyIP(), Scopes: []string{"a b"}}}),
			[]string{"auth: token with the SHA-256 " + hash("my-token")[:8] + "...: scope 1 cannot be granted: it is no scope-token (RFC 6749, section 3.3)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.scopes.(interface{ Validate() error }).Validate()
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, strings.Join(test.want, "\n"))
		})
	}
	_, err := auth.Scopes(nil, "a").Authorize(t.Context(), request("1.2.3.4"))
	require.EqualError(t, err, "auth: Scopes: there is no authorization")
	require.Nil(t, api.AsRefusal(err))
}

func ExampleScopes() {
	reports := auth.Scopes(auth.Bearer(auth.Tokens{
		"token-of-ann": {ID: "ann", IPs: auth.AnyIP(), Scopes: []string{"reports:read"}},
		"token-of-bob": {ID: "bob", IPs: auth.AnyIP()},
	}), "reports:read")

	for _, token := range []string{"token-of-ann", "token-of-bob"} {
		identity, err := reports.Authorize(context.Background(), request("192.0.2.1", "Bearer "+token))
		fmt.Println(identity, err)
		if refusal := api.AsRefusal(err); refusal != nil {
			fmt.Println(refusal.Challenge)
		}
	}
	// Output:
	// bearer:ann <nil>
	// bearer:bob Insufficient scope
	// Bearer realm="api", error="insufficient_scope", scope="reports:read"
}
