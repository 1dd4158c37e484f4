package sallyport

import (
	"bytes"
	"context"
	"maps"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// maxChecked bounds what is kept of an answer to check it. A longer one is
// checked by its status and header alone.
const maxChecked = 1 << 20

// checkedWriter keeps an answer until it is known to fit one of the outputs that
// the handler declares. An answer that is flushed, or too long to be kept, is
// checked before its first byte is sent, without its body.
type checkedWriter struct {
	inner   *responseWriter
	outputs []api.Output
	status  int         // 0: nothing was written yet
	header  http.Header // as it was when the status was written: later changes have no effect
	body    bytes.Buffer
	passed  bool  // the answer is on its way
	err     error // it fits no output
}

// Context is that of the request, see api.Stream.
func (w *checkedWriter) Context() context.Context { return w.inner.Context() }

func (w *checkedWriter) Header() http.Header { return w.inner.Header() }

func (w *checkedWriter) WriteHeader(status int) {
	switch {
	case w.status != 0:
	case status == http.StatusSwitchingProtocols: // what follows is no answer of HTTP
		w.status, w.passed = status, true
		w.inner.WriteHeader(status)
	case status >= 100 && status < 200:
		w.inner.WriteHeader(status)
	default:
		w.status, w.header = status, w.Header().Clone()
	}
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if !w.passed && w.body.Len()+len(p) > maxChecked {
		w.pass(true)
	}
	switch {
	case w.err != nil:
		return 0, w.err
	case w.passed:
		return w.inner.Write(p)
	}
	return w.body.Write(p)
}

// FlushError sends what is there.
func (w *checkedWriter) FlushError() error {
	w.WriteHeader(http.StatusOK)
	if w.pass(true); w.err != nil {
		return w.err
	}
	return w.inner.FlushError()
}

// Flush is FlushError for those who ask for http.Flusher.
func (w *checkedWriter) Flush() { _ = w.FlushError() } // http.Flusher has no error

// Unwrap is for http.ResponseController.
func (w *checkedWriter) Unwrap() http.ResponseWriter { return w.inner }

// pass checks the answer and sends what was kept of it.
func (w *checkedWriter) pass(partial bool) {
	if w.passed || w.err != nil || w.status == 0 {
		return
	}
	w.sniff()
	answer := &api.Answer{Status: w.status, Header: w.header.Clone(), Body: w.body.Bytes(), Partial: partial}
	if w.err = fits(answer, w.outputs); w.err != nil {
		return
	}
	w.passed = true
	clear(w.Header())
	maps.Copy(w.Header(), w.header)
	w.inner.WriteHeader(w.status)
	if w.body.Len() > 0 {
		_, w.err = w.inner.Write(w.body.Bytes())
	}
}

// sniff tells the media type where the response does not, as the server would.
func (w *checkedWriter) sniff() {
	if _, told := w.header["Content-Type"]; !told && w.header.Get("Content-Encoding") == "" && w.body.Len() > 0 {
		w.header.Set("Content-Type", http.DetectContentType(w.body.Bytes()))
	}
}

// fits returns why an answer is none of the outputs. The first that fits ends
// the search.
func fits(a *api.Answer, outputs []api.Output) error {
	reasons := make([][]string, len(outputs))
	for i, o := range outputs {
		if reasons[i] = o.Check(a); len(reasons[i]) == 0 {
			return nil
		}
	}
	return &api.OutputError{Status: a.Status, Reasons: reasons}
}

// sendChecked sends a response that fits one of the declared outputs.
func (x *exchange) sendChecked(response api.Response) error {
	w := &checkedWriter{inner: &x.writer, outputs: x.endpoint.described.Outputs}
	err := response.Send(w, x.request.Request)
	switch {
	case w.err != nil: // the response may have its own words for it
		return w.err
	case x.writer.hijacked:
		return err
	case err == nil && w.status == 0:
		err = x.writeStatus(w, response.Status())
	}
	if err != nil {
		return err
	}
	w.pass(false)
	return w.err
}
