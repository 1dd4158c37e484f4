package sallyport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/safelog"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// endpoint is a registration that is ready to serve.
type endpoint struct {
	api        api.Api // with the defaults in their places
	described  description
	plan       *ratelimit.Plan
	scheme     api.Scheme
	byIdentity bool // a limit counts by identity
	secondGate bool
	name       string // Endpoint.String()
	pattern    string // for http.Request.Pattern
	caching    caching
	lifecycle  *lifecycle // nil: it tells nothing
}

// NewPresenter builds what the decider has registered. The error joins every
// mistake of the program, each with the file and line of its registration. The
// decider takes no more endpoints afterwards, also when there was a mistake.
func NewPresenter(d *ApiDecider) (*Presenter, error) {
	if d == nil {
		return nil, errors.New("sallyport: there is no decider: make one with NewApiDecider")
	}
	d.frozen = true
	b := builder{decider: d, config: d.config.withDefaults(), validated: map[any]bool{}, sites: map[string]int{}}
	p := b.build()
	if len(b.errs) > 0 {
		return nil, errors.Join(b.errs...)
	}
	return p, nil
}

// builder collects the mistakes of a program.
type builder struct {
	decider   *ApiDecider
	config    Config
	limits    *ratelimit.Set
	byDefault []ratelimit.Rule // the default of the configuration; nil: none
	file      map[string]fileEndpoint
	validated map[any]bool   // shared parts are reported once
	sites     map[string]int // how many endpoints a place registers
	errs      []error
}

func (b *builder) build() *Presenter {
	b.checkConfig()
	for _, e := range b.decider.entries {
		b.sites[e.site.String()]++
	}
	b.fileEndpoints()
	endpoints := make([]*endpoint, len(b.decider.entries))
	for i, e := range b.decider.entries {
		endpoints[i] = b.endpoint(e)
	}
	routes := b.routes() // without mistakes, its indexes are those of endpoints
	if len(b.errs) > 0 {
		return nil
	}
	if unused := b.limits.Unused(); len(unused) > 0 {
		safelog.Warn(context.Background(), b.config.ErrorLog, "rate limits that no endpoint takes", slog.Any("policies", unused))
	}
	program := b.program(endpoints)
	lifecycles(endpoints, program)
	if b.bind(program); len(b.errs) > 0 {
		return nil
	}
	presenter := &Presenter{
		config:    b.config,
		program:   program,
		cors:      newCORS(b.config.CORS, slices.ContainsFunc(endpoints, func(e *endpoint) bool { return e.lifecycle != nil })),
		router:    routes,
		endpoints: endpoints,
		preflight: b.decider.preflight.handler,
		forwarded: newForwardedWarning(b.config),
	}
	if b.config.Logger != nil {
		presenter.redactor = newRedactor(endpoints)
	}
	return presenter
}

func (b *builder) checkConfig() {
	where := "sallyport: " + b.decider.site.String()
	b.report(where, b.config.mistakes())
	b.report(where, b.lifecycleMistakes())
	b.report(where, b.errorHandlerMistakes(b.config.ErrorHandler))
	if a := b.config.Defaults.Authorization; a != nil {
		b.report(where, part.Within("the default authorization", b.authorizationMistakes(a)))
	}
	var err error
	b.limits, err = ratelimit.NewSet(b.config.RateLimits, b.config.RateLimiting)
	b.report(where, err)
	b.checkDefault(where)
	if p := b.decider.preflight; p.handler != nil {
		b.report("sallyport: "+p.site.String(), part.Within("the preflight handler", b.handlerMistakes(p.handler)))
	}
}

// checkDefault reports the mistakes of the default limit once, and not again at
// every endpoint that takes it.
func (b *builder) checkDefault(where string) {
	rule := b.config.Defaults.RateLimit
	if rule == nil {
		return
	}
	err := part.Ask(func() error {
		_, err := b.limits.Plan(ratelimit.Target{}, rule)
		return err
	})
	if err != nil {
		b.report(where+": the default rate limit", err)
		rule = ratelimit.Off
	}
	b.byDefault = []ratelimit.Rule{rule}
}

