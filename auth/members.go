package auth

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// members are the authorizations that one is made of.
type members struct {
	list     []api.Authorization
	schemes  []api.Scheme
	mistakes []error
	broken   error // there is nobody to ask
}

// newMembers asks every member for its scheme, which is constant.
func newMembers(name string, list []api.Authorization) members {
	m := members{list: append([]api.Authorization{}, list...), schemes: make([]api.Scheme, len(list))}
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
		}
	}
	return m
}

// validate also looks for mistakes of what the members wrap.
func (m *members) validate(name string) error {
	errs := append([]error{m.broken}, m.mistakes...)
	for i, member := range m.list {
		where := fmt.Sprintf("auth: %s: member %d", name, i+1)
		for a := range unwrapped(member) {
			errs = append(errs, part.Within(where, part.Mistakes(a)))
		}
	}
	return errors.Join(errs...)
}

// maxWrappers bounds how deep wrappers may stand in each other.
const maxWrappers = 100

// unwrapped goes from an authorization to those that it wraps.
func unwrapped(a api.Authorization) func(yield func(api.Authorization) bool) {
	return func(yield func(api.Authorization) bool) {
		for depth := 0; depth < maxWrappers && !part.IsNil(a) && yield(a); depth++ {
			wrapper, ok := a.(interface{ Unwrap() api.Authorization })
			if !ok {
				return
			}
			a = wrapper.Unwrap()
		}
	}
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
