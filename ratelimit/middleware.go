package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/safelog"
	"github.com/sallyport-go/sallyport/ipdetector"
)

// MiddlewareOptions tell [Middleware] what only the program knows. The zero
// value is enough for limits by address.
type MiddlewareOptions struct {
	// Identify tells who calls, after whatever authorization the program has;
	// "" is nobody. It is required by limits that need the identity, and runs
	// only when the first gate has let the request pass.
	Identify func(r *http.Request) (identity string, subject any, err error)

	// Endpoint tells endpoints apart by their patterns, never by their paths. It
	// is required by limits with the Endpoint key: [MuxPattern] for a middleware
	// around a whole http.ServeMux, [RequestPattern] for one around the handlers
	// in it. "" is a fault of the program, and answered 500.
	Endpoint func(r *http.Request) string

	// Detector finds the client's address; nil: ipdetector.RemoteAddr.
	Detector ipdetector.Detector

	// Refuse answers a refused request with status 429, beside the header fields
	// that are set already; nil: a line of plain text.
	Refuse func(w http.ResponseWriter, r *http.Request, results []Result)

	// Fail answers a request that could not be decided: a fault of the program,
	// or a [ClosedError]; nil: 500 or 503 with a line of plain text. The cause is
	// logged in any case and is not for the client.
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
// RateLimit fields stand on every answer, Retry-After on a refusal.
//
// An option that the limiter needs and that is missing is an error.
func Middleware(l Limiter, o MiddlewareOptions) (func(http.Handler) http.Handler, error) {
	m, err := newMiddleware(l, o)
	if err != nil {
		return nil, fmt.Errorf("ratelimit: middleware: %w", err)
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
	r := resolver{}
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
	errs = append(errs, validate("detector", o.Detector))
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
	plan, err := newPlan(r.limits)
	return &middleware{plan, o}, err
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
		w.Header()[ratefield.PolicyField] = m.plan.PolicyField(results)
		w.Header()[ratefield.LimitField] = []string{string(AppendLimitField(nil, results))}
	}
	switch {
	case err != nil:
		m.fail(w, r, rc, err)
	case Refused(results) != nil:
		if seconds, known := RetryAfter(results); known {
			w.Header().Set("Retry-After", strconv.FormatInt(seconds, 10))
		}
		m.options.Refuse(w, r, results)
	default:
		return true
	}
	return false
}

func (m *middleware) consume(ctx context.Context, rc *Context) (results []Result, err error) {
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

// fail keeps the cause in the log. A client that has gone is no failure.
func (m *middleware) fail(w http.ResponseWriter, r *http.Request, rc *Context, err error) {
	var closed *ClosedError
	switch {
	case r.Context().Err() != nil:
		return
	case errors.As(err, &closed): // the outage is logged where it was met
		w.Header().Set("Retry-After", "1")
	default:
		safelog.Error(r.Context(), m.options.Logger, "rate limit failed", slog.String("endpoint", rc.Endpoint), slog.Any("err", err))
	}
	m.options.Fail(w, r, err)
}

func refusePlainly(w http.ResponseWriter, _ *http.Request, results []Result) {
	text := "Too many requests."
	if seconds, known := RetryAfter(results); known {
		text += fmt.Sprintf(" Retry after %d seconds.", seconds)
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, http.StatusTooManyRequests)
}

func failPlainly(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	if closed := (*ClosedError)(nil); errors.As(err, &closed) {
		status = http.StatusServiceUnavailable
	}
	http.Error(w, http.StatusText(status), status)
}
