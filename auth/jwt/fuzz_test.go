package jwt_test

import (
	"encoding/json"
	"strings"
	"testing"

	gojwt "github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

// FuzzToken holds that a token is admitted only when it carries the HMAC of what
// it says, and that everything else is refused with a challenge.
func FuzzToken(f *testing.F) {
	good := sign("HS256", secret, valid(nil), nil)
	for _, seed := range []string{
		good, good + "x", good[1:], good + ".", "..", "a.b.c", "",
		raw(`{"alg":"HS256","crit":["b64"],"b64":false}`, `{"sub":"ada"}`),
		raw(`{"alg":"HS256"}`, `{"iss":"`+issuer+`","aud":["`+audience+`"],"sub":"ada","exp":1e10}`),
		sign("none", gojwt.UnsafeAllowNoneSignatureType, valid(nil), nil),
		sign("HS384", secret, valid(nil), map[string]any{"kid": "../../etc/passwd"}),
	} {
		f.Add(seed)
	}
	a := jwt.New(config(nil))
	f.Fuzz(func(t *testing.T, token string) {
		identity, err := a.Authorize(t.Context(), request("Bearer "+token))
		if err != nil {
			refusal := api.AsRefusal(err)
			require.NotNil(t, refusal)
			require.NotEmpty(t, refusal.Challenge)
			require.Equal(t, api.Identity{}, identity)
			return
		}
		parts := strings.Split(strings.TrimLeft(token, " "), ".")
		require.Len(t, parts, 3)
		signature := must(gojwt.SigningMethodHS256.Sign(parts[0]+"."+parts[1], secret))
		require.Equal(t, encode(string(signature)), parts[2])
	})
}

// FuzzClaims holds that no claims that the issuer could sign break anything, and
// that who is admitted is the subject.
func FuzzClaims(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"sub":"ada"}`, `{"sub":"a","exp":1e999}`, `{"sub":"a","exp":9e18,"nbf":-9e18,"iat":0.5}`,
		`{"sub":"a","scope":["a b"],"scp":1}`, "{\"sub\":\"\xff\"}", `{"sub":"#","iss":"%23"}`, `{"sub":"a"}{}`,
	} {
		f.Add(seed)
	}
	a := jwt.New(config(func(c *jwt.Config) {
		c.Issuer, c.AnyIssuer, c.Audience, c.AnyAudience, c.AnyLifetime = "", true, nil, true, true
	}))
	f.Fuzz(func(t *testing.T, claims string) {
		identity, err := a.Authorize(t.Context(), request("Bearer "+raw(`{"alg":"HS256"}`, claims)))
		if err != nil {
			require.NotNil(t, api.AsRefusal(err))
			return
		}
		var sent map[string]json.RawMessage
		var want string
		require.NoError(t, json.Unmarshal([]byte(claims), &sent))
		require.NoError(t, json.Unmarshal(sent["sub"], &want))
		_, subject, _ := strings.Cut(identity.ID, "#")
		require.Equal(t, want, subject)
	})
}
