package handler

import (
	"context"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// AlwaysOk answers 200 with {"status":"ok"}: a probe for load balancers.
type AlwaysOk struct{}

// Handle makes the answer.
func (AlwaysOk) Handle(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusOK, statusAnswer{Status: "ok"}), nil
}

// Default answers 404 with {"status":"error","message":"Unknown api endpoint"},
// which is what a path without an endpoint is answered, too. Register it to take
// an endpoint out of service without losing its place.
type Default struct{}

// Handle makes the answer.
func (Default) Handle(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusNotFound, statusAnswer{Status: "error", Message: api.KindNotFound.Message()}), nil
}

type statusAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
}
