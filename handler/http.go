package handler

import (
	"context"
	"errors"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// HTTP is a handler of net/http as an [api.Handler]: a file server, a page of
// metrics, a reverse proxy behind the gates of an endpoint.
//
// The handler gets the request with its whole path, so a file server needs
// [http.StripPrefix]; with the context of [api.Request]; with the variables of
// the path as path values, in place of those that an outer [http.ServeMux] has
// under the same names; and with the endpoint as Pattern, as the presenter sets
// it: "GET /api/v1/files/{path...}". It writes its answer itself, errors as well,
// so they have its format and not that of the error handler. The status is known
// only when it has been written: until then the Response says 200.
func HTTP(h http.Handler) api.Handler { return httpHandler{h} }

type httpHandler struct{ handler http.Handler }

// Validate refuses a nil handler and reports the mistakes of one that knows them.
func (h httpHandler) Validate() error {
	if h.handler == nil {
		return errors.New("handler.HTTP: the handler is nil")
	}
	return part.Validate("handler.HTTP: the handler", h.handler)
}

func (h httpHandler) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return httpResponse{ctx: ctx, handler: h.handler, params: r.PathValues}, nil
}

type httpResponse struct {
	//nolint:containedctx // A response has no other way to the context of its request.
	ctx     context.Context
	handler http.Handler
	params  api.PathValues
}

func (h httpResponse) Status() int { return http.StatusOK }

func (h httpResponse) Send(w http.ResponseWriter, r *http.Request) error {
	for _, param := range h.params {
		r.SetPathValue(param.Name, param.Value)
	}
	inner := withContext(h.ctx, r)
	defer func() { r.MultipartForm = inner.MultipartForm }() // so that the server removes its files
	h.handler.ServeHTTP(w, inner)
	return nil
}

// withContext is the request with another context. The copy shares Trailer with
// the request of the server, which fills it at the end of the body.
func withContext(ctx context.Context, r *http.Request) *http.Request {
	if r.Trailer == nil && r.ContentLength < 0 { // trailers may come unannounced
		r.Trailer = http.Header{}
	}
	return r.WithContext(ctx)
}
