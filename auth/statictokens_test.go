package auth_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

func TestStaticTokensKnowsItsTokens(t *testing.T) {
	tokens := auth.StaticTokens{"mytoken": "*", "12345": "1.2.3.4"}
	tests := []struct {
		name, token string
		want        auth.Token
		ok          bool
	}{
		{"known", "mytoken", auth.Token{ID: hash("mytoken"), IPs: auth.AnyIP()}, true},          // FW-139, TC-069
		{"unknown", "mytoken2", auth.Token{}, false},                                            // FW-139, TC-069, TC-070
		{"only digits", "12345", auth.Token{ID: hash("12345"), IPs: parse(t, "1.2.3.4")}, true}, // FW-140
		{"empty", "", auth.Token{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			token, ok, err := tokens.Lookup(t.Context(), test.token)
			require.NoError(t, err)
			require.Equal(t, test.want, token)
			require.Equal(t, test.ok, ok)
		})
	}
}

func TestBearerReadsStaticTokensOnce(t *testing.T) {
	tokens := auth.StaticTokens{"first": "*"}
	bearer := auth.Bearer(tokens)
	delete(tokens, "first")
	tokens["second"] = "*"

	_, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer first"))
	require.NoError(t, err)
	_, err = bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer second"))
	require.EqualError(t, err, unknownToken)
}

// withRevoked finds its tokens in a way of its own, beside those it embeds.
type withRevoked struct {
	auth.StaticTokens
	revoked string
}

func (w withRevoked) Lookup(ctx context.Context, token string) (auth.Token, bool, error) {
	if token == w.revoked {
		return auth.Token{}, false, nil
	}
	return w.StaticTokens.Lookup(ctx, token)
}

func TestBearerAsksARepositoryThatEmbedsStaticTokens(t *testing.T) {
	bearer := auth.Bearer(withRevoked{auth.StaticTokens{"first": "*", "second": "*"}, "second"})
	_, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer first"))
	require.NoError(t, err)
	_, err = bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer second"))
	require.EqualError(t, err, unknownToken)
}

func TestTokensKnowMoreOfTheirCallers(t *testing.T) {
	bearer := auth.Bearer(auth.Tokens{
		"ada":  {ID: "user-7", IPs: auth.AnyIP(), Value: "paid"},
		"anon": {IPs: parse(t, "10.0.0.0/8")},
	})
	require.NoError(t, bearer.(interface{ Validate() error }).Validate())

	identity, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer ada"))
	require.NoError(t, err)
	require.Equal(t, api.Identity{Scheme: "bearer", ID: "user-7", Value: "paid"}, identity)

	identity, err = bearer.Authorize(t.Context(), request("10.1.2.3", "Bearer anon"))
	require.NoError(t, err)
	require.Equal(t, api.Identity{Scheme: "bearer", ID: hash("anon")}, identity)

	_, err = bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer anon"))
	require.EqualError(t, err, "Invalid IP")

	nowhere := auth.Bearer(auth.Tokens{"forgotten": {ID: "user-8"}})
	err = nowhere.(interface{ Validate() error }).Validate()
	require.ErrorContains(t, err, "IPs is missing, so it could be used from nowhere: write auth.AnyIP()")
	require.NotContains(t, err.Error(), "forgotten")

	token, ok, err := auth.Tokens{"ada": {IPs: auth.AnyIP()}}.Lookup(t.Context(), "ada")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, auth.Token{ID: hash("ada"), IPs: auth.AnyIP()}, token)
}
