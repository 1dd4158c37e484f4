package auth

import "context"

// A TokenRepository knows the tokens. An implementation
//   - is safe for concurrent use;
//   - finds a token by a digest of it, so that the time of the search tells
//     nothing about other tokens;
//   - returns ok=false for a token that does not exist or is not active;
//   - returns an error when it cannot tell: the request is answered 500, without
//     the text of the error. To tell a client more than that its token is not
//     active, return [api.Unauthorized] or [api.Forbidden] with a message for it;
//   - may have a method Validate() error, which the presenter calls when it is
//     built.
type TokenRepository interface {
	Lookup(ctx context.Context, token string) (t Token, ok bool, err error)
}

// Token is what a [TokenRepository] knows of one token. The zero Token is
// disabled, as no address may use it.
type Token struct {
	// ID tells who calls: callers with the same ID share the limits by identity.
	// It stands in logs, so it is never the token itself. "" is the start of the
	// token's SHA-256 in hexadecimal; see [HashKey].
	ID string

	IPs   IPRestriction // from where the token may be used; zero: from nowhere
	Value any           // becomes the Value of the identity: the user, his plan

	// Scopes are what the token may be used for, where [Scopes] asks for some.
	Scopes []string
}

// TokenFunc is a [TokenRepository] of one function, which keeps the same rules.
type TokenFunc func(ctx context.Context, token string) (t Token, ok bool, err error)

// Lookup calls the function.
func (f TokenFunc) Lookup(ctx context.Context, token string) (t Token, ok bool, err error) {
	return f(ctx, token)
}
