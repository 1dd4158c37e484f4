package jwt_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
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
func TestScopesBesideAValue(t *testing.T) {
	a := jwt.New(config(func(c *jwt.Config) {
		c.Value = func(context.Context, jwt.Claims) (any, error) { return &user{"ada"}, nil }
	}))
	r := request("Bearer " + sign("HS256", secret, valid(gojwt.MapClaims{"scope": "a b"}), nil))
	for scope, admitted := range map[string]bool{"a": true, "b": true, "a b": false, "c": false} {
		for _, asking := range []api.Authorization{auth.Scopes(a, scope), auth.Scopes(auth.Any(a), scope)} {
			identity, err := asking.Authorize(t.Context(), r)
			require.Equal(t, admitted, err == nil, scope)
			require.Equal(t, &user{"ada"}, identity.Value)
		}
	}
}

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

// next is the character of base64 behind c.
func next(c byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[(strings.IndexByte(alphabet, c)+1)%len(alphabet)])
}

// A public key is never a secret, in whatever form it is written.
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

// The header of a token names its key and brings none.
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

type user struct{ name string }

func TestValueOfTheIdentity(t *testing.T) {
	down := errors.New("the database is down")
	known := api.Identity{Scheme: "jwt", ID: issuer + "#ada"}
	tests := []struct {
		name     string
		value    any
		err      error
		identity api.Identity
		refusal  *api.Refusal
	}{
		{"a user", &user{"ada"}, nil, api.Identity{Scheme: known.Scheme, ID: known.ID, Value: &user{"ada"}}, nil},
		{"nobody any more", nil, api.Unauthorized("Gone"), api.Identity{}, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: bare + `, error="invalid_token"`}},
		{"his own challenge", nil, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: "Other"}, api.Identity{}, &api.Refusal{Kind: api.KindUnauthorized, Message: "Gone", Challenge: "Other"}},
		{"one who may not", nil, api.Forbidden("Not paid"), known, &api.Refusal{Kind: api.KindForbidden, Message: "Not paid"}},
		{"cannot tell", nil, down, api.Identity{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := authorize(t, config(func(c *jwt.Config) {
				c.Value = func(_ context.Context, claims jwt.Claims) (any, error) {
					require.Equal(t, "ada", claims["sub"])
					return test.value, test.err
				}
			}), sign("HS256", secret, valid(nil), nil))
			require.Equal(t, test.identity, identity)
			if test.refusal == nil {
				require.ErrorIs(t, err, test.err)
			}
			require.Equal(t, test.refusal, api.AsRefusal(err))
		})
	}
}
