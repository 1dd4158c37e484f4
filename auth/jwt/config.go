package jwt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/scope"
)

// Config tells which tokens are admitted. The zero Config admits none, and has
// mistakes: algorithms, keys, issuer and audience are required.
type Config struct {
	// Algorithms are the values of "alg" that are accepted, in any order: HS256,
	// HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512,
	// EdDSA. Those with a shared secret (HS) and those with a public key are never
	// accepted together: who knows the public key could sign with it.
	Algorithms []string

	// Keys knows the keys that verify the tokens. One source may serve many
	// authorizations, such as one for each set of scopes; then they share its cache.
	Keys KeySource

	// Issuer is the "iss" that a token must have, compared byte by byte. AnyIssuer
	// takes its place where the keys alone are proof enough.
	Issuer    string
	AnyIssuer bool

	// Audience are the names of this API. A token must be for one of them, or it
	// was issued for somebody else. AnyAudience takes its place where the issuer
	// issues tokens for this API alone.
	Audience    []string
	AnyAudience bool

	// AnyLifetime admits tokens without "exp", too, which are valid for ever.
	AnyLifetime bool

	// Type is the "typ" that the header must have: "at+jwt" for the access tokens
	// of RFC 9068. It keeps apart the kinds of tokens of one issuer (RFC 8725,
	// section 3.11). "" accepts any, and none.
	Type string

	// Scopes are required, all of them: "scope", or else "scp", of the token must
	// hold them, as a list or a text divided by spaces. A token that lacks one is
	// answered 403.
	Scopes []string

	// Leeway is how far the clock of the issuer may be off: 30 seconds at most, 0
	// for not at all.
	Leeway time.Duration

	// MaxBytes bounds the length of a token. 0 is 8192.
	MaxBytes int

	// Realm names what the tokens are for, in printable ASCII. "" is "api".
	Realm string

	// Value makes the Value of the identity, such as the user, of the claims of a
	// valid token. It may refuse with [api.Unauthorized] or [api.Forbidden]; any
	// other error is answered 500. Without it, the Value is the [Claims].
	Value func(ctx context.Context, claims Claims) (any, error)

	// Clock is for tests. nil is time.Now.
	Clock func() time.Time
}

const (
	defaultMaxBytes = 8 << 10
	maxLeeway       = 30 * time.Second
)

// withDefaults is a copy that nobody changes later.
func (c Config) withDefaults() Config {
	c.Algorithms = slices.Clone(c.Algorithms)
	c.Audience = slices.Clone(c.Audience)
	c.Scopes = slices.Clone(c.Scopes)
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.Realm == "" {
		c.Realm = "api"
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c
}

func (c *Config) validate() error {
	var errs []error
	mistake := func(is bool, text string) {
		if is {
			errs = append(errs, errors.New("jwt: "+text))
		}
	}
	mistake(c.Issuer == "" && !c.AnyIssuer, "there is no issuer: name it, or set AnyIssuer")
	mistake(c.Issuer != "" && c.AnyIssuer, "there is an issuer beside AnyIssuer")
	mistake(len(c.Audience) == 0 && !c.AnyAudience, "there is no audience: name it, or set AnyAudience")
	mistake(len(c.Audience) != 0 && c.AnyAudience, "there is an audience beside AnyAudience")
	mistake(slices.Contains(c.Audience, ""), "an audience is empty")
	mistake(c.Leeway < 0 || c.Leeway > maxLeeway, "the leeway is not between 0 and 30 seconds")
	mistake(c.MaxBytes < 0, "MaxBytes is negative")
	for _, text := range c.Scopes {
		mistake(!scope.Valid(text), fmt.Sprintf("scope %q: it is no scope-token (RFC 6749, section 3.3)", text))
	}
	return errors.Join(errors.Join(errs...), validateAlgorithms(c.Algorithms), c.validateKeys())
}

// validateKeys reports what the source alone cannot know: keys that no accepted
// algorithm uses.
func (c *Config) validateKeys() error {
	if part.IsNil(c.Keys) {
		return errors.New("jwt: there are no keys")
	}
	if source, ok := c.Keys.(interface {
		suits(algorithms []string) error
	}); ok {
		return source.suits(c.Algorithms)
	}
	return nil
}
