package sallyport

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// responseWriter knows what was sent. It puts the RateLimit fields on whatever
// answer is written, lets the first WriteHeader win, and drops the body of an
// answer to HEAD. http.ResponseController works through it.
type responseWriter struct {
	http.ResponseWriter
	exchange *exchange
	head     bool
	forced   int // the status, whatever the response says; 0: its own
	status   int // as sent; 0: nothing was sent yet
	bytes    int64
	hijacked bool

	limitRoom [1]string
}

func (w *responseWriter) committed() bool { return w.status != 0 || w.hijacked }

// WriteHeader sends the header fields. Informational ones go through.
func (w *responseWriter) WriteHeader(status int) {
	if w.committed() {
		return
	}
	if w.forced != 0 {
		status = w.forced
	}
	switch {
	case status < 100 || status > 999:
		panic(fmt.Sprintf("sallyport: a response has the status %d", status))
	case status < 200 && status != http.StatusSwitchingProtocols:
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.setFields()
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *responseWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.head {
		return len(b), nil
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom keeps the server's way of sending files.
func (w *responseWriter) ReadFrom(src io.Reader) (int64, error) {
	w.WriteHeader(http.StatusOK)
	if w.head {
		return io.Copy(io.Discard, src)
	}
	n, err := io.Copy(w.ResponseWriter, src)
	w.bytes += n
	return n, err
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

// setFields sets the fields of every policy that applied. A handler may have
// set them too, for limits of its own or of an upstream: members with other
// names are kept behind ours.
func (w *responseWriter) setFields() {
	h, x := w.Header(), w.exchange
	if vary := x.presenter.cors.vary; vary != nil {
		keepVary(h, vary)
	}
	if len(x.results) == 0 {
		return
	}
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

// keepVary brings back what a handler's own Vary has replaced.
func keepVary(h http.Header, vary []string) {
	has := slices.ContainsFunc(h["Vary"], func(line string) bool {
		return slices.ContainsFunc(strings.Split(line, ","), func(name string) bool {
			return strings.EqualFold(strings.TrimSpace(name), vary[0])
		})
	})
	if !has {
		h["Vary"] = append(h["Vary"], vary...)
	}
}
