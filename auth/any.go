package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// Any admits whom one of the members admits. They are asked in their order, and
// the identity is that of the first who admits:
//
//	auth.Any(auth.Bearer(tokens), auth.HeaderKey("X-API-Key", keys))
//
// When nobody admits, a request that carries credentials gets the refusal of the
// member that they are for, the first of them if there are several. A request
// without any gets 401 with the message of the first member, and the challenges
// of all as one list (RFC 9110, section 11.6.1).
//
// Two answers end the way at once: that of a member who could not decide, and
// [api.Forbidden] for credentials that are valid.
//
// With [None] at the end credentials are optional: whoever sends none is
// admitted without an identity, and whoever sends wrong ones is refused.
//
// A member of one's own may have a method Carries(r *api.Request) bool, which
// tells whether the request carries credentials of its kind, right or wrong.
// Without it, a 403 beside an identity tells so, and a 401 with another challenge
// than that of the scheme. A 400 always does.
//
// Mistakes of the members are reported when the presenter is built, as is a list
// without members, and [None] in front of others.
func Any(members ...api.Authorization) api.Authorization {
	return &anyOf{newMembers("Any", members)}
}

type anyOf struct{ members members }

func (a *anyOf) Scheme() api.Scheme {
	m := &a.members
	identifies := api.IdentifiesSometimes
	switch {
	case len(m.list) == 0 || m.count(api.IdentifiesUnknown) > 0:
		identifies = api.IdentifiesUnknown
	case m.count(api.IdentifiesAlways) == len(m.list):
		identifies = api.IdentifiesAlways
	case m.count(api.IdentifiesNever) == len(m.list):
		identifies = api.IdentifiesNever
	}
	return api.Scheme{Name: m.name("any"), Challenge: a.challenge(), Identifies: identifies, Any: slices.Clone(m.schemes)}
}

// challenge is that of all members.
func (a *anyOf) challenge() string {
	var all []string
	for _, scheme := range a.members.schemes {
		if scheme.Challenge != "" && !slices.Contains(all, scheme.Challenge) {
			all = append(all, scheme.Challenge)
		}
	}
	return strings.Join(all, ", ")
}

func (a *anyOf) Validate() error {
	errs := []error{a.members.validate("Any")}
	for i, member := range a.members.list {
		if _, open := member.(none); open && i < len(a.members.list)-1 {
			errs = append(errs, fmt.Errorf("auth: Any: member %d admits everybody, so those behind it are never asked", i+1))
		}
	}
	return errors.Join(errs...)
}

// Carries is for an Any around this one.
func (a *anyOf) Carries(r *api.Request) bool { return a.members.carry(r) }

func (a *anyOf) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	if a.members.broken != nil {
		return api.Identity{}, a.members.broken
	}
	var refused, carried *api.Refusal // the first of each
	for i := range a.members.list {
		identity, granted, err := a.members.ask(ctx, i, r)
		if err == nil && (carried == nil || !identity.IsZero()) {
			a.members.told(ctx, i, granted)
			return identity, nil
		}
		if err == nil { // open to those who send no credentials
			continue
		}
		refusal := api.AsRefusal(err)
		if refusal == nil {
			return api.Identity{}, err
		}
		mine := a.members.carries(i, r, identity, refusal)
		if mine && refusal.Kind == api.KindForbidden {
			return identity, err
		}
		if mine && carried == nil {
			carried = a.members.challenged(i, refusal)
		}
		if refused == nil || refused.Kind != api.KindUnauthorized && refusal.Kind == api.KindUnauthorized {
			refused = refusal
		}
	}
	switch {
	case carried != nil:
		return api.Identity{}, carried
	case refused.Kind == api.KindUnauthorized:
		return api.Identity{}, refuse(refused.Kind, refused.Message, a.challenge())
	default:
		return api.Identity{}, refused
	}
}
