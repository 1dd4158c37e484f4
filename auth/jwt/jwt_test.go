package jwt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	gojwt "github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

const (
	issuer   = "https://issuer.example/"
	audience = "https://api.example/"

	bare           = `Bearer realm="api"`
	invalidRequest = bare + `, error="invalid_request"`
)

var (
	secret = []byte("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef") // enough for HS512
	start  = time.Unix(1_800_000_000, 0)

	rsaKey, otherRSAKey, weakRSAKey = generateRSA(2048), generateRSA(2048), generateRSA(1024)
	p256, p384, p521                = generateEC(elliptic.P256()), generateEC(elliptic.P384()), generateEC(elliptic.P521())
	edPublic, edKey                 = generateEd25519()
)

func generateRSA(bits int) *rsa.PrivateKey { return must(rsa.GenerateKey(rand.Reader, bits)) }

func generateEC(curve elliptic.Curve) *ecdsa.PrivateKey {
	return must(ecdsa.GenerateKey(curve, rand.Reader))
}

func generateEd25519() (ed25519.PublicKey, ed25519.PrivateKey) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	return public, must(private, err)
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// valid is claims that are admitted, with changes; nil takes a claim away.
func valid(changes gojwt.MapClaims) gojwt.MapClaims {
	claims := gojwt.MapClaims{"iss": issuer, "aud": audience, "sub": "ada", "exp": start.Add(time.Minute).Unix()}
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// sign makes a token. The header has the members besides "alg" and "typ".
func sign(algorithm string, key any, claims gojwt.Claims, header map[string]any) string {
	token := gojwt.NewWithClaims(gojwt.GetSigningMethod(algorithm), claims)
	for name, value := range header {
		token.Header[name] = value
	}
	return must(token.SignedString(key))
}

// raw is a token of texts, signed with the secret.
func raw(header, payload string) string {
	text := encode(header) + "." + encode(payload)
	return text + "." + encode(string(must(gojwt.SigningMethodHS256.Sign(text, secret))))
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// config admits valid tokens of the secret, at the start.
func config(change func(*jwt.Config)) jwt.Config {
	c := jwt.Config{
		Algorithms: []string{"HS256"},
		Keys:       jwt.Static(jwt.Key{Key: secret}),
		Issuer:     issuer,
		Audience:   []string{audience},
		Clock:      func() time.Time { return start },
	}
	if change != nil {
		change(&c)
	}
	return c
}

// request has lines of Authorization.
func request(lines ...string) *api.Request {
	r := httptest.NewRequest(http.MethodGet, "/?access_token="+sign("HS256", secret, valid(nil), nil), nil)
	if lines != nil {
		r.Header["Authorization"] = lines
	}
	return &api.Request{Request: r}
}

func authorize(t *testing.T, c jwt.Config, token string) (api.Identity, error) {
	t.Helper()
	a := jwt.New(c)
	require.NoError(t, a.(interface{ Validate() error }).Validate())
	return a.Authorize(t.Context(), request("Bearer "+token))
}

// invalid is how a token is refused.
func invalid(message string) *api.Refusal {
	return &api.Refusal{
		Kind: api.KindUnauthorized, Message: message,
		Challenge: bare + `, error="invalid_token", error_description="` + message + `"`,
	}
}

// source is a KeySource of one function.
type source func(ctx context.Context, id, algorithm string) (any, error)

func (s source) Key(ctx context.Context, id, algorithm string) (any, error) {
	return s(ctx, id, algorithm)
}

func TestSchemeIsBearer(t *testing.T) {
	require.Equal(t, api.Scheme{Name: "bearer", Challenge: bare, Identifies: api.IdentifiesAlways, Type: "http", BearerFormat: "JWT"},
		jwt.New(config(nil)).Scheme())

	scheme := jwt.New(config(func(c *jwt.Config) { c.Realm, c.Scopes = `a "b"`, []string{"reports:read"} })).Scheme()
	require.Equal(t, `Bearer realm="a \"b\""`, scheme.Challenge)
	require.Equal(t, []string{"reports:read"}, scheme.Scopes)
}

// What package auth makes of authorizations it makes of these, too.
func TestBesideOtherAuthorizations(t *testing.T) {
	first := jwt.New(config(nil))
	second := jwt.New(config(func(c *jwt.Config) { c.Issuer = "second" }))
	token := func(issuer string) *api.Request {
		return request("Bearer " + sign("HS256", secret, valid(gojwt.MapClaims{"iss": issuer, "scope": "a b"}), nil))
	}

	identity, err := auth.Any(first, second).Authorize(t.Context(), token("second"))
	require.NoError(t, err)
	require.Equal(t, "jwt:second#ada", identity.String())
	_, err = auth.Any(first, auth.None()).Authorize(t.Context(), token("second"))
	require.Equal(t, invalid("The token is from another issuer"), api.AsRefusal(err))
	identity, err = auth.Any(first, auth.None()).Authorize(t.Context(), request())
	require.NoError(t, err)
	require.Equal(t, api.Identity{}, identity)

	identity, err = auth.Scopes(first, "a").Authorize(t.Context(), token(issuer))
	require.NoError(t, err)
	require.Equal(t, "jwt:"+issuer+"#ada", identity.String())
	for _, a := range []api.Authorization{first, auth.Any(auth.Basic(auth.Passwords{}), first), auth.All(auth.None(), auth.Any(second, first))} {
		_, err = auth.Scopes(a, "a", "c").Authorize(t.Context(), token(issuer))
		require.Equal(t, &api.Refusal{
			Kind: api.KindForbidden, Message: "Insufficient scope",
			Challenge: bare + `, error="insufficient_scope", scope="a c"`,
		}, api.AsRefusal(err))
	}
}

// A Value of the program's own takes no scopes away.
func TestEveryAlgorithmAdmits(t *testing.T) {
	tests := []struct {
		algorithm     string
		signs, checks any
	}{
		{"HS256", secret, secret}, {"HS384", secret, secret}, {"HS512", secret, secret},
		{"RS256", rsaKey, &rsaKey.PublicKey}, {"RS384", rsaKey, &rsaKey.PublicKey}, {"RS512", rsaKey, &rsaKey.PublicKey},
		{"PS256", rsaKey, &rsaKey.PublicKey}, {"PS384", rsaKey, &rsaKey.PublicKey}, {"PS512", rsaKey, &rsaKey.PublicKey},
		{"ES256", p256, &p256.PublicKey}, {"ES384", p384, &p384.PublicKey}, {"ES512", p521, &p521.PublicKey},
		{"EdDSA", edKey, edPublic},
	}
	for _, test := range tests {
		t.Run(test.algorithm, func(t *testing.T) {
			c := config(func(c *jwt.Config) {
				c.Algorithms = []string{test.algorithm}
				c.Keys = jwt.Static(jwt.Key{Key: test.checks})
			})
			token := sign(test.algorithm, test.signs, valid(gojwt.MapClaims{"exp": nil, "plan": "paid"}), nil)
			_, err := authorize(t, c, token)
			require.Equal(t, invalid("The token has no expiration time"), api.AsRefusal(err))

			c.AnyLifetime = true
			identity, err := authorize(t, c, token)
			require.NoError(t, err)
			require.Equal(t, api.Identity{
				Scheme: "jwt", ID: issuer + "#ada",
				Value: jwt.Claims{"iss": issuer, "aud": audience, "sub": "ada", "plan": "paid"},
			}, identity)

			_, err = authorize(t, c, token[:len(token)-8]+"AAAAAAAA")
			require.Equal(t, invalid("The signature of the token is wrong"), api.AsRefusal(err))
		})
	}
}

func TestHeaderIsReadAsThatOfBearer(t *testing.T) {
	token := sign("HS256", secret, valid(nil), nil)
	tests := []struct {
		name  string
		lines []string
		want  api.Refusal
	}{
		{"in the query alone", nil, api.Refusal{Kind: api.KindUnauthorized, Message: "Authorization header HTTP_Authorization is not set", Challenge: bare}},
		{"two headers", []string{"Bearer " + token, "Bearer " + token}, api.Refusal{Kind: api.KindInput, Message: "Authorization header contains invalid structure", Challenge: invalidRequest}},
		{"two tokens", []string{"Bearer " + token + " " + token}, api.Refusal{Kind: api.KindInput, Message: "Authorization header contains invalid structure", Challenge: invalidRequest}},
		{"no token", []string{"Bearer "}, api.Refusal{Kind: api.KindInput, Message: "Authorization header contains invalid structure", Challenge: invalidRequest}},
		{"other scheme", []string{"Basic dTpw"}, api.Refusal{Kind: api.KindUnauthorized, Message: "Authorization header doesn't contain bearer token", Challenge: bare}},
	}
	a := jwt.New(config(nil))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := a.Authorize(t.Context(), request(test.lines...))
			require.Equal(t, api.Identity{}, identity)
			require.Equal(t, &test.want, api.AsRefusal(err))
		})
	}
}

// next is the character of base64 behind c.
// A public key is never a secret, in whatever form it is written.
// The header of a token names its key and brings none.
