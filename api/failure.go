package api

import (
	"context"
	"net/http"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// An ErrorHandler makes the answer to everything that goes wrong, so that one
// program has one error format.
//
// The presenter adds what belongs to the failure whatever its format: Allow,
// WWW-Authenticate, Retry-After, the RateLimit fields, and the status 429 of a
// refused limit. An implementation is safe for concurrent use, shows Message and
// never Err unless Debug is set, and does not log: the presenter has done it.
// A nil Response or a panic is answered by errorhandler.Default.
type ErrorHandler interface {
	HandleError(ctx context.Context, r *Request, f *Failure) Response
}

// An ErrorMapper is an [ErrorHandler] that knows how errors are answered that do
// not say it themselves. The presenter asks it for every error that a handler or
// the sending of its response returns and that has no [Error] in it, before
// anything is logged or answered; ok is false for an error that it does not
// know. A Status outside 400 to 599 is no answer: the error stays a 500. The Err
// of the answer counts for nothing, as the cause is err itself.
//
// An error handler that wraps another one has a method Unwrap() ErrorHandler, so
// that the inner one is asked, too. The first from the outside that knows the
// error answers. A panic is logged, and the error stays a 500.
type ErrorMapper interface {
	MapError(err error) (e Error, ok bool)
}

// An ErrorDescriber is an [ErrorHandler] that tells what its answers look like,
// for documents. It is asked for kinds, and never answers a failure to find out.
// One that wraps others asks them itself.
type ErrorDescriber interface {
	// ErrorSchema describes the answers to failures of a kind, as clients see
	// them in production. The media type is "" where it cannot tell.
	ErrorSchema(kind Kind) (mediaType string, schema Schema)
}

// Failure is what went wrong with one request.
type Failure struct {
	Kind       Kind
	Status     int                // the status of the answer, unless the error handler chooses another
	Message    string             // for the client
	Code       string             // for programs: the Code of the handler's Error; "" is none
	Fields     []FieldError       // KindInput: every fault of the input
	RateLimits []ratelimit.Result // the limits that were asked, the refusals among them
	Challenge  string             // a refusal of the authorization: WWW-Authenticate
	Allow      []string           // KindMethodNotAllowed: the methods of the path
	Header     http.Header        // more fields of the answer, which the presenter sets
	Err        error              // the cause, for the log alone; nil when there is none
	Debug      bool               // the program runs in debug mode: Err may be shown
}

// Refused is the refused limit with the longest wait, or nil.
func (f *Failure) Refused() *ratelimit.Result { return ratelimit.Refused(f.RateLimits) }

// FieldError is one fault of the input.
type FieldError struct {
	In string // "path", "query", "header", "cookie", "form", "body"

	// Name is the parameter's name. In a body it is the name of a member, or a
	// JSON Pointer (RFC 6901) to one further down: "/items/0/id". "" is the
	// whole body.
	Name string

	// Code names the rule that is broken, for programs: "required", "type",
	// "enum", "unknown", "duplicate", "syntax", or the rule's own name, "email". ""
	// is none.
	Code string

	Message string // for the client; it does not repeat the value
}

// Kind tells the kinds of failures apart. The zero Kind is none.
type Kind uint8

// The kinds of failures with the status they are answered with.
const (
	KindNotFound            Kind = iota + 1 // 404: no endpoint has this path
	KindMethodNotAllowed                    // 405: the path has no endpoint for the method
	KindNotAcceptable                       // 406
	KindTooLarge                            // 413: the body is longer than MaxBody
	KindURITooLong                          // 414: the target of the request is longer than MaxURL
	KindUnsupportedMedia                    // 415
	KindRateLimit                           // 429: a limit is used up
	KindUnavailable                         // 503: a limit that fails closed cannot be asked
	KindUnauthorized                        // 401: no valid credentials
	KindForbidden                           // 403: known, but not allowed
	KindAuthorizationFailed                 // 500: the authorization could not decide
	KindInput                               // 400: the request cannot be understood
	KindHandler                             // 500: the handler failed, or a part of the program around it
	KindOutput                              // 500: the handler's response is not what it declares
	KindCanceled                            // 499: the client has gone
	KindTimeout                             // 503: the time of the endpoint is up; 408: the body came too slowly
	KindPanic                               // 500: a part of the program panicked
)

// StatusClientClosedRequest is the status of [KindCanceled] in the record. The
// client has gone and does not see it; the number is nginx's.
const StatusClientClosedRequest = 499

var kinds = [...]struct {
	name    string
	status  int
	message string
}{
	{"none", http.StatusInternalServerError, "Internal server error"},
	KindNotFound:            {"not found", http.StatusNotFound, "Unknown api endpoint"},
	KindMethodNotAllowed:    {"method not allowed", http.StatusMethodNotAllowed, "Method not allowed"},
	KindNotAcceptable:       {"not acceptable", http.StatusNotAcceptable, "Not acceptable"},
	KindTooLarge:            {"too large", http.StatusRequestEntityTooLarge, "The request body is too large"},
	KindURITooLong:          {"URI too long", http.StatusRequestURITooLong, "The address of the request is too long"},
	KindUnsupportedMedia:    {"unsupported media", http.StatusUnsupportedMediaType, "Unsupported media type"},
	KindRateLimit:           {"rate limit", http.StatusTooManyRequests, "Too many requests."},
	KindUnavailable:         {"unavailable", http.StatusServiceUnavailable, "Service unavailable"},
	KindUnauthorized:        {"unauthorized", http.StatusUnauthorized, "Unauthorized"},
	KindForbidden:           {"forbidden", http.StatusForbidden, "Forbidden"},
	KindAuthorizationFailed: {"authorization failed", http.StatusInternalServerError, "Internal server error"},
	KindInput:               {"input", http.StatusBadRequest, "wrong input"},
	KindHandler:             {"handler", http.StatusInternalServerError, "Internal server error"},
	KindOutput:              {"output", http.StatusInternalServerError, "Internal server error"},
	KindCanceled:            {"canceled", StatusClientClosedRequest, "Client closed request"},
	KindTimeout:             {"timeout", http.StatusServiceUnavailable, "The request took too long"},
	KindPanic:               {"panic", http.StatusInternalServerError, "Internal server error"},
}

// String is the kind in words, for logs.
func (k Kind) String() string { return kinds[k.known()].name }

// Status is the HTTP status of the kind; of an unknown one 500.
func (k Kind) Status() int { return kinds[k.known()].status }

// Message is the usual text for the client.
func (k Kind) Message() string { return kinds[k.known()].message }

func (k Kind) known() Kind {
	if int(k) < len(kinds) {
		return k
	}
	return 0
}
