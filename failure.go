package sallyport

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/headervalue"
	"github.com/sallyport-go/sallyport/internal/httptoken"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/safelog"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// failWith tells the kind of an error and answers it. When reading the body has
// failed, that is the reason, whatever the handler made of it.
func (x *exchange) failWith(err error, otherwise api.Kind) { x.failAs(err, otherwise, api.AsError) }

// failHandler answers the error of a handler, which the program may have mapped.
func (x *exchange) failHandler(err error) { x.failAs(err, api.KindHandler, x.known) }

func (x *exchange) failAs(err error, otherwise api.Kind, known func(error) (api.Error, bool)) {
	f := api.Failure{Kind: otherwise, Err: err}
	var (
		tooLarge *http.MaxBytesError
		closed   *ratelimit.ClosedError
		panicked *ratelimit.PanicError
	)
	switch refusal := api.AsRefusal(err); {
	case errors.As(err, &panicked):
		x.logPanic(panicked.Value, panicked.Stack)
		f.Kind = api.KindPanic
	case x.body.failed():
		x.body.explain(&f)
	case x.timedOut(), errors.Is(x.request.Context().Err(), context.DeadlineExceeded):
		f.Kind = api.KindTimeout
	case x.request.Context().Err() != nil:
		f.Kind = api.KindCanceled
	case refusal != nil:
		f.Kind, f.Message, f.Challenge = refusal.Kind, refusal.Message, refusal.Challenge
	case errors.As(err, &tooLarge) && tooLarge != nil: // a bound of the handler's own
		f.Kind = api.KindTooLarge
	case errors.As(err, &closed):
		f.Kind = api.KindUnavailable
	case x.writer.committed(): // nobody will be told, so it is for the log
	default:
		if e, ok := known(err); ok && isFailure(e.Status) {
			f.Kind, f.Status, f.Message, f.Code = api.KindOf(e.Status), e.Status, e.Message, e.Code
			f.Fields, f.Header = e.Fields, canonical(e.Header)
		}
	}
	x.fail(f)
}

// canonical is a copy with the usual names: many answers may share the original.
func canonical(h http.Header) http.Header {
	if len(h) == 0 {
		return nil
	}
	c := make(http.Header, len(h))
	for name, values := range h {
		name = http.CanonicalHeaderKey(name)
		c[name] = append(c[name], values...)
	}
	return c
}

func isFailure(status int) bool { return status >= 400 && status <= 599 }

// known is how the error of a handler is answered: as it says itself, else as
// the error handler maps it.
func (x *exchange) known(err error) (e api.Error, ok bool) {
	if e, ok = api.AsError(err); ok && isFailure(e.Status) {
		return e, true
	}
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			x.logPanic(v, debug.Stack())
			e, ok = api.Error{}, false
		}
	}()
	handlers, _ := part.Unwrapped(x.errorHandler())
	for _, h := range handlers {
		if m, maps := h.(api.ErrorMapper); maps {
			if e, ok = m.MapError(err); ok {
				return e, true
			}
		}
	}
	return api.Error{}, false
}

// errorHandler is that of the endpoint, if there is one.
func (x *exchange) errorHandler() api.ErrorHandler {
	if x.endpoint != nil {
		return x.endpoint.api.ErrorHandler
	}
	return x.presenter.config.ErrorHandler
}

// timedOut reports whether the time of the endpoint is up. The clock is asked,
// as the end of the connection's reading may be told first.
func (x *exchange) timedOut() bool {
	return x.cancel != nil && x.request.Context().Err() != nil && time.Since(x.start) >= x.endpoint.api.Timeout
}