// report puts where in front of each mistake in err.
func (b *builder) report(where string, err error) {
	b.errs = append(b.errs, part.Flatten(part.Within(where, err))...)
}

func (b *builder) where(e entry) string {
	return fmt.Sprintf("sallyport: %s: %s", b.place(e), e.api.Endpoint)
}

// place is where the endpoint was registered.
func (b *builder) place(e entry) string {
	return e.site.full(b.sites[e.site.String()] > 1)
}

func (b *builder) endpoint(e entry) *endpoint {
	where := b.where(e)
	a := e.api
	if e.missing != (api.EndpointIdentifier{}) {
		b.report(where, fmt.Errorf("it is carried over from %s, which was not registered before", e.missing))
		return nil
	}
	lifecycle := b.config.Versions[a.Endpoint.Version()].Of(&a)
	a.Deprecated, a.Sunset, a.Successor = lifecycle.Deprecated, lifecycle.Sunset, lifecycle.Successor
	b.report(where, a.Endpoint.Validate())
	b.report(where, b.lifecycleMistakesOf(&e.api))
	b.report(where, validateBounds(a.MaxBody, a.Timeout))
	b.report(where, b.handlerMistakes(a.Handler))
	if a.Authorization != nil {
		b.report(where, b.authorizationMistakes(a.Authorization))
	} else if a.Authorization = b.config.Defaults.Authorization; a.Authorization == nil {
		b.report(where, errors.New("there is no authorization: write auth.None() for an open endpoint"))
	}
	if a.ErrorHandler == nil {
		a.ErrorHandler = b.config.ErrorHandler
	}
	if a.MaxBody == 0 {
		a.MaxBody = b.config.MaxBody
	}
	if a.Timeout == 0 {
		a.Timeout = b.config.Timeout
	}
	built := &endpoint{api: a, name: a.Endpoint.String(), pattern: a.Endpoint.Method() + " " + b.config.BasePath + "/" + a.Endpoint.URL()}
	if !part.IsNil(a.Authorization) {
		b.report(where, part.Within("the authorization", part.Ask(func() error {
			built.scheme = a.Authorization.Scheme()
			return built.scheme.Validate()
		})))
	}
	built.caching = caching{private: built.scheme.Identifies != api.IdentifiesNever}
	b.report(where, part.Ask(func() error { return b.limit(built) }))
	if !part.IsNil(a.Handler) {
		var err error
		built.described, err = b.describe(&built.api)
		b.report(where, err)
	}
	b.report(where, b.errorHandlerMistakes(e.api.ErrorHandler))
	return built
}

// limit finds the limits of the endpoint: those of the file, else the
// registration's, else the handler's own, else the default.
func (b *builder) limit(e *endpoint) error {
	if f := b.file[e.api.Endpoint.Name()]; f.rule != nil {
		return part.Within("config: "+f.at.String(), b.plan(e, []ratelimit.Rule{f.rule}, true))
	}
	rules := e.api.RateLimits
	if rules == nil {
		if limited, ok := ability[api.RateLimited](e.api.Handler); ok {
			rules = limited.RateLimits()
		}
	}
	if rules == nil {
		return b.plan(e, b.byDefault, false)
	}
	if len(rules) == 0 {
		return errors.New("the list of rate limits is empty: write ratelimit.Off for none")
	}
	return b.plan(e, rules, true)
}

