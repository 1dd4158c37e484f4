package sallyport

import (
	"reflect"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// program is what the parts of the program get to see of it.
func (b *builder) program(endpoints []*endpoint) *api.Program {
	p := api.Program{
		BasePath:     b.config.BasePath,
		BaseURL:      b.config.BaseURL,
		ErrorHandler: b.config.ErrorHandler,
	}
	for _, e := range endpoints {
		described := e.described.Description
		described.Deprecated = described.Deprecated || !e.api.Deprecated.IsZero()
		p.Endpoints = append(p.Endpoints, api.Endpoint{
			Api:         e.api,
			Scheme:      e.scheme,
			Description: described,
			Inputs:      e.described.inputs,
			Outputs:     e.described.outputs,
			Lifecycle:   b.config.Versions[e.api.Endpoint.Version()].Of(&e.api),
			Policies:    e.policies(),
		})
	}
	return api.NewProgram(p)
}

// bind shows the program to the parts that need it, each once.
func (b *builder) bind(p *api.Program) {
	bound := map[any]bool{}
	bind := func(where, what string, of any) {
		binder, ok := of.(api.Binder)
		if !ok {
			return
		}
		if reflect.TypeOf(of).Kind() == reflect.Pointer { // other values of users may not be comparable
			if bound[of] {
				return
			}
			bound[of] = true
		}
		b.report(where, part.Within(what, part.Ask(func() error { return binder.Bind(p) })))
	}
	bind("sallyport: "+b.decider.site.String(), "the error handler", p.ErrorHandler)
	for i, e := range b.decider.entries {
		where, a := b.where(e), p.Endpoints[i].Api
		bindAll(bind, where, "the handler", a.Handler)
		bindAll(bind, where, "the authorization", a.Authorization)
		bind(where, "the error handler", a.ErrorHandler)
	}
}

// bindAll binds a part and those that it wraps.
func bindAll[T any](bind func(where, what string, of any), where, what string, outer T) {
	parts, _ := part.Unwrapped(outer) // a wrapper without an end is reported elsewhere
	for _, p := range parts {
		bind(where, what, p)
	}
}

// policies describes the limits that can apply: one by identity never does where
// the authorization tells of none.
func (e *endpoint) policies() []ratelimit.PolicyInfo {
	if e.plan == nil {
		return nil
	}
	return slices.DeleteFunc(e.plan.Policies(), func(p ratelimit.PolicyInfo) bool {
		return e.scheme.Identifies == api.IdentifiesNever && slices.Contains(p.Keys, "identity")
	})
}
