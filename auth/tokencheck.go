package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/api"
)

// tokenCheck is what every scheme does with a token once it has read it: ask the
// repository, then the restriction of the token.
type tokenCheck struct {
	scheme string // of the identity
	tokens TokenRepository

	// challenge is WWW-Authenticate of a token that is not valid; the repository
	// may have described why.
	challenge func(description string) string
}

func (c *tokenCheck) authorize(ctx context.Context, r *api.Request, token string) (api.Identity, error) {
	if c.tokens == nil {
		return api.Identity{}, errNoRepository
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
	if found.ID == "" {
		found.ID = digestOf(token).id()
	}
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
	if c.tokens == nil {
		return errNoRepository
	}
	if v, ok := c.tokens.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

var errNoRepository = errors.New("auth: there is no token repository")
