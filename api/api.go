package api

import (
	"context"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Api is one registered endpoint: who handles it, who may call it, how often.
// Zero values mean the presenter's own.
type Api struct {
	Endpoint      EndpointIdentifier
	Handler       Handler          // required
	Authorization Authorization    // nil: the default of the configuration, a mistake without one
	RateLimits    []ratelimit.Rule // nil: the handler's own, else the default of the configuration

	ErrorHandler ErrorHandler  // answers the failures of this endpoint
	MaxBody      int64         // bytes of the request's body; -1: no limit
	Timeout      time.Duration // ends the context of the request and the reading of its body; -1: no time-out

	// How long the endpoint is there, see [Lifecycle]. Zero values mean those of its
	// version.
	Deprecated time.Time
	Sunset     time.Time
	Successor  string
}

// A Handler answers requests. One Handler may serve several endpoints, so it
// keeps nothing of a request and is safe for concurrent use.
//
// An error is answered by the error handler; its text goes to the log and never
// to the client. A nil Response beside a nil error is a fault of the handler.
type Handler interface {
	Handle(ctx context.Context, r *Request) (Response, error)
}

// RateLimited is a [Handler] that brings limits of its own. They stand in for
// the default, and behind those of the registration. A wrapper of handlers has
// a method Unwrap() Handler, so that they are found.
type RateLimited interface {
	RateLimits() []ratelimit.Rule
}

// PreflightHandler answers OPTIONS for every path that has no endpoint for it.
// The method is a mark: it keeps a common handler from being passed by mistake.
type PreflightHandler interface {
	Handler
	Preflight()
}
