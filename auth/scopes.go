package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Scoped is what the Value of an identity may be, so that [Scopes] knows what
// its holder may do.
type Scoped interface{ Scopes() []string }

// Scopes admits those whom a admits, if they hold all of the scopes:
//
//	auth.Scopes(bearer, "reports:read")
//
// A caller holds the Scopes of the [Token] that he is known by, and those of the
// Value of his identity when it is [Scoped]. Scopes are compared exactly. Whoever
// lacks one is answered 403, for a bearer token with error="insufficient_scope"
// and the scopes in WWW-Authenticate (RFC 6750, section 3.1); whoever was admitted
// without an identity 401.
//
// Scopes that no server can grant (RFC 6749, section 3.3) are reported when the
// presenter is built, as is an empty list.
func Scopes(a api.Authorization, scopes ...string) api.Authorization {
	return &scoped{inner: a, scopes: slices.Clone(scopes)}
}

type scoped struct {
	inner  api.Authorization
	scopes []string
}

// Unwrap is for those who look for optional methods and mistakes of the
// authorization inside.
func (s *scoped) Unwrap() api.Authorization { return s.inner }

func (s *scoped) Scheme() api.Scheme {
	if part.IsNil(s.inner) {
		return api.Scheme{}
	}
	scheme := s.inner.Scheme()
	scheme.Scopes = slices.Concat(scheme.Scopes, s.scopes)
	return scheme
}

func (s *scoped) Validate() error {
	errs := []error{checkScopes(s.scopes)}
	if len(s.scopes) == 0 {
		errs = append(errs, errors.New("there is none"))
	}
	if part.IsNil(s.inner) {
		errs = append(errs, errNoInner)
	} else if s.Scheme().Identifies == api.IdentifiesNever {
		errs = append(errs, errors.New("the authorization tells of nobody, so nobody could hold a scope"))
	}
	return part.Within("auth: Scopes", errors.Join(errs...))
}

var errNoInner = errors.New("there is no authorization")

func (s *scoped) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	if part.IsNil(s.inner) {
		return api.Identity{}, fmt.Errorf("auth: Scopes: %w", errNoInner)
	}
	granted, ok := ctx.Value(grantsKey{}).(*grants)
	if !ok {
		granted = &grants{}
		ctx = context.WithValue(ctx, grantsKey{}, granted)
	}
	identity, err := s.inner.Authorize(ctx, r)
	if err != nil {
		return identity, err
	}
	const message = "Insufficient scope"
	if identity.IsZero() {
		return api.Identity{}, refuse(api.KindUnauthorized, message, s.inner.Scheme().Challenge)
	}
	held := granted.of(identity)
	if value, ok := identity.Value.(Scoped); ok && !part.IsNil(value) {
		held = slices.Concat(held, value.Scopes())
	}
	for _, scope := range s.scopes {
		if !slices.Contains(held, scope) {
			return identity, refuse(api.KindForbidden, message, s.challenge(identity))
		}
	}
	return identity, nil
}

// challenge is "" for a caller who is not known by a bearer token.
func (s *scoped) challenge(identity api.Identity) string {
	bearer, ok := bearerIn(s.inner.Scheme(), identity.Scheme)
	if !ok {
		return ""
	}
	return challenge("Bearer", parameter{"realm", realmOf(bearer.Challenge)},
		parameter{"error", "insufficient_scope"}, parameter{"scope", strings.Join(s.scopes, " ")})
}

// bearerIn finds the bearer scheme that has told the identity. Where there is
// only one scheme it has done so, whatever it calls its callers.
func bearerIn(s api.Scheme, identity string) (found api.Scheme, ok bool) {
	members := slices.Concat(s.Any, s.All)
	if len(members) == 0 {
		return s, s.Type == "http" && strings.EqualFold(s.Name, "bearer")
	}
	for _, member := range members {
		if found, ok = bearerIn(member, identity); ok && found.Name == identity {
			return found, true
		}
	}
	return api.Scheme{}, false
}

// grants are the scopes of the tokens that were admitted on the way to a Scopes.
// They come back through the context and not by the identity, whose Value is the
// program's, so they get through wrappers of others, too.
type grants struct {
	mu   sync.Mutex
	list []granted
}

type granted struct {
	scheme, id string
	scopes     []string
}

type grantsKey struct{}

// grant tells the Scopes around what an identity holds, if there is one.
func grant(ctx context.Context, identity api.Identity, scopes []string) {
	if g, ok := ctx.Value(grantsKey{}).(*grants); ok {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.list = append(g.list, granted{identity.Scheme, identity.ID, scopes})
	}
}

// of ends with the authorization: what another identity was granted is not held.
func (g *grants) of(identity api.Identity) (scopes []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, entry := range g.list {
		if entry.scheme == identity.Scheme && entry.id == identity.ID {
			scopes = append(scopes, entry.scopes...)
		}
	}
	return scopes
}

func checkScopes(scopes []string) error {
	for i, scope := range scopes {
		if !isScope(scope) {
			return fmt.Errorf("scope %d cannot be granted: it is no scope-token (RFC 6749, section 3.3)", i+1)
		}
	}
	return nil
}

func isScope(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return s != ""
}
