package errorhandler

import (
	"context"
	"errors"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Func is a function as an [api.ErrorHandler]. A nil Response is answered by
// [Default].
type Func func(ctx context.Context, r *api.Request, f *api.Failure) api.Response

// HandleError calls the function.
func (fn Func) HandleError(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
	return fn(ctx, r, f)
}

// Validate refuses a nil function.
func (fn Func) Validate() error {
	if fn == nil {
		return errors.New("errorhandler.Func: the function is nil")
	}
	return nil
}

// Funcs answers some kinds of failures by functions of their own and leaves the
// others to Base. Each field is the function of the [api.Kind] of the same name;
// nil is Base. The zero value is [Default].
type Funcs struct {
	Base api.ErrorHandler // nil: Default

	NotFound            Func
	MethodNotAllowed    Func
	NotAcceptable       Func
	TooLarge            Func
	URITooLong          Func
	UnsupportedMedia    Func
	RateLimit           Func // Failure.Refused is the refusal to tell about; the status stays 429
	Unavailable         Func
	Unauthorized        Func
	Forbidden           Func
	AuthorizationFailed Func
	Input               Func
	Handler             Func
	Output              Func
	Canceled            Func
	Timeout             Func
	Panic               Func
}

// HandleError calls the function of the failure's kind or, without one, Base.
func (fs Funcs) HandleError(ctx context.Context, r *api.Request, f *api.Failure) api.Response {
	if fn := fs.of(f.Kind); fn != nil {
		return fn(ctx, r, f)
	}
	return base(fs.Base).HandleError(ctx, r, f)
}

// ErrorSchema is Base's, and none for the kinds that have a function.
func (fs Funcs) ErrorSchema(kind api.Kind) (mediaType string, schema api.Schema) {
	if fs.of(kind) != nil {
		return "", api.Schema{}
	}
	return schemaOf(fs.Base, kind)
}

// Unwrap is Base, which may map errors.
func (fs Funcs) Unwrap() api.ErrorHandler { return fs.Base }

// Validate reports the mistakes of Base.
func (fs Funcs) Validate() error { return part.Validate("errorhandler.Funcs: Base", fs.Base) }

func (fs Funcs) of(kind api.Kind) Func {
	switch kind {
	case api.KindNotFound:
		return fs.NotFound
	case api.KindMethodNotAllowed:
		return fs.MethodNotAllowed
	case api.KindNotAcceptable:
		return fs.NotAcceptable
	case api.KindTooLarge:
		return fs.TooLarge
	case api.KindURITooLong:
		return fs.URITooLong
	case api.KindUnsupportedMedia:
		return fs.UnsupportedMedia
	case api.KindRateLimit:
		return fs.RateLimit
	case api.KindUnavailable:
		return fs.Unavailable
	case api.KindUnauthorized:
		return fs.Unauthorized
	case api.KindForbidden:
		return fs.Forbidden
	case api.KindAuthorizationFailed:
		return fs.AuthorizationFailed
	case api.KindInput:
		return fs.Input
	case api.KindHandler:
		return fs.Handler
	case api.KindOutput:
		return fs.Output
	case api.KindCanceled:
		return fs.Canceled
	case api.KindTimeout:
		return fs.Timeout
	case api.KindPanic:
		return fs.Panic
	}
	return nil
}
