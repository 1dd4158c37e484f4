package jwt_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	gojwt "github.com/golang-jwt/jwt/v5"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth/jwt"
)

func Example() {
	// What the issuer does, with its private key.
	token, _ := gojwt.NewWithClaims(gojwt.SigningMethodES256, gojwt.MapClaims{
		"iss": "https://issuer.example/", "aud": "https://api.example/", "sub": "ada",
		"exp": time.Now().Add(time.Minute).Unix(), "scope": "reports:read", "plan": "paid",
	}).SignedString(p256)

	// What the API does, with the public one. For keys that the issuer publishes,
	// take jwt.JWKS(jwt.JWKSConfig{URL: "https://issuer.example/jwks.json"}).
	keys := jwt.Static(jwt.Key{Key: &p256.PublicKey})
	for _, scope := range []string{"reports:read", "reports:write"} {
		authorization := jwt.New(jwt.Config{
			Algorithms: []string{"ES256"},
			Keys:       keys,
			Issuer:     "https://issuer.example/",
			Audience:   []string{"https://api.example/"},
			Scopes:     []string{scope},
			Value: func(_ context.Context, claims jwt.Claims) (any, error) {
				return claims["plan"], nil
			},
		})
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		identity, err := authorization.Authorize(context.Background(), &api.Request{Request: r})
		fmt.Println(identity, err)
	}
	// Output:
	// jwt:https://issuer.example/#ada <nil>
	// jwt:https://issuer.example/#ada The token lacks a scope that is required
}
