package jwt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gojwt "github.com/golang-jwt/jwt/v5"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/scope"
)

// New admits whoever sends a valid token, in the header Authorization alone, as
// [auth.Bearer] reads it. It is safe for concurrent use.
//
// The caller's identity has the scheme "jwt". Its ID is made of the issuer and
// the subject, since a subject is unique for its issuer only:
// "https://issuer.example/#ada". Tokens without a subject are refused.
//
// A request without a token is answered 401, one whose header breaks the grammar
// or stands there twice 400, a token that is not valid 401, and one without the
// scopes 403. All of them tell the reason in WWW-Authenticate. When the keys
// cannot be had, nobody is refused: that is an error, answered 500.
//
// Mistakes in the configuration and of its keys are reported when the presenter is
// built. With any in the Config itself no token is admitted.
func New(c Config) api.Authorization {
	c = c.withDefaults()
	a := &authorization{
		Config:   c,
		mistakes: c.validate(),
		parser: gojwt.NewParser(gojwt.WithValidMethods(c.Algorithms), gojwt.WithStrictDecoding(),
			gojwt.WithoutClaimsValidation()), // see check
	}
	a.bearer = auth.Bearer(repository{a}, auth.Realm(c.Realm))
	a.mistakes = errors.Join(a.mistakes, part.Mistakes(a.bearer))
	bare := a.bearer.Scheme().Challenge
	a.invalidToken = bare + `, error="invalid_token"`
	a.insufficientScope = fmt.Sprintf(`%s, error="insufficient_scope", error_description="%s", scope="%s"`,
		bare, noScope, strings.Join(c.Scopes, " "))
	return a
}

type authorization struct {
	Config
	mistakes error
	parser   *gojwt.Parser
	bearer   api.Authorization

	invalidToken, insufficientScope string // challenges
}

func (a *authorization) Scheme() api.Scheme {
	s := a.bearer.Scheme()
	s.BearerFormat = "JWT"
	s.Scopes = slices.Clone(a.Scopes)
	return s
}

// Carries is for [auth.Any].
func (a *authorization) Carries(r *api.Request) bool {
	asked, ok := a.bearer.(interface{ Carries(r *api.Request) bool })
	return ok && asked.Carries(r)
}

func (a *authorization) Validate() error {
	if part.IsNil(a.Keys) {
		return a.mistakes
	}
	return errors.Join(a.mistakes, part.Mistakes(a.Keys))
}

func (a *authorization) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	identity, err := a.bearer.Authorize(ctx, r)
	if err != nil {
		return api.Identity{}, err
	}
	identity.Scheme = "jwt"
	claims, _ := identity.Value.(Claims)
	if !claims.hold(a.Scopes) {
		return identity, &api.Refusal{Kind: api.KindForbidden, Message: noScope, Challenge: a.insufficientScope}
	}
	if a.Value != nil {
		if identity.Value, err = a.Value(ctx, claims); err != nil {
			return a.withoutValue(identity, err)
		}
	}
	scope.Asked(ctx).Add(identity.Scheme, identity.ID, claims.Scopes())
	return identity, nil
}

// withoutValue passes on what the program wants the client to know.
func (a *authorization) withoutValue(identity api.Identity, err error) (api.Identity, error) {
	identity.Value = nil
	refusal := api.AsRefusal(err)
	switch {
	case refusal == nil:
		return api.Identity{}, fmt.Errorf("jwt: make a value of the claims: %w", err)
	case refusal.Kind == api.KindForbidden:
		return identity, refusal
	case refusal.Kind == api.KindUnauthorized && refusal.Challenge == "":
		return api.Identity{}, &api.Refusal{Kind: refusal.Kind, Message: refusal.Message, Challenge: a.invalidToken}
	default:
		return api.Identity{}, refusal
	}
}

// repository lets [auth.Bearer] read the header and write the challenges.
type repository struct{ a *authorization }

// Lookup finds the claims in the token itself.
func (r repository) Lookup(ctx context.Context, token string) (auth.Token, bool, error) {
	if r.a.mistakes != nil {
		return auth.Token{}, false, errors.New("jwt: the configuration has mistakes")
	}
	claims, err := r.a.verify(ctx, token)
	if err != nil {
		return auth.Token{}, false, err
	}
	id, err := r.a.check(claims)
	if err != nil {
		return auth.Token{}, false, err
	}
	return auth.Token{ID: id, IPs: auth.AnyIP(), Value: claims}, true, nil
}
