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
	granted := scope.Asked(ctx)
	if granted == nil {
		ctx, granted = scope.Ask(ctx)
	}
	identity, err := s.inner.Authorize(ctx, r)
	if err != nil {
		return identity, err
	}
	const message = "Insufficient scope"
	if identity.IsZero() {
		return api.Identity{}, refuse(api.KindUnauthorized, message, s.inner.Scheme().Challenge)
	}
	held := granted.Of(identity.Scheme, identity.ID)
	if value, ok := identity.Value.(Scoped); ok && !part.IsNil(value) {
		held = slices.Concat(held, value.Scopes())
	}
	for _, required := range s.scopes {
		if !slices.Contains(held, required) {
			return identity, refuse(api.KindForbidden, message, s.challenge(granted))
		}
	}
	return identity, nil
}

// challenge is "" for a caller who is not known by a bearer token. Where there is
// only one scheme it has told who calls, whatever it calls its callers; of several
// it is the member that [Any] and [All] have told.
func (s *scoped) challenge(granted *scope.Grants) string {
	scheme := s.inner.Scheme()
	bearer := bearerOf(&scheme)
	if bearer == "" {
		bearer = granted.Challenge()
	}
	if bearer == "" {
		return ""
	}
	return challenge("Bearer", parameter{"realm", realmOf(bearer)},
		parameter{"error", "insufficient_scope"}, parameter{"scope", strings.Join(s.scopes, " ")})
}

// bearerOf is the challenge of a bearer scheme; "" is that of any other, and of
// several.
func bearerOf(s *api.Scheme) string {
	switch {
	case len(s.Any)+len(s.All) > 0 || s.Type != "http" || !strings.EqualFold(s.Name, "bearer"):
		return ""
	case s.Challenge == "":
		return "Bearer"
	default:
		return s.Challenge
	}
}

func checkScopes(scopes []string) error {
	for i, text := range scopes {
		if !scope.Valid(text) {
			return fmt.Errorf("scope %d cannot be granted: it is no scope-token (RFC 6749, section 3.3)", i+1)
		}
	}
	return nil
}