// plan makes the plan of the endpoint. own is false for the default, which may
// count by identity everywhere.
func (b *builder) plan(e *endpoint, rules []ratelimit.Rule, own bool) error {
	plan, err := b.limits.Plan(ratelimit.Target{Endpoint: e.name, Name: e.api.Endpoint.Name()}, rules...)
	if err != nil {
		return err
	}
	e.plan = plan
	e.secondGate = plan.At(ratelimit.AfterAuthorization)
	byIdentity := plan.ByIdentity()
	e.byIdentity = len(byIdentity) > 0
	if own && e.byIdentity && e.scheme.Identifies == api.IdentifiesNever {
		return fmt.Errorf("the rate limits %q count by identity, but the authorization tells of none: they would never apply", byIdentity)
	}
	if own && e.scheme.Identifies == api.IdentifiesNever {
		b.warnNeedless(e, plan.AfterAuthorization())
	}
	return nil
}

// warnNeedless tells of limits by keys of one's own that may wait in vain for an
// identity. Such a key may do without one, so it is no mistake.
func (b *builder) warnNeedless(e *endpoint, policies []string) {
	if len(policies) > 0 {
		safelog.Warn(context.Background(), b.config.ErrorLog, "rate limits need the identity, but the authorization of the endpoint tells of none",
			slog.String("endpoint", e.name), slog.Any("policies", policies))
	}
}

func (b *builder) handlerMistakes(h api.Handler) error {
	switch {
	case h == nil:
		return errors.New("there is no handler")
	case part.IsNil(h):
		return fmt.Errorf("the handler is a nil %T", h)
	}
	return mistakesOf(b, "the handler", "rate limits", h)
}

func (b *builder) authorizationMistakes(a api.Authorization) error {
	if part.IsNil(a) {
		return fmt.Errorf("the authorization is a nil %T", a)
	}
	return mistakesOf(b, "the authorization", "mistakes", a)
}

func (b *builder) errorHandlerMistakes(h api.ErrorHandler) error {
	if part.IsNil(h) { // nothing, which is the program's, or a nil pointer, which is a mistake
		return b.once("the error handler", h)
	}
	return mistakesOf(b, "the error handler", "table and schemas", h)
}

// mistakesOf are those of a part and of all parts that it wraps. One that cannot
// be found would lose something.
func mistakesOf[T any](b *builder, what, lost string, outer T) error {
	parts, err := part.Unwrapped(outer)
	errs := []error{part.Within(what, err)}
	for _, p := range parts {
		if hidden := part.Hidden(p, lost); hidden != nil {
			errs = append(errs, fmt.Errorf("%s %w", what, hidden))
		}
		errs = append(errs, b.once(what, p))
	}
	return errors.Join(errs...)
}

// once validates a part the first time it is met.
func (b *builder) once(what string, p any) error {
	if p != nil && reflect.TypeOf(p).Kind() == reflect.Pointer { // other values of users may not be comparable
		if b.validated[p] {
			return nil
		}
		b.validated[p] = true
	}
	return part.Validate(what, p)
}

// routes builds the table of paths of the endpoints whose identifiers are valid.
func (b *builder) routes() *router {
	var (
		identifiers []api.EndpointIdentifier
		entries     []int
	)
	for i, e := range b.decider.entries {
		if e.api.Endpoint.Validate() == nil {
			identifiers = append(identifiers, e.api.Endpoint)
			entries = append(entries, i)
		}
	}
	table, mistakes := newRouter(b.config.BasePath, identifiers)
	for _, m := range mistakes {
		err := m.err
		if m.route < 0 {
			b.report("sallyport: "+b.decider.site.String(), err)
			continue
		}
		if m.other >= 0 {
			other := b.decider.entries[entries[m.other]]
			err = fmt.Errorf("%w, registered at %s", err, b.place(other))
		}
		b.report(b.where(b.decider.entries[entries[m.route]]), err)
	}
	return table
}

// ability looks for an optional interface of a handler, through its wrappers.
func ability[T any](h api.Handler) (found T, ok bool) {
	parts, _ := part.Unwrapped(h) // a wrapper without an end is reported elsewhere
	for _, p := range parts {
		if found, ok = p.(T); ok {
			return found, true
		}
	}
	return found, false
}
