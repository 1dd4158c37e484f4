package stack

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// exchange is a request and its answer, for one goroutine and used again and
// again, so that nothing but the stack is timed.
type exchange struct {
	request *http.Request
	body    *body  // nil: the request has none
	text    string // of the body
	answer  answer
}

// body is that of a request, which is read again and again.
type body struct{ strings.Reader }

func (*body) Close() error { return nil }

// answer keeps the header and counts the rest.
type answer struct {
	header http.Header
	status int
	bytes  int
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.bytes += len(b)
	return len(b), nil
}

func (a *answer) WriteString(s string) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.bytes += len(s)
	return len(s), nil
}

// Flush is for frameworks that ask for it.
func (a *answer) Flush() {}

func newExchange(method, uri, text string) (*exchange, error) {
	r, err := http.NewRequestWithContext(context.Background(), method, uri, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Host, r.RequestURI, r.RemoteAddr = "127.0.0.1:8080", uri, "10.1.2.3:54321"
	for name, value := range Fields() {
		r.Header.Set(name, value)
	}
	r.Header.Set("X-Request-Id", requestID)
	x := &exchange{request: r, answer: answer{header: make(http.Header, 8)}}
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
		r.ContentLength = int64(len(text))
		x.body, x.text = &body{}, text
	}
	return x, nil
}

// serve makes the request once.
func (x *exchange) serve(h http.Handler) {
	clear(x.answer.header)
	x.answer.status, x.answer.bytes = 0, 0
	if x.body != nil {
		x.body.Reset(x.text)
		x.request.Body = x.body
	}
	h.ServeHTTP(&x.answer, x.request)
}

// expect makes the request n times and fails at an answer of another status, or
// without a body.
func (x *exchange) expect(h http.Handler, status int) func(n int) error {
	return func(n int) error {
		for range n {
			if x.serve(h); x.answer.status != status {
				return fmt.Errorf("answered %d, not %d", x.answer.status, status)
			}
		}
		return nil
	}
}
