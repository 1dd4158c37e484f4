package handler

import (
	"context"
	"errors"

	"github.com/sallyport-go/sallyport/api"
)

// Func is a function as an [api.Handler].
type Func func(ctx context.Context, r *api.Request) (api.Response, error)

// Handle calls the function.
func (f Func) Handle(ctx context.Context, r *api.Request) (api.Response, error) { return f(ctx, r) }

// Validate refuses a nil function.
func (f Func) Validate() error {
	if f == nil {
		return errors.New("handler.Func: the function is nil")
	}
	return nil
}
