package sallyport

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

// guardedBody is the body of a request, bounded in size and time. It remembers
// how reading it has failed, so that the client's fault is told from an error
// of the handler's own connections.
type guardedBody struct {
	io.ReadCloser
	exchange *exchange
	err      error // other than io.EOF
}

// guardBody bounds the body, which nobody has read so far. The request is the
// server's own: as net/http advises for MaxBytesReader, its Body is replaced.
func (x *exchange) guardBody(body io.ReadCloser) {
	limits := &x.endpoint.api
	if limits.MaxBody >= 0 {
		body = http.MaxBytesReader(x.writer.ResponseWriter, body, limits.MaxBody)
	}
	if limits.Timeout > 0 && !readsFaster(x.request.Request, limits.Timeout) {
		// A server without deadlines leaves it to the context.
		_ = http.NewResponseController(x.writer.ResponseWriter).SetReadDeadline(x.start.Add(limits.Timeout))
	}
	x.body = &guardedBody{ReadCloser: body, exchange: x}
	x.request.Body = x.body
}

// readsFaster reports whether the server's own deadline comes first, which must
// not be put off.
func readsFaster(r *http.Request, timeout time.Duration) bool {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	return ok && server.ReadTimeout > 0 && server.ReadTimeout <= timeout
}

func (b *guardedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.err == nil {
		b.err = err
	}
	return n, err
}

// failed reports whether reading the body has failed.
func (b *guardedBody) failed() bool { return b != nil && b.err != nil }

// explain tells what is wrong with the body.
func (b *guardedBody) explain(f *api.Failure) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(b.err, &tooLarge):
		f.Kind = api.KindTooLarge
	case errors.Is(b.err, os.ErrDeadlineExceeded):
		f.Kind, f.Status, f.Message = api.KindTimeout, http.StatusRequestTimeout, "The request body came too slowly"
	case b.exchange.request.Request.Context().Err() != nil:
		f.Kind = api.KindCanceled
	default:
		f.Kind, f.Message = api.KindInput, "The request body cannot be read"
	}
}
