package auth

import (
	"context"
	"slices"

	"github.com/sallyport-go/sallyport/api"
)

// All admits whom every member admits. They are asked in their order, and the
// first who does not admit answers:
//
//	auth.All(network, auth.Bearer(tokens))
//
// The identity is that of the first member that tells one, so that members which
// only check an address or a header field may stand in front. [Scopes] around it
// asks what that identity holds; what another member has to grant is asked by a
// Scopes around that member.
//
// Mistakes of the members are reported when the presenter is built, as is a list
// without members.
func All(members ...api.Authorization) api.Authorization {
	return &allOf{newMembers("All", members)}
}

type allOf struct{ members members }

func (a *allOf) Scheme() api.Scheme {
	m := &a.members
	identifies := api.IdentifiesNever
	switch {
	case m.count(api.IdentifiesAlways) > 0:
		identifies = api.IdentifiesAlways
	case len(m.list) == 0 || m.count(api.IdentifiesUnknown) > 0:
		identifies = api.IdentifiesUnknown
	case m.count(api.IdentifiesSometimes) > 0:
		identifies = api.IdentifiesSometimes
	}
	scheme := api.Scheme{Name: m.name("all"), Identifies: identifies, All: slices.Clone(m.schemes)}
	for _, member := range m.schemes { // a client has to begin with the first; each refusal brings its own
		if member.Challenge != "" {
			scheme.Challenge = member.Challenge
			break
		}
	}
	return scheme
}

func (a *allOf) Validate() error { return a.members.validate("All") }

// Carries is for an [Any] around this one.
func (a *allOf) Carries(r *api.Request) bool { return a.members.carry(r) }

func (a *allOf) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	if a.members.broken != nil {
		return api.Identity{}, a.members.broken
	}
	var first api.Identity
	for i := range a.members.list {
		identity, granted, err := a.members.ask(ctx, i, r)
		if err != nil {
			return a.refused(i, first, identity, err)
		}
		if first.IsZero() && !identity.IsZero() {
			first = identity
			a.members.told(ctx, i, granted)
		}
	}
	return first, nil
}

// refused tells beside [api.Forbidden] who calls, as far as it is proved.
func (a *allOf) refused(i int, first, identity api.Identity, err error) (api.Identity, error) {
	refusal := api.AsRefusal(err)
	switch {
	case refusal == nil:
		return api.Identity{}, err
	case refusal.Kind != api.KindForbidden:
		return api.Identity{}, a.members.challenged(i, refusal)
	case first.IsZero():
		return identity, err
	default:
		return first, err
	}
}
