package handler

import (
	"context"

	"github.com/sallyport-go/sallyport/api"
)

// Echo answers with the parameters that it was sent, to try out clients: status
// of the query, which is ok or error, and message, which may be left out.
type Echo struct{}

type echoInput struct {
	Status  string  `query:"status" enum:"ok,error" validate:"required"`
	Message *string `query:"message"`
}

type echoAnswer struct {
	Status string         `json:"status"`
	Params map[string]any `json:"params"`
}

var echo = Typed(func(_ context.Context, in echoInput) (echoAnswer, error) {
	return echoAnswer{in.Status, map[string]any{"status": in.Status, "message": in.Message}}, nil
})

// Handle makes the answer.
func (Echo) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return echo.Handle(ctx, r)
}

// Unwrap is the handler that reads the parameters.
func (Echo) Unwrap() api.Handler { return echo }
