package jwt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func validate(c jwt.Config) error { return jwt.New(c).(interface{ Validate() error }).Validate() }

type faulty struct{}

func (faulty) Key(context.Context, string, string) (any, error) { return nil, jwt.ErrUnknownKey }

func (faulty) Validate() error { return errors.New("the source has a mistake") }

func TestMistakes(t *testing.T) {
	url := func(c jwt.JWKSConfig) func(*jwt.Config) {
		return func(config *jwt.Config) { config.Algorithms, config.Keys = []string{"RS256"}, jwt.JWKS(c) }
	}
	algorithms := func(names ...string) func(*jwt.Config) { return func(c *jwt.Config) { c.Algorithms = names } }
	keys := func(algorithm string, keys ...jwt.Key) func(*jwt.Config) {
		return func(c *jwt.Config) { c.Algorithms, c.Keys = []string{algorithm}, jwt.Static(keys...) }
	}
	const example = "https://issuer.example/jwks.json"
	const secretBesidePublic = "jwt: algorithms with a secret stand beside such with a public key, which could be taken for the secret"
	tests := []struct {
		name   string
		change func(*jwt.Config)
		want   string // "": none
	}{
		{"none", nil, ""},
		{"all of them", func(c *jwt.Config) { *c = jwt.Config{Leeway: -1, MaxBytes: -1, Realm: "é", Scopes: []string{"a b"}} },
			"jwt: there is no issuer: name it, or set AnyIssuer\n" +
				"jwt: there is no audience: name it, or set AnyAudience\n" +
				"jwt: the leeway is not between 0 and 30 seconds\n" +
				"jwt: MaxBytes is negative\n" +
				"jwt: scope \"a b\": it is no scope-token (RFC 6749, section 3.3)\n" +
				"jwt: there are no algorithms\n" +
				"jwt: there are no keys\n" +
				"auth: the realm is not printable ASCII"},
		{"issuer and any", func(c *jwt.Config) { c.AnyIssuer = true }, "jwt: there is an issuer beside AnyIssuer"},
		{"audience and any", func(c *jwt.Config) { c.AnyAudience = true }, "jwt: there is an audience beside AnyAudience"},
		{"empty audience", func(c *jwt.Config) { c.Audience = []string{audience, ""} }, "jwt: an audience is empty"},
		{"longest leeway", func(c *jwt.Config) { c.Leeway = 30 * time.Second }, ""},
		{"leeway", func(c *jwt.Config) { c.Leeway = 30*time.Second + 1 }, "jwt: the leeway is not between 0 and 30 seconds"},
		{"scopes", func(c *jwt.Config) { c.Scopes = []string{"", "a\"", "b\\", "é", "!#[]~"} },
			"jwt: scope \"\": it is no scope-token (RFC 6749, section 3.3)\n" +
				"jwt: scope \"a\\\"\": it is no scope-token (RFC 6749, section 3.3)\n" +
				"jwt: scope \"b\\\\\": it is no scope-token (RFC 6749, section 3.3)\n" +
				"jwt: scope \"é\": it is no scope-token (RFC 6749, section 3.3)"},
		{"a nil source", func(c *jwt.Config) { c.Keys = source(nil) }, "jwt: there are no keys"},
		{"a source with a mistake", func(c *jwt.Config) { c.Keys = faulty{} }, "the source has a mistake"},

		{"none", algorithms("HS256", "none"), `jwt: algorithm "none": everybody could write such a token`},
		{"none in capitals", algorithms("HS256", "NONE"), `jwt: algorithm "NONE": everybody could write such a token`},
		{"unknown", algorithms("HS256", "HS1", "hs256"), "jwt: algorithm \"HS1\" is not supported\njwt: algorithm \"hs256\" is not supported"},
		{"key confusion", algorithms("HS256", "RS256"), secretBesidePublic},
		{"key confusion with EdDSA", algorithms("EdDSA", "HS256"), secretBesidePublic},

		{"no static key", keys("HS256"), "jwt: Static has no keys"},
		{"keys with IDs", keys("HS256", jwt.Key{ID: "a", Key: secret}, jwt.Key{ID: "b", Key: secret}), ""},
		{"keys without IDs", keys("HS256", jwt.Key{Key: secret}, jwt.Key{Key: secret}), "jwt: key 1: it has no ID, which several keys need\njwt: key 2: it has no ID, which several keys need"},
		{"keys with one ID", keys("HS256", jwt.Key{ID: "a", Key: secret}, jwt.Key{ID: "a", Key: secret}), "jwt: key 2: it has the ID of a key before it"},
		{"a key that no algorithm uses", keys("RS256", jwt.Key{Key: edPublic}), "jwt: key 1 fits none of the algorithms"},
		{"a secret for a public key", keys("RS256", jwt.Key{Key: secret}), "jwt: key 1 fits none of the algorithms"},
		{"a public key for a secret", keys("HS256", jwt.Key{Key: &rsaKey.PublicKey}), "jwt: key 1 fits none of the algorithms"},
		{"another curve", keys("ES256", jwt.Key{Key: &p384.PublicKey}), "jwt: key 1 fits none of the algorithms"},
		{"the shortest secret", keys("HS256", jwt.Key{Key: secret[:32]}), ""},
		{"a short secret", keys("HS256", jwt.Key{Key: secret[:31]}), "jwt: key 1: a secret of 31 bytes is too short: 32 are the least"},
		{"a short secret for HS384", keys("HS384", jwt.Key{Key: secret[:47]}), "jwt: key 1 fits none of the algorithms"},
		{"a short secret for HS512", keys("HS512", jwt.Key{Key: secret[:63]}), "jwt: key 1 fits none of the algorithms"},
		{"a short RSA key", keys("RS256", jwt.Key{Key: &weakRSAKey.PublicKey}), "jwt: key 1: an RSA key of 1024 bits is not accepted: it has 2048 to 8192"},
		{"an empty RSA key", keys("RS256", jwt.Key{Key: &rsa.PublicKey{}}), "jwt: key 1: it is no RSA key"},
		{"an RSA key with the exponent 1", keys("RS256", jwt.Key{Key: &rsa.PublicKey{N: rsaKey.N, E: 1}}), "jwt: key 1: it is no RSA key"},
		{"a weak curve", keys("ES256", jwt.Key{Key: &generateEC(elliptic.P224()).PublicKey}), "jwt: key 1: it is no point on P-256, P-384 or P-521"},
		{"no point", keys("ES256", jwt.Key{Key: &ecdsa.PublicKey{Curve: elliptic.P256()}}), "jwt: key 1: it is no point on P-256, P-384 or P-521"},
		{"half an Ed25519 key", keys("EdDSA", jwt.Key{Key: edPublic[:16]}), "jwt: key 1: an Ed25519 key of 16 bytes is none"},
		{"a private key", keys("RS256", jwt.Key{Key: rsaKey}), "jwt: key 1: it is a private key: give the public one"},
		{"a text", keys("HS256", jwt.Key{Key: string(secret)}), "jwt: key 1: a string is no key that is supported"},
		{"no key", keys("HS256", jwt.Key{}), "jwt: key 1: it is nil"},
		{"a nil key", keys("RS256", jwt.Key{Key: (*rsa.PublicKey)(nil)}), "jwt: key 1: it is nil"},

		{"a JWKS", url(jwt.JWKSConfig{URL: example}), ""},
		{"a JWKS on this machine", url(jwt.JWKSConfig{URL: "http://127.0.0.1:8080/jwks"}), ""},
		{"a JWKS on localhost", url(jwt.JWKSConfig{URL: "http://localhost/jwks"}), ""},
		{"a JWKS on ::1", url(jwt.JWKSConfig{URL: "http://[::1]/jwks"}), ""},
		{"a JWKS by http, allowed", url(jwt.JWKSConfig{URL: "http://issuer.example/jwks", AllowHTTP: true}), ""},
		{"a JWKS by http", url(jwt.JWKSConfig{URL: "http://localhost.example/jwks"}), "jwt: JWKS: the URL is not https: set AllowHTTP when nobody can change what the network carries"},
		{"a JWKS nowhere", url(jwt.JWKSConfig{}), "jwt: JWKS: there is no URL"},
		{"a JWKS in a file", url(jwt.JWKSConfig{URL: "file:///etc/jwks"}), "jwt: JWKS: the URL does not begin with https:// and a host"},
		{"a JWKS at no URL", url(jwt.JWKSConfig{URL: "https://%zz"}), "jwt: JWKS: the URL cannot be read"},
		{"a JWKS with a password", url(jwt.JWKSConfig{URL: "https://user:password@issuer.example/"}), "jwt: JWKS: the URL has credentials in it: let the transport of the Client send them"},
		{"negative durations", url(jwt.JWKSConfig{URL: example, Refresh: -1, StaleFor: -1, Cooldown: -2, Timeout: -1}),
			"jwt: JWKS: Refresh is negative\njwt: JWKS: StaleFor is negative\njwt: JWKS: Cooldown is negative\njwt: JWKS: Timeout is negative"},
		{"a long Cooldown", url(jwt.JWKSConfig{URL: example, Cooldown: time.Hour}), "jwt: JWKS: Cooldown is longer than Refresh"},
		{"a JWKS for secrets", func(c *jwt.Config) { c.Keys = jwt.JWKS(jwt.JWKSConfig{URL: example}) }, "jwt: a JWKS has public keys, which algorithms with a secret do not use"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := config(test.change)
			err := validate(c)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, test.want)

			identity, err := jwt.New(c).Authorize(t.Context(), request("Bearer "+sign("HS256", secret, valid(nil), nil)))
			require.Error(t, err)
			require.Equal(t, api.Identity{}, identity)
		})
	}
}

// A program that goes on changing what it gave does not change what is admitted.
func TestConfigurationIsReadOnce(t *testing.T) {
	key := append([]byte{}, secret...)
	c := config(func(c *jwt.Config) { c.Keys = jwt.Static(jwt.Key{Key: key}) })
	a := jwt.New(c)
	c.Algorithms[0], c.Audience[0] = "none", "other"
	clear(key)

	_, err := a.Authorize(t.Context(), request("Bearer "+sign("HS256", secret, valid(nil), nil)))
	require.NoError(t, err)
	_, err = a.Authorize(t.Context(), request("Bearer "+sign("HS256", key, valid(nil), nil)))
	require.Equal(t, invalid("The signature of the token is wrong"), api.AsRefusal(err))
}
