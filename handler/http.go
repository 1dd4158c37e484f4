package handler

import (
	"context"
	"errors"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// HTTP is a handler of net/http as an [api.Handler]: a file server, a page of
// metrics, a reverse proxy behind the gates of an endpoint.
//
// The handler gets the request with its whole path, so a file server needs
// [http.StripPrefix]; with the context of [api.Request]; with the variables of
// the path as path values; and with the endpoint as Pattern, as the presenter
// sets it: "GET /api/v1/files/{path...}". It writes its answer itself, errors as
// well, so they have its format and not that of the error handler. The status is
// known only when it has been written: until then the Response says 200.
func HTTP(h http.Handler) api.Handler { return httpHandler{h} }

type httpHandler struct{ handler http.Handler }

// Validate refuses a nil handler.
func (h httpHandler) Validate() error {
	if h.handler == nil {
		return errors.New("handler.HTTP: the handler is nil")
	}
	return nil
}

func (h httpHandler) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return httpResponse{ctx: ctx, handler: h.handler, params: r.Params}, nil
}

type httpResponse struct {
	//nolint:containedctx // A response has no other way to the context of its request.
	ctx     context.Context
	handler http.Handler
	params  api.Params
}

func (h httpResponse) Status() int { return http.StatusOK }

func (h httpResponse) Send(w http.ResponseWriter, r *http.Request) error {
	r = r.Clone(h.ctx) // path values would be written into those of an outer http.ServeMux
	for _, param := range h.params {
		r.SetPathValue(param.Name, param.Value)
	}
	h.handler.ServeHTTP(w, r)
	return nil
}
