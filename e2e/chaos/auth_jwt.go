package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	gojwt "github.com/golang-jwt/jwt/v5"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func forgedJWT(t *trial) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	t.must(err)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	t.must(err)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	t.must(err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	t.must(err)
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	secret := bytes.Repeat([]byte("k"), 32)
	config := func(algorithm string, k any) api.Authorization {
		return jwt.New(jwt.Config{Algorithms: []string{algorithm}, Keys: jwt.Static(jwt.Key{ID: "k", Key: k}), Issuer: "https://issuer.example/", Audience: []string{"books"}})
	}
	s := serve(t, sallyport.Server{}, sallyport.Config{}, func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "rs"), identify, config("RS256", &key.PublicKey))
		d.AddApi(api.GET("1", "es"), identify, config("ES256", &ec.PublicKey))
		d.AddApi(api.GET("1", "hs"), identify, config("HS256", secret))
	})
	now := time.Now()
	claims := func(change func(c gojwt.MapClaims)) gojwt.MapClaims {
		c := gojwt.MapClaims{"iss": "https://issuer.example/", "aud": "books", "sub": "ada", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix()}
		if change != nil {
			change(c)
		}
		return c
	}
	sign := func(m gojwt.SigningMethod, k any, c gojwt.MapClaims, head map[string]any) string {
		token := gojwt.NewWithClaims(m, c)
		token.Header["kid"] = "k"
		for name, v := range head {
			token.Header[name] = v
		}
		text, err := token.SignedString(k)
		t.must(err)
		return text
	}
	good := map[string]string{
		"rs": sign(gojwt.SigningMethodRS256, key, claims(nil), nil),
		"es": sign(gojwt.SigningMethodES256, ec, claims(nil), nil),
		"hs": sign(gojwt.SigningMethodHS256, secret, claims(nil), nil),
	}
	for path, token := range good {
		res, text := s.ask(t, "/api/v1/"+path, "Authorization", "Bearer "+token)
		t.check(res.StatusCode == 200 && strings.Contains(text, "ada"), "a good token for %s: %s %s", path, res.Status, text)
	}
	parts := strings.Split(good["rs"], ".")
	set := func(name string, v any) gojwt.MapClaims { return claims(func(c gojwt.MapClaims) { c[name] = v }) }
	without := func(name string) gojwt.MapClaims { return claims(func(c gojwt.MapClaims) { delete(c, name) }) }
	rs := func(c gojwt.MapClaims) string { return sign(gojwt.SigningMethodRS256, key, c, nil) }
	none := func(alg string) string { return segment(map[string]any{"alg": alg, "kid": "k"}) + "." + parts[1] + "." }
	attacks := map[string]string{
		"alg none":                        none("none"),
		"alg None":                        none("None"),
		"alg NONE":                        none("NONE"),
		"alg nOnE with the signature":     none("nOnE") + parts[2],
		"alg empty":                       none(""),
		"no alg":                          segment(map[string]any{"kid": "k"}) + "." + parts[1] + "." + parts[2],
		"alg as a list":                   segment(map[string]any{"alg": []string{"RS256"}, "kid": "k"}) + "." + parts[1] + "." + parts[2],
		"HS256 with the public key (PEM)": sign(gojwt.SigningMethodHS256, public, claims(nil), nil),
		"HS256 with the public key (DER)": sign(gojwt.SigningMethodHS256, der, claims(nil), nil),
		"HS256 with an empty key":         sign(gojwt.SigningMethodHS256, []byte{}, claims(nil), nil),
		"PS256 with the same key":         sign(gojwt.SigningMethodPS256, key, claims(nil), nil),
		"RS512 with the same key":         sign(gojwt.SigningMethodRS512, key, claims(nil), nil),
		"another key":                     sign(gojwt.SigningMethodRS256, other, claims(nil), nil),
		"another key in jwk":              sign(gojwt.SigningMethodRS256, other, claims(nil), map[string]any{"jwk": map[string]any{"kty": "RSA", "e": "AQAB", "n": base64.RawURLEncoding.EncodeToString(other.N.Bytes())}}),
		"jku":                             sign(gojwt.SigningMethodRS256, other, claims(nil), map[string]any{"jku": s.url}),
		"x5u":                             sign(gojwt.SigningMethodRS256, other, claims(nil), map[string]any{"x5u": s.url}),
		"kid as a path":                   sign(gojwt.SigningMethodRS256, other, claims(nil), map[string]any{"kid": "../../dev/null"}),
		"kid as SQL":                      sign(gojwt.SigningMethodRS256, other, claims(nil), map[string]any{"kid": "' OR 1=1 --"}),
		"crit":                            sign(gojwt.SigningMethodRS256, key, claims(nil), map[string]any{"crit": []string{"exp"}}),
		"no signature":                    parts[0] + "." + parts[1] + ".",
		"two parts":                       parts[0] + "." + parts[1],
		"four parts":                      good["rs"] + ".x",
		"five parts":                      good["rs"] + ".x.y",
		"other claims":                    parts[0] + "." + segment(set("sub", "admin")) + "." + parts[2],
		"a signature with a bit more":     good["rs"] + "A",
		"padding":                         good["rs"] + "==",
		"expired":                         rs(set("exp", now.Add(-time.Second).Unix())),
		"expired long ago":                rs(set("exp", 1)),
		"no exp":                          rs(without("exp")),
		"exp as text":                     rs(set("exp", fmt.Sprint(now.Add(time.Hour).Unix()))),
		"exp null":                        rs(set("exp", nil)),
		"exp negative":                    rs(set("exp", -1)),
		"not yet valid":                   rs(set("nbf", now.Add(time.Minute).Unix())),
		"nbf as text":                     rs(set("nbf", "0")),
		"another audience":                rs(set("aud", "other")),
		"no audience":                     rs(without("aud")),
		"an audience that begins alike":   rs(set("aud", "books2")),
		"an audience in another case":     rs(set("aud", "Books")),
		"another issuer":                  rs(set("iss", "https://evil.example/")),
		"an issuer without its slash":     rs(set("iss", "https://issuer.example")),
		"no issuer":                       rs(without("iss")),
		"an issuer as a list":             rs(set("iss", []string{"https://issuer.example/"})),
		"no subject":                      rs(without("sub")),
		"a subject as a number":           rs(set("sub", 1)),
		"a token for ES256":               good["es"],
		"a token for HS256":               good["hs"],
		"a claim twice, the last expired": twice(t, key, `{"iss":"https://issuer.example/","aud":"books","sub":"ada","exp":99999999999,"exp":1}`),
		"10 KB":                           rs(set("x", strings.Repeat("a", 10_000))),
		"JWE":                             "a.b.c.d.e",
		"rubbish":                         "....",
	}
	// RFC 7518, section 3.4: ES256 is the two numbers, not DER, and neither is zero.
	esParts := strings.Split(good["es"], ".")
	onES := map[string]string{
		"ES256 with zeros":     esParts[0] + "." + esParts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 64)),
		"ES256 with nothing":   esParts[0] + "." + esParts[1] + ".",
		"RS256 for ES256":      good["rs"],
		"HS256 with a point":   sign(gojwt.SigningMethodHS256, elliptic.Marshal(elliptic.P256(), ec.X, ec.Y), claims(nil), nil), //nolint:staticcheck // what an attacker would do
		"ES256 of another key": good["es"][:len(good["es"])-6] + "AAAAAA",
	}
	got := map[string]int{}
	try := func(path string, all map[string]string) {
		for name, token := range all {
			res, text := s.ask(t, "/api/v1/"+path, "Authorization", "Bearer "+token)
			got[fmt.Sprint(res.StatusCode)]++
			t.check(res.StatusCode == 401 || res.StatusCode == 400, "%s: %s %s", name, res.Status, text)
			t.check(res.Header.Get("WWW-Authenticate") != "", "%s: no challenge", name)
		}
	}
	try("rs", attacks)
	try("es", onES)
	t.measure("%d forged tokens: %s; 3 good ones 200", len(attacks)+len(onES), counts(got))
}

// twice signs claims as they stand. The last of a name counts, or none (RFC 7519,
// section 4).
func twice(t *trial, key *rsa.PrivateKey, claims string) string {
	text := segment(map[string]any{"alg": "RS256", "typ": "JWT", "kid": "k"}) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	signature, err := gojwt.SigningMethodRS256.Sign(text, key)
	t.must(err)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}
