package jwt_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	gojwt "github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func TestTokensThatAreNone(t *testing.T) {
	good := sign("HS256", secret, valid(nil), nil)
	parts := strings.Split(good, ".")
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey))})
	const header = `{"alg":"HS256"}`
	tests := []struct {
		name, token, want string
	}{
		{"one part", "garbage", "The token is malformed"},
		{"two parts", parts[0] + "." + parts[1], "The token is malformed"},
		{"five parts, encrypted", good + ".a.b", "The token is malformed"},
		{"no base64", parts[0] + ".a+b." + parts[2], "The token is malformed"},
		{"no signature", parts[0] + "." + parts[1] + ".", "The signature of the token is wrong"},
		{"other bits behind the signature", good[:len(good)-1] + next(good[len(good)-1]), "The token is malformed"},
		{"nested", raw(header, `"`+good+`"`), "The token is malformed"},
		{"nested by its type", raw(`{"alg":"HS256","cty":"JWT"}`, good), "The token is malformed"},
		{"claims are null", raw(header, `null`), "The token is malformed"},
		{"claims are a list", raw(header, `[]`), "The token is malformed"},
		{"more behind the claims", raw(header, `{"sub":"ada"} {}`), "The token is malformed"},
		{"no UTF-8", raw(header, "{\"sub\":\"\xff\"}"), "The token is malformed"},
		{"header is null", raw(`null`, `{}`), "The algorithm of the token is not accepted"},
		{"key ID is a number", raw(`{"alg":"HS256","kid":1}`, `{}`), "The token is malformed"},
		{"key ID is null", raw(`{"alg":"HS256","kid":null}`, `{}`), "The token is malformed"},
		{"alg none", sign("none", gojwt.UnsafeAllowNoneSignatureType, valid(nil), nil), "The algorithm of the token is not accepted"},
		{"alg none in capitals", raw(`{"alg":"NONE"}`, `{}`), "The algorithm of the token is not accepted"},
		{"alg in small letters", raw(`{"alg":"hs256"}`, `{}`), "The algorithm of the token is not accepted"},
		{"alg is a list", raw(`{"alg":["HS256"]}`, `{}`), "The algorithm of the token is not accepted"},
		{"alg twice", raw(`{"alg":"HS256","alg":"none"}`, `{}`), "The algorithm of the token is not accepted"},
		{"alg is missing", raw(`{"typ":"JWT"}`, `{}`), "The algorithm of the token is not accepted"},
		{"alg is unknown", raw(`{"alg":"ES256K"}`, `{}`), "The algorithm of the token is not accepted"},
		{"another algorithm", sign("HS512", secret, valid(nil), nil), "The algorithm of the token is not accepted"},
		{"a public key", sign("RS256", rsaKey, valid(nil), nil), "The algorithm of the token is not accepted"},
		{"a public key as the secret", sign("HS256", public, valid(nil), nil), "The signature of the token is wrong"},
		{"another secret", sign("HS256", secret[1:], valid(nil), nil), "The signature of the token is wrong"},
		{"crit", sign("HS256", secret, valid(nil), map[string]any{"crit": []string{"exp"}}), "The token has a critical header, which is not understood"},
		{"crit is null", sign("HS256", secret, valid(nil), map[string]any{"crit": nil}), "The token has a critical header, which is not understood"},
		{"huge", sign("HS256", secret, valid(gojwt.MapClaims{"x": strings.Repeat("x", 8<<10)}), nil), "The token is too long"},
		{"huge garbage", strings.Repeat("x", 8<<10+1), "The token is too long"},
		{"long garbage", strings.Repeat(".", 8<<10), "The token is malformed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := authorize(t, config(nil), test.token)
			require.Equal(t, api.Identity{}, identity)
			require.Equal(t, invalid(test.want), api.AsRefusal(err))
		})
	}
}

func next(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[(strings.IndexByte(alphabet, c)+1)%len(alphabet)])
}

func TestKeyConfusion(t *testing.T) {
	der := must(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey))
	c := config(func(c *jwt.Config) {
		c.Algorithms = []string{"RS256"}
		c.Keys = jwt.Static(jwt.Key{Key: &rsaKey.PublicKey})
	})
	for _, key := range [][]byte{
		der,
		pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&rsaKey.PublicKey)}),
		rsaKey.N.Bytes(),
	} {
		_, err := authorize(t, c, sign("HS256", key, valid(nil), nil))
		require.Equal(t, invalid("The algorithm of the token is not accepted"), api.AsRefusal(err))
	}
}

func TestKeysInTheHeaderAreNotFollowed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was followed") }))
	defer server.Close()
	token := sign("RS256", otherRSAKey, valid(nil), map[string]any{
		"jku": server.URL, "x5u": server.URL, "jwk": jwk("", &otherRSAKey.PublicKey), "x5c": []string{"MIIB"},
	})
	_, err := authorize(t, config(func(c *jwt.Config) {
		c.Algorithms = []string{"RS256"}
		c.Keys = jwt.Static(jwt.Key{Key: &rsaKey.PublicKey})
	}), token)
	require.Equal(t, invalid("The signature of the token is wrong"), api.AsRefusal(err))
}

func TestTypeOfTheToken(t *testing.T) {
	tests := []struct {
		want     string
		sent     any
		admitted bool
	}{
		{"", "JWT", true},
		{"at+jwt", "at+jwt", true},
		{"at+jwt", "AT+JWT", true},
		{"at+jwt", "application/at+jwt", true},
		{"application/at+jwt", "at+jwt", true},
		{"at+jwt", "JWT", false},
		{"at+jwt", "", false},
		{"at+jwt", nil, false},
		{"at+jwt", []string{"at+jwt"}, false},
		{"at+jwt", "xat+jwt", false},
	}
	for _, test := range tests {
		_, err := authorize(t, config(func(c *jwt.Config) { c.Type = test.want }),
			sign("HS256", secret, valid(nil), map[string]any{"typ": test.sent}))
		if test.admitted {
			require.NoError(t, err)
		} else {
			require.Equal(t, invalid("The type of the token is not accepted"), api.AsRefusal(err), test.sent)
		}
	}
}

func TestMaxBytes(t *testing.T) {
	token := sign("HS256", secret, valid(nil), nil)
	_, err := authorize(t, config(func(c *jwt.Config) { c.MaxBytes = len(token) }), token)
	require.NoError(t, err)
	_, err = authorize(t, config(func(c *jwt.Config) { c.MaxBytes = len(token) - 1 }), token)
	require.Equal(t, invalid("The token is too long"), api.AsRefusal(err))
}
