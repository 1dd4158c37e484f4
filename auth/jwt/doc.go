// Package jwt admits callers by JSON Web Tokens (RFC 7519), sent as bearer tokens
// (RFC 6750), with the practices of RFC 8725.
//
//	authorization := jwt.New(jwt.Config{
//		Algorithms: []string{"RS256"},
//		Keys:       jwt.JWKS(jwt.JWKSConfig{URL: "https://issuer.example/jwks.json"}),
//		Issuer:     "https://issuer.example/",
//		Audience:   []string{"https://api.example/"},
//		Scopes:     []string{"reports:read"},
//	})
//
// Keys come from a [KeySource]: [Static] or [JWKS]. A token names its key by an
// ID at most; "jwk", "jku", "x5c" and "x5u" in its header are never looked at.
//
// To admit the tokens of several issuers, give [auth.Any] an authorization for
// each: every issuer then has its own keys.
package jwt
