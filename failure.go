package sallyport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/safelog"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// failWith tells the kind of an error and answers it.
func (x *exchange) failWith(err error, otherwise api.Kind) {
	f := api.Failure{Kind: otherwise, Err: err}
	var (
		tooLarge *http.MaxBytesError
		closed   *ratelimit.ClosedError
	)
	switch refusal := api.AsRefusal(err); {
	case x.body.failed(err):
		x.body.explain(&f)
	case x.timedOut():
		f.Kind = api.KindTimeout
	case x.request.Request.Context().Err() != nil:
		f.Kind = api.KindCanceled
	case refusal != nil:
		f.Kind, f.Message, f.Challenge = refusal.Kind, refusal.Message, x.challenge(refusal)
	case errors.As(err, &tooLarge): // a bound of the handler's own
		f.Kind = api.KindTooLarge
	case errors.As(err, &closed):
		f.Kind = api.KindUnavailable
	default:
		if e, ok := api.AsError(err); ok && e.Status >= 400 && e.Status <= 599 {
			f.Kind, f.Status, f.Message, f.Fields = api.KindOf(e.Status), e.Status, e.Message, e.Fields
		}
	}
	x.fail(f)
}

// timedOut reports whether the time of the endpoint is up. The clock is asked,
// as the end of the connection's reading may be told first.
func (x *exchange) timedOut() bool {
	return x.cancel != nil && x.request.Context().Err() != nil && time.Since(x.start) >= x.endpoint.api.Timeout
}

// challenge is the WWW-Authenticate of a refusal, which every 401 must have.
func (x *exchange) challenge(r *api.Refusal) string {
	switch {
	case r.Challenge != "":
		return r.Challenge
	case r.Kind != api.KindUnauthorized:
		return ""
	case x.endpoint != nil && x.endpoint.scheme.Challenge != "":
		return x.endpoint.scheme.Challenge
	}
	return `Api realm="api"`
}

// fail answers a failure through the error handler, unless the answer has begun.
func (x *exchange) fail(f api.Failure) {
	if f.Message == "" {
		f.Message = f.Kind.Message()
	}
	if f.Status == 0 {
		f.Status = f.Kind.Status()
	}
	f.RateLimits = x.results
	f.Debug = x.presenter.config.Debug
	x.kind, x.err = f.Kind, f.Err
	x.logFailure(&f)
	if x.writer.committed() {
		x.aborted = true
		return
	}
	x.setFailureHeader(&f)
	for _, respond := range [...]func(*api.Failure) api.Response{x.ownRefusal, x.errorResponse, x.plainResponse} {
		if x.tryAnswer(respond, &f) || x.writer.committed() {
			return
		}
	}
}

// setFailureHeader sets what belongs to a failure in every format, and takes
// away what a response that was not sent has left.
func (x *exchange) setFailureHeader(f *api.Failure) {
	h := x.writer.Header()
	for _, name := range [...]string{"Content-Encoding", "Content-Length", "Content-Type", "Etag", "Last-Modified", "Location"} {
		delete(h, name)
	}
	h["Cache-Control"] = valueNoStore
	if f.Allow != nil {
		h["Allow"] = []string{strings.Join(f.Allow, ", ")}
	}
	if f.Challenge != "" {
		h["Www-Authenticate"] = []string{f.Challenge}
	}
	switch f.Kind {
	case api.KindRateLimit:
		x.writer.forced = http.StatusTooManyRequests
		if seconds, known := ratelimit.RetryAfter(f.RateLimits); known {
			h["Retry-After"] = []string{fmt.Sprint(seconds)}
		}
	case api.KindUnavailable:
		h["Retry-After"] = valueOne
	default:
	}
}

// tryAnswer reports whether the failure is answered. A part of the program that
// panics or has no response leaves it to the next.
func (x *exchange) tryAnswer(respond func(*api.Failure) api.Response, f *api.Failure) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
				panic(v)
			}
			x.logPanic(v)
		}
	}()
	response := respond(f)
	if response == nil {
		return false
	}
	if err := x.send(response); err != nil {
		safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "the answer to a failure could not be sent", x.logID(), slog.Any("err", err))
		return false
	}
	return true
}

// ownRefusal is the response that a limiter brings along: that of the longest
// wait, else the first there is.
func (x *exchange) ownRefusal(f *api.Failure) api.Response {
	if f.Kind != api.KindRateLimit {
		return nil
	}
	if refused := f.Refused(); refused != nil && refused.Response != nil {
		return refused.Response
	}
	for i := range f.RateLimits {
		if r := &f.RateLimits[i]; !r.Accepted && r.Response != nil {
			return r.Response
		}
	}
	return nil
}

func (x *exchange) errorResponse(f *api.Failure) api.Response {
	h := x.presenter.config.ErrorHandler
	if x.endpoint != nil {
		h = x.endpoint.api.ErrorHandler
	}
	return h.HandleError(x.request.Context(), &x.request, f)
}

func (x *exchange) plainResponse(f *api.Failure) api.Response {
	return errorhandler.Default{}.HandleError(x.request.Context(), &x.request, f)
}

func (x *exchange) recovered(v any) {
	if v == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so
		x.aborted = true
		return
	}
	x.logPanic(v)
	x.fail(api.Failure{Kind: api.KindPanic, Err: fmt.Errorf("panic: %v", v)})
}

func (x *exchange) logPanic(v any) {
	safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "panic", x.logID(),
		slog.String("panic", fmt.Sprint(v)), slog.String("stack", string(debug.Stack())))
}
