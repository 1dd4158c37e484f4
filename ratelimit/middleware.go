package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ipdetector"
)

// MiddlewareOptions tell [Middleware] what only the program knows. The zero
// value is enough for limits by address.
type MiddlewareOptions struct {
	// Identify tells who calls; "" is nobody. It proves it itself, as handlers
	// behind the middleware have not run yet: a name that anybody can send uses
	// up somebody's quota. It is required by limits that need the identity, and
	// runs only when the first gate has let the request pass.
	Identify func(r *http.Request) (identity string, subject any, err error)

	// Endpoint tells endpoints apart by their patterns, never by their paths. It
	// is required by limits with the Endpoint key: [MuxPattern] for a middleware
	// around a whole http.ServeMux, [RequestPattern] for one around the handlers
	// in it. "" is a fault of the program, and answered 500.
	Endpoint func(r *http.Request) string

	// Detector finds the client's address; nil: ipdetector.RemoteAddr.
	Detector ipdetector.Detector

	// Refuse answers a refused request that has no Result.Response, beside the
	// header fields that are set already; nil: a line of plain text. The status
	// is 429, whatever it writes.
	Refuse func(w http.ResponseWriter, r *http.Request, results []Result)

	// Fail answers a request that could not be decided: a fault of the program,
	// such as a [PanicError], a [ClosedError], or the end of the request's
	// context; nil: a line of plain text with 500, 503, or 499 when the client has
	// gone. Faults are logged in any case; the cause is not for the client.
	Fail func(w http.ResponseWriter, r *http.Request, err error)

	// Logger gets the causes of failures; nil: slog.Default.
	Logger *slog.Logger
}

// RequestPattern is the pattern of the http.ServeMux that has routed the request
// already, for a middleware around the handlers in it.
func RequestPattern(r *http.Request) string { return r.Pattern }

// MuxPattern is the pattern by which the mux is going to route the request, for
// a middleware around the mux. All that it does not route count together.
func MuxPattern(mux *http.ServeMux) func(r *http.Request) string {
	return func(r *http.Request) string {
		if _, pattern := mux.Handler(r); pattern != "" {
			return pattern
		}
		return "no pattern"
	}
}

// Middleware puts a limiter in front of handlers of any net/http program. Both
// gates are asked before the handler, the one by identity behind the other. The
// RateLimit fields stand on every answer, Retry-After on a refusal. Members with
// other names that a middleware around this one has set are kept.
//
// A function of the options that panics or answers nothing is no way out: the
// request gets the answer of plain text, or its connection is cut when an answer
// has begun.
//
// An option that the limiter needs and that is missing is an error.
func Middleware(l Limiter, o MiddlewareOptions) (func(http.Handler) http.Handler, error) {
	m, err := newMiddleware(l, o)
	if err != nil {
		return nil, part.Within("ratelimit: middleware", err)
	}
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if m.admit(w, r) {
				next.ServeHTTP(w, r)
			}
		})
	}, nil
}

type middleware struct {
	plan    *Plan
	options MiddlewareOptions
}

func newMiddleware(l Limiter, o MiddlewareOptions) (*middleware, error) {
	if l == nil {
		return nil, errors.New("there is no limiter")
	}
	r := resolver{checked: checker{}}
	r.takeOwn(l)
	r.checkNames()
	errs := r.errs
	for _, policy := range r.policies() {
		if o.Identify == nil && policy.stage == AfterAuthorization {
			errs = append(errs, fmt.Errorf("policy %q needs the identity: set Identify", policy.name))
		}
		if o.Endpoint == nil && has(policy.key, Endpoint) {
			errs = append(errs, fmt.Errorf("policy %q counts by endpoint: set Endpoint", policy.name))
		}
	}
	errs = append(errs, part.Validate("detector", o.Detector))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if o.Detector == nil {
		o.Detector = ipdetector.RemoteAddr{}
	}
	if o.Refuse == nil {
		o.Refuse = refusePlainly
	}
	if o.Fail == nil {
		o.Fail = failPlainly
	}
	plan := newPlan(r.limits)
	if err := plan.prepare(); err != nil {
		return nil, err
	}
	return &middleware{plan, o}, nil
}

func (r *resolver) policies() []*policyLimiter {
	var list []*policyLimiter
	for _, l := range r.limits {
		if policy, ok := l.limiter.(*policyLimiter); ok {
			list = append(list, policy)
		}
	}
	return list
}

// admit asks both gates and answers what they do not let pass.
func (m *middleware) admit(w http.ResponseWriter, r *http.Request) bool {
	rc := &Context{Request: r, Detector: m.options.Detector}
	results, err := m.consume(r.Context(), rc)
	if len(results) > 0 {
		m.setFields(w.Header(), results)
	}
	switch {
	case err != nil:
		m.fail(w, rc, err)
	case Refused(results) != nil:
		m.refuse(w, rc, results)
	default:
		return true
	}
	return false
}

func (m *middleware) consume(ctx context.Context, rc *Context) (results []Result, err error) {
	defer catch(&err)
	if m.options.Endpoint != nil {
		if rc.Endpoint = m.options.Endpoint(rc.Request); rc.Endpoint == "" {
			return nil, errors.New("the request has no pattern: around a http.ServeMux set Endpoint to MuxPattern")
		}
	}
	if m.plan.At(BeforeAuthorization) {
		results, err = m.plan.Consume(ctx, rc, 1, nil)
		if err != nil || refused(results, 0) {
			return results, err
		}
	}
	if !m.plan.At(AfterAuthorization) {
		return results, nil
	}
	rc.Stage = AfterAuthorization
	if m.options.Identify != nil {
		if rc.Identity, rc.Subject, err = m.options.Identify(rc.Request); err != nil {
			return results, fmt.Errorf("identify: %w", err)
		}
	}
	return m.plan.Consume(ctx, rc, 1, results)
}

// setFields keeps what another middleware around this one has set.
func (m *middleware) setFields(h http.Header, results []Result) {
	policy, limit := m.plan.PolicyField(results), string(AppendLimitField(nil, results))
	theirPolicy, theirLimit := h[ratefield.PolicyField], h[ratefield.LimitField]
	if theirPolicy != nil || theirLimit != nil {
		names := make([]string, len(results))
		for i := range results {
			names[i] = results[i].Policy
		}
		policy = []string{ratefield.Merge(policy[0], names, theirPolicy, true)}
		limit = ratefield.Merge(limit, names, theirLimit, false)
	}
	h[ratefield.PolicyField] = policy
	h[ratefield.LimitField] = []string{limit}
}
