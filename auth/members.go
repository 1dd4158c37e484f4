package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/scope"
)

// members are the authorizations that one is made of.
type members struct {
	list     []api.Authorization
	schemes  []api.Scheme
	carriers []carrier // nil: the member cannot tell
	mistakes []error
	broken   error // there is nobody to ask
}

// carrier tells whether a request carries credentials for it, right or wrong.
type carrier interface{ Carries(r *api.Request) bool }

// newMembers asks every member for its scheme, which is constant.
func newMembers(name string, list []api.Authorization) members {
	m := members{list: append([]api.Authorization{}, list...), schemes: make([]api.Scheme, len(list)), carriers: make([]carrier, len(list))}
	if len(list) == 0 {
		m.broken = fmt.Errorf("auth: %s has no members", name)
	}
	for i, member := range m.list {
		where := fmt.Sprintf("auth: %s: member %d", name, i+1)
		switch {
		case member == nil:
			m.broken = errors.Join(m.broken, fmt.Errorf("%s is nil", where))
		case part.IsNil(member):
			m.broken = errors.Join(m.broken, fmt.Errorf("%s is a nil %T", where, member))
		default:
			m.mistakes = append(m.mistakes, part.Within(where, part.Ask(func() error {
				m.schemes[i] = member.Scheme()
				return m.schemes[i].Validate()
			})))
			m.carriers[i] = carrierIn(member)
		}
	}
	return m
}

// carrierIn finds the first, from the outside, that can tell.
func carrierIn(member api.Authorization) carrier {
	parts, _ := part.Unwrapped(member) // a wrapper without an end is reported by validate
	for _, p := range parts {
		if c, ok := p.(carrier); ok {
			return c
		}
	}
	return nil
}

// validate also looks for mistakes of what the members wrap.
func (m *members) validate(name string) error {
	errs := append([]error{m.broken}, m.mistakes...)
	for i, member := range m.list {
		where := fmt.Sprintf("auth: %s: member %d", name, i+1)
		parts, err := part.Unwrapped(member)
		errs = append(errs, part.Within(where, err))
		for _, p := range parts {
			errs = append(errs, part.Within(where, errors.Join(part.Hidden(p, "mistakes"), part.Mistakes(p))))
		}
	}
	return errors.Join(errs...)
}

// ask asks a member. What it grants is kept apart, and is worth nothing unless it
// is the member that tells who calls.
func (m *members) ask(ctx context.Context, i int, r *api.Request) (identity api.Identity, granted *scope.Grants, err error) {
	if scope.Asked(ctx) != nil {
		ctx, granted = scope.Ask(ctx)
	}
	identity, err = m.list[i].Authorize(ctx, r)
	return identity, granted, err
}

// told is for a [Scopes] around: the member has told who calls.
func (m *members) told(ctx context.Context, i int, granted *scope.Grants) {
	scope.Asked(ctx).Take(granted, bearerOf(&m.schemes[i]))
}

// carries reports whether a refused request carries credentials for the member.
func (m *members) carries(i int, r *api.Request, identity api.Identity, refusal *api.Refusal) bool {
	switch {
	case refusal.Kind == api.KindInput:
		return true
	case m.carriers[i] != nil:
		return m.carriers[i].Carries(r)
	case refusal.Kind == api.KindForbidden:
		return !identity.IsZero()
	default:
		return refusal.Challenge != "" && refusal.Challenge != m.schemes[i].Challenge
	}
}

// carry reports whether a request carries credentials for one of the members
// that can tell.
func (m *members) carry(r *api.Request) bool {
	return slices.ContainsFunc(m.carriers, func(c carrier) bool { return c != nil && c.Carries(r) })
}

// name is "any(bearer, apikey)".
func (m *members) name(what string) string {
	var names []string
	for _, scheme := range m.schemes {
		if scheme.Name != "" {
			names = append(names, scheme.Name)
		}
	}
	return what + "(" + strings.Join(names, ", ") + ")"
}

// count tells how many of the members identify so.
func (m *members) count(identifies api.Identifies) (n int) {
	for _, scheme := range m.schemes {
		if scheme.Identifies == identifies {
			n++
		}
	}
	return n
}

// challenged is a refusal with the challenge of its member, where it has none of
// its own.
func (m *members) challenged(i int, refusal *api.Refusal) *api.Refusal {
	if refusal.Kind != api.KindUnauthorized || refusal.Challenge != "" {
		return refusal
	}
	return &api.Refusal{Kind: refusal.Kind, Message: refusal.Message, Challenge: m.schemes[i].Challenge}
}
