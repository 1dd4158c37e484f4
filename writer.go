package sallyport

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// responseWriter knows what was sent. It puts the RateLimit fields on whatever
// answer is written, lets the first WriteHeader win, and drops the body of an
// answer to HEAD. http.ResponseController works through it.
type responseWriter struct {
	http.ResponseWriter
	exchange  *exchange
	head      bool   // the request is HEAD
	noBody    bool   // what is written of the body is dropped
	preflight string // the methods of the path that a preflight asks for; "": there is none
	forced    int    // the status, whatever the response says; 0: its own
	status    int    // as sent; 0: nothing was sent yet
	bytes     int64
	hijacked  bool

	limitRoom [1]string
}

// Context is that of the request, see api.Stream.
func (w *responseWriter) Context() context.Context { return w.exchange.request.Context() }

func (w *responseWriter) committed() bool { return w.status != 0 || w.hijacked }

// WriteHeader sends the header fields. Informational ones go through.
func (w *responseWriter) WriteHeader(status int) {
	if w.committed() {
		return
	}
	if status >= 100 && status < 200 && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.forced != 0 {
		status = w.forced
	}
	if status < 100 || status > 999 {
		panic(fmt.Sprintf("sallyport: a response has the status %d", status))
	}
	w.setFields()
	// Without a length the server has to see the body of GET to tell it.
	w.noBody = w.head && w.Header()["Content-Length"] != nil
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *responseWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.noBody {
		return len(b), nil
	}
	n, err := w.ResponseWriter.Write(b)
	w.count(int64(n))
	return n, err
}

// WriteString is Write of a text that is not copied.
func (w *responseWriter) WriteString(s string) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.noBody {
		return len(s), nil
	}
	n, err := io.WriteString(w.ResponseWriter, s)
	w.count(int64(n))
	return n, err
}

// ReadFrom keeps the server's way of sending files.
func (w *responseWriter) ReadFrom(src io.Reader) (int64, error) {
	w.WriteHeader(http.StatusOK)
	if w.noBody {
		return io.Copy(io.Discard, src)
	}
	n, err := io.Copy(w.ResponseWriter, src)
	w.count(n)
	return n, err
}

// count adds what was sent; of an answer to HEAD nothing is.
func (w *responseWriter) count(n int64) {
	if !w.head {
		w.bytes += n
	}
}

// FlushError sends what is buffered.
func (w *responseWriter) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush is FlushError for those who ask for http.Flusher.
func (w *responseWriter) Flush() { _ = w.FlushError() } // http.Flusher has no error

// Hijack takes the connection out of the server's hands.
func (w *responseWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.hijacked = w.hijacked || err == nil
	return conn, rw, err
}

// Unwrap is for http.ResponseController.
func (w *responseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// setFields sets the presenter's own fields: late, so that no handler has
// replaced or doubled them.
func (w *responseWriter) setFields() {
	h, x := w.Header(), w.exchange
	h["X-Request-Id"] = x.idRoom[:1:1]
	h["X-Content-Type-Options"] = valueNoSniff
	if x.endpoint != nil {
		x.endpoint.caching.setHeader(h)
		x.setLifecycle(h)
	}
	x.presenter.cors.setHeader(h, x.request.Request, w.preflight)
	if len(x.results) > 0 {
		w.setRateLimit(h)
	}
}

// setRateLimit sets the fields of every policy that applied. A handler may have
// set them too, for limits of its own or of an upstream: members with other
// names are kept behind ours.
func (w *responseWriter) setRateLimit(h http.Header) {
	x := w.exchange
	var room [96]byte
	w.limitRoom[0] = string(ratelimit.AppendLimitField(room[:0], x.results))
	policy := x.endpoint.plan.PolicyField(x.results)
	if theirs := h[ratefield.PolicyField]; theirs != nil {
		policy = []string{ratefield.Merge(policy[0], names(x.results), theirs, true)}
	}
	if theirs := h[ratefield.LimitField]; theirs != nil {
		w.limitRoom[0] = ratefield.Merge(w.limitRoom[0], names(x.results), theirs, false)
	}
	h[ratefield.PolicyField] = policy
	h[ratefield.LimitField] = w.limitRoom[:1:1]
}

func names(results []ratelimit.Result) []string {
	list := make([]string, len(results))
	for i := range results {
		list[i] = results[i].Policy
	}
	return list
}
