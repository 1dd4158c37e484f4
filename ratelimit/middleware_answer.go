package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// answerFunc writes an answer, or leaves it to the next one.
type answerFunc func(w http.ResponseWriter, r *http.Request) error

// refuse answers by the response of a limiter, else as the program says.
func (m *middleware) refuse(w http.ResponseWriter, rc *Context, results []Result) {
	if seconds, known := RetryAfter(results); known {
		w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
	}
	var own answerFunc
	if response := OwnResponse(results); response != nil {
		own = response.Send
	}
	m.answer(&answerWriter{ResponseWriter: w, forced: http.StatusTooManyRequests}, rc, own,
		func(w http.ResponseWriter, r *http.Request) error { m.options.Refuse(w, r, results); return nil },
		func(w http.ResponseWriter, r *http.Request) error { refusePlainly(w, r, results); return nil })
}

// fail keeps the cause in the log. A request that has ended is no failure.
func (m *middleware) fail(w http.ResponseWriter, rc *Context, err error) {
	var closed *ClosedError
	switch {
	case ended(rc.Request, err) != nil:
	case errors.As(err, &closed): // the outage is logged where it was met
		w.Header().Set("Retry-After", "1")
	default:
		m.log(rc, "rate limit failed", err)
	}
	m.answer(&answerWriter{ResponseWriter: w}, rc,
		func(w http.ResponseWriter, r *http.Request) error { m.options.Fail(w, r, err); return nil },
		func(w http.ResponseWriter, r *http.Request) error { failPlainly(w, r, err); return nil })
}

// ended is how the context of the request has ended, when that explains err. A
// panic it does not.
func ended(r *http.Request, err error) error {
	if panicked := (*PanicError)(nil); errors.As(err, &panicked) {
		return nil
	}
	return r.Context().Err()
}

// answer takes the first answer that is written. One that broke off is cut, so
// that no client takes it for a whole.
func (m *middleware) answer(w *answerWriter, rc *Context, answers ...answerFunc) {
	for _, answer := range answers {
		if answer == nil {
			continue
		}
		err := try(answer, w, rc.Request)
		if err != nil {
			m.log(rc, "the answer to a rate limit could not be sent", err)
		}
		switch {
		case w.written && err != nil:
			panic(http.ErrAbortHandler)
		case w.written:
			return
		}
	}
}

func try(answer answerFunc, w http.ResponseWriter, r *http.Request) (err error) {
	defer catch(&err)
	return answer(w, r)
}

func (m *middleware) log(rc *Context, msg string, err error) {
	attrs := []slog.Attr{slog.String("endpoint", rc.Endpoint), slog.Any("err", err)}
	if panicked := (*PanicError)(nil); errors.As(err, &panicked) {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	safelog.Error(rc.Request.Context(), m.options.Logger, msg, attrs...)
}

func refusePlainly(w http.ResponseWriter, _ *http.Request, results []Result) {
	text := "Too many requests."
	if seconds, known := RetryAfter(results); known {
		text += fmt.Sprintf(" Retry after %d seconds.", seconds)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, http.StatusTooManyRequests)
}

// statusClientClosed is for whoever still reads: proxies, and the server's log.
const statusClientClosed = 499

func failPlainly(w http.ResponseWriter, r *http.Request, err error) {
	var closed *ClosedError
	status := http.StatusInternalServerError
	switch ended := ended(r, err); {
	case errors.Is(ended, context.Canceled):
		http.Error(w, "Client closed request", statusClientClosed)
		return
	case ended != nil, errors.As(err, &closed):
		status = http.StatusServiceUnavailable
	}
	http.Error(w, http.StatusText(status), status)
}

// answerWriter knows whether an answer was written.
type answerWriter struct {
	http.ResponseWriter
	forced  int // the status, whatever the answer says; 0: its own
	written bool
}

// WriteHeader sends the header fields. Informational ones go through.
func (w *answerWriter) WriteHeader(status int) {
	informational := status >= 100 && status < 200 && status != http.StatusSwitchingProtocols
	switch {
	case w.written:
		return
	case !informational && w.forced != 0:
		status = w.forced
	}
	w.ResponseWriter.WriteHeader(status) // panics when it is no status
	w.written = !informational
}

// Write sends a part of the body.
func (w *answerWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// FlushError sends what is buffered.
func (w *answerWriter) FlushError() error {
	w.WriteHeader(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