// challenge is the WWW-Authenticate that every 401 must have (RFC 9110, section
// 15.5.2). What could not stand in a header field is left out of it.
func (x *exchange) challenge(f *api.Failure) string {
	challenge := f.Challenge
	if challenge == "" && f.Status == http.StatusUnauthorized && len(f.Header["Www-Authenticate"]) == 0 {
		if x.endpoint != nil {
			challenge = x.endpoint.scheme.Challenge
		}
		if challenge == "" {
			challenge = `Api realm="api"`
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, challenge)
}

// fail answers a failure through the error handler, unless the answer has begun.
func (x *exchange) fail(f api.Failure) {
	if f.Status == 0 {
		f.Status = f.Kind.Status()
	}
	if f.Message == "" {
		f.Message = f.Kind.Message()
		if f.Status != f.Kind.Status() { // a handler's own, which the kind does not name
			f.Message = http.StatusText(f.Status)
		}
	}
	f.RateLimits = slices.Clone(x.results)
	f.Challenge = x.challenge(&f)
	f.Debug = x.presenter.showDetail(&x.request)
	x.kind, x.err = f.Kind, f.Err
	x.logFailure(&f)
	if x.writer.committed() {
		x.aborted = true
		return
	}
	first := byErrorHandler
	if x.refused && ratelimit.OwnResponse(f.RateLimits) != nil {
		first = byLimiter
	}
	for by := first; by <= byDefault; by++ {
		x.setFailureHeader(&f)
		if x.tryAnswer(by, &f) {
			return
		}
		if x.writer.committed() { // it broke off
			x.aborted = true
			return
		}
	}
}

// setFailureHeader sets what belongs to a failure in every format. An answer
// that was given up has left nothing behind.
func (x *exchange) setFailureHeader(f *api.Failure) {
	h := x.writer.Header()
	clear(h)
	maps.Copy(h, x.outer)
	x.copyHeader(h, f.Header)
	h["Cache-Control"] = valueNoStore
	if f.Status == http.StatusMethodNotAllowed && len(f.Header["Allow"]) == 0 {
		h["Allow"] = []string{strings.Join(f.Allow, ", ")}
	}
	if f.Challenge != "" {
		h["Www-Authenticate"] = []string{f.Challenge}
	}
	switch {
	case x.refused:
		x.writer.forced = http.StatusTooManyRequests
		if seconds, known := ratelimit.RetryAfter(f.RateLimits); known {
			h["Retry-After"] = headervalue.Int(seconds)
		}
	case failsClosed(f.Err):
		h["Retry-After"] = headervalue.Int(1)
	}
}

// failsClosed reports whether a limit that fails closed could not be asked.
func failsClosed(err error) bool {
	if err == nil {
		return false
	}
	var closed *ratelimit.ClosedError
	return errors.As(err, &closed)
}

// copyHeader copies the fields of an error, which an error handler has seen and may
// see again. Those that HTTP cannot transport are left out, and logged.
func (x *exchange) copyHeader(to, from http.Header) {
	for name, values := range from {
		if !httptoken.Is(name) || slices.ContainsFunc(values, func(v string) bool { return !httptoken.IsValue(v) }) {
			safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "a header field of an error cannot be sent", x.logID(), slog.String("field", name))
			continue
		}
		to[name] = slices.Clone(values)
	}
}

// tryAnswer reports whether the failure is answered. A part of the program that
// panics or has no response leaves it to the next.
func (x *exchange) tryAnswer(by responder, f *api.Failure) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			x.logPanic(v, debug.Stack())
		}
	}()
	response := x.respond(by, f)
	if response == nil {
		return false
	}
	if err := x.send(response, false); err != nil {
		safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "the answer to a failure could not be sent", x.logID(), slog.String("err", part.Text(err)))
		return false
	}
	return true
}

// responder makes the answer to a failure. Each stands in for the one before.
type responder uint8

const (
	byLimiter responder = iota // the answer of a limiter of one's own
	byErrorHandler
	byDefault // it touches nothing that a program has brought along
)

func (x *exchange) respond(by responder, f *api.Failure) api.Response {
	switch by {
	case byLimiter:
		return ratelimit.OwnResponse(f.RateLimits)
	case byErrorHandler:
		return x.errorHandler().HandleError(x.request.Context(), &x.request, f)
	}
	return errorhandler.Default{}.HandleError(x.request.Context(), &x.request, &api.Failure{
		Kind: f.Kind, Status: f.Status, Message: f.Message, Code: f.Code, RateLimits: f.RateLimits,
	})
}

func (x *exchange) recovered(v any) {
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		x.aborted, x.kind, x.err = true, api.KindHandler, http.ErrAbortHandler
		return
	}
	x.logPanic(v, debug.Stack())
	x.fail(api.Failure{Kind: api.KindPanic, Err: errors.New("panic: " + part.Text(v))})
}

func (x *exchange) logPanic(v any, stack []byte) {
	safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "panic", x.logID(),
		slog.String("panic", part.Text(v)), slog.String("stack", string(stack)))
}
