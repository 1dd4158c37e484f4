package jwt_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/MicahParks/jwkset"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

// From the issuer to the identity, over TLS, with a key that takes the place of
// another.
func TestJWKSOverTLS(t *testing.T) {
	var accept string
	keys := []jwkset.JWKMarshal{jwk("2026-1", &rsaKey.PublicKey)}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		accept = r.Header.Get("Accept")
		_, _ = w.Write([]byte(set(keys...)))
	}))
	defer server.Close()
	c := config(func(c *jwt.Config) {
		c.Algorithms = []string{"RS256", "EdDSA"}
		c.Keys = jwt.JWKS(jwt.JWKSConfig{URL: server.URL, Client: server.Client(), Cooldown: 1})
	})
	first := sign("RS256", rsaKey, valid(nil), map[string]any{"kid": "2026-1"})
	second := sign("EdDSA", edKey, valid(nil), map[string]any{"kid": "2026-2"})

	_, err := authorize(t, c, first)
	require.NoError(t, err)
	require.Equal(t, "application/jwk-set+json, application/json", accept)
	_, err = authorize(t, c, second)
	require.Equal(t, invalid("The key of the token is unknown"), api.AsRefusal(err))

	keys = []jwkset.JWKMarshal{jwk("2026-2", edPublic)}
	identity, err := authorize(t, c, second)
	require.NoError(t, err)
	require.Equal(t, "jwt:"+issuer+"#ada", identity.String())
	_, err = authorize(t, c, first)
	require.Equal(t, invalid("The key of the token is unknown"), api.AsRefusal(err))

	server.Close() // the key may be a new one: that is not for the client
	_, err = authorize(t, c, first)
	require.Error(t, err)
	require.Nil(t, api.AsRefusal(err))
}

func TestJWKSThatCannotBeRead(t *testing.T) {
	good := set(jwk("a", &rsaKey.PublicKey))
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    string // "": it can be read
	}{
		{"a set", text(good), ""},
		{"1 MiB", text(good + strings.Repeat(" ", 1<<20-len(good))), ""},
		{"more than 1 MiB", text(good + strings.Repeat(" ", 1<<20-len(good)+1)), "the set has more than 1 MiB"},
		{"no JSON", text("<html>secret</html>"), "the body is no set of keys"},
		{"two sets", text(good + good), "the body is no set of keys"},
		{"a list", text("[]"), "the body is no set of keys"},
		{"empty", text(""), "the body is no set of keys"},
		{"no keys", text(`{"keys":[]}`), "the set has no key that can be used"},
		{"a status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound); text(good)(w, nil) }, "the status is 404"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/elsewhere" {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			text(good)(w, r)
		}, "the status is 302"},
		{"cut off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9999")
			text(good)(w, nil)
		}, "unexpected EOF"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			_, err := jwt.JWKS(jwt.JWKSConfig{URL: server.URL + "/?key=hidden"}).Key(t.Context(), "a", "RS256")
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			host := strings.TrimPrefix(server.URL, "http://")
			require.EqualError(t, err, "jwt: JWKS: the keys are not available: fetch from "+host+": "+test.want)
		})
	}
}

// Keys that cannot verify a signature are left out, and the rest of the set is
// used.
func TestKeysOfAJWKS(t *testing.T) {
	change := func(change func(*jwkset.JWKMarshal)) jwkset.JWKMarshal { return jwk("a", &rsaKey.PublicKey, change) }
	tests := []struct {
		name, algorithm string
		key             any
		found           bool
	}{
		{"RSA", "RS256", jwk("a", &rsaKey.PublicKey), true},
		{"RSA with PS", "PS512", jwk("a", &rsaKey.PublicKey), true},
		{"P-256", "ES256", jwk("a", &p256.PublicKey), true},
		{"P-384", "ES384", jwk("a", &p384.PublicKey), true},
		{"P-521", "ES512", jwk("a", &p521.PublicKey), true},
		{"Ed25519", "EdDSA", jwk("a", edPublic), true},
		{"for signatures", "RS256", change(func(m *jwkset.JWKMarshal) { m.USE, m.KEYOPS = "sig", []jwkset.KEYOPS{"verify"} }), true},
		{"for its algorithm", "RS256", change(func(m *jwkset.JWKMarshal) { m.ALG = "RS256" }), true},
		{"certificates are not looked at", "RS256", change(func(m *jwkset.JWKMarshal) { m.X5U, m.X5C = "http://issuer.example/", []string{"garbage"} }), true},
		{"for another algorithm", "RS256", change(func(m *jwkset.JWKMarshal) { m.ALG = "RS512" }), false},
		{"for encryption", "RS256", change(func(m *jwkset.JWKMarshal) { m.USE = "enc" }), false},
		{"for other operations", "RS256", change(func(m *jwkset.JWKMarshal) { m.KEYOPS = []jwkset.KEYOPS{"encrypt"} }), false},
		{"another ID", "RS256", change(func(m *jwkset.JWKMarshal) { m.KID = "b" }), false},
		{"weak", "RS256", jwk("a", &weakRSAKey.PublicKey), false},
		{"exponent of more than 64 bits", "RS256", change(func(m *jwkset.JWKMarshal) { m.E = "AQAAAAAAAQAB" }), false},
		{"another curve", "ES256", jwk("a", &p384.PublicKey), false},
		{"not on its curve", "ES256", jwk("a", &p256.PublicKey, func(m *jwkset.JWKMarshal) { m.X = m.Y }), false},
		{"a secret", "HS256", map[string]string{"kty": "oct", "kid": "a", "k": base64.RawURLEncoding.EncodeToString(secret)}, false},
		{"a key of the future", "RS256", map[string]any{"kty": "AKP", "kid": "a", "alg": "ML-DSA-44"}, false},
		{"not a key", "RS256", "a", false},
	}
	other := jwk("other", edPublic)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{test.key, other}})
			}))
			defer server.Close()
			source := jwt.JWKS(jwt.JWKSConfig{URL: server.URL})
			_, err := source.Key(t.Context(), "other", "EdDSA")
			require.NoError(t, err)
			_, err = source.Key(t.Context(), "a", test.algorithm)
			if test.found {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, jwt.ErrUnknownKey)
		})
	}
}
