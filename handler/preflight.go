package handler

import (
	"context"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// CorsPreflight answers OPTIONS with 204 and no body. The header fields of CORS
// and Allow are the presenter's. The zero value is ready to use.
type CorsPreflight struct {
	// Header is added to the answer as by [api.WithHeader]: a field that stands
	// there already is replaced, but for Vary. It is not changed after the
	// presenter was made.
	Header http.Header

	// WithBody answers 200 with an empty JSON list instead, for clients that
	// take no other status for success.
	WithBody bool
}

var _ api.PreflightHandler = CorsPreflight{}

// Handle makes the answer.
func (c CorsPreflight) Handle(context.Context, *api.Request) (api.Response, error) {
	answer := api.NoContent()
	if c.WithBody {
		answer = api.JSON(http.StatusOK, []struct{}{})
	}
	return api.WithHeader(answer, c.Header), nil
}

// Preflight marks the handler as one for OPTIONS.
func (CorsPreflight) Preflight() {}
