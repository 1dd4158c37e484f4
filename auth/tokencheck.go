package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/scope"
)

// tokenCheck is what every scheme does with a token once it has read it: ask the
// repository, then the restriction of the token.
type tokenCheck struct {
	scheme  string // of the identity
	hashKey []byte // makes the IDs of tokens that have none; nil: none
	tokens  TokenRepository
	missing error // there is no repository

	// challenge is WWW-Authenticate of a token that is not valid; the repository
	// may have described why.
	challenge func(description string) string
}

// newTokenCheck reads static tokens, so that they are hashed once. The check
// tells why a scheme cannot carry a token.
func newTokenCheck(scheme string, tokens TokenRepository, hashKey []byte, check func(token string) error, challenge func(description string) string) tokenCheck {
	c := tokenCheck{scheme: scheme, hashKey: hashKey, tokens: tokens, challenge: challenge}
	switch {
	case tokens == nil:
		c.missing = errors.New("auth: there is no token repository")
	case part.IsNil(tokens):
		c.missing = fmt.Errorf("auth: the token repository is a nil %T", tokens)
	default:
		c.tokens = compiled(tokens, check, hashKey)
	}
	return c
}

func (c *tokenCheck) authorize(ctx context.Context, r *api.Request, token string) (api.Identity, error) {
	if c.missing != nil {
		return api.Identity{}, c.missing
	}
	found, ok, err := c.tokens.Lookup(ctx, token)
	if err != nil {
		return api.Identity{}, c.lookupError(err)
	}
	if !ok {
		return api.Identity{}, refuse(api.KindUnauthorized, "Token doesn't exists or isn't active", c.challenge(""))
	}
	allowed, err := found.IPs.allowsClient(r)
	if err != nil {
		return api.Identity{}, fmt.Errorf("auth: check the IP restriction: %w", err)
	}
	if !allowed {
		return api.Identity{}, refuse(api.KindUnauthorized, "Invalid IP", c.challenge(""))
	}
	switch {
	case found.ID == "":
		found.ID = digestOf(token).id(c.hashKey)
	case len(found.ID) == len(token) && checkID(found.ID, digestOf(token)) != nil:
		return api.Identity{}, fmt.Errorf("auth: look up the token: %w", errTokenAsID)
	}
	scope.Asked(ctx).Add(c.scheme, found.ID, found.Scopes)
	return api.Identity{Scheme: c.scheme, ID: found.ID, Value: found.Value}, nil
}

// lookupError passes on what the repository wants the client to know.
func (c *tokenCheck) lookupError(err error) error {
	refusal := api.AsRefusal(err)
	switch {
	case refusal == nil:
		return fmt.Errorf("auth: look up the token: %w", err)
	case refusal.Kind == api.KindUnauthorized && refusal.Challenge == "":
		return refuse(refusal.Kind, refusal.Message, c.challenge(refusal.Message))
	default:
		return refusal
	}
}

func (c *tokenCheck) validate() error {
	if c.missing != nil {
		return c.missing
	}
	return part.Mistakes(c.tokens)
}
