package auth

import (
	"context"

	"github.com/sallyport-go/sallyport/api"
)

// None admits everybody and identifies nobody. It says of an endpoint that it is
// open on purpose.
func None() api.Authorization { return none{} }

type none struct{}

func (none) Authorize(context.Context, *api.Request) (api.Identity, error) {
	return api.Identity{}, nil
}

func (none) Scheme() api.Scheme { return api.Scheme{Identifies: api.IdentifiesNever} }
