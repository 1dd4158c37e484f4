package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Bearer admits whoever sends a token of the repository (RFC 6750):
//
//	Authorization: Bearer mF_9.B5f-4.1JqM
//
// The caller's identity has the scheme "bearer", the ID and the Value of the
// token; see [Token]. A token is read from this header alone: in a query it
// would stand in logs.
//
// A request without a token is answered 401, as is one whose token is unknown,
// disabled or used from a wrong address. A header that breaks the grammar or
// stands there twice is answered 400. All of them tell the reason in
// WWW-Authenticate.
//
// [StaticTokens] and [Tokens] are read once, here: a later change of the map has no effect.
// Mistakes in them and in the options are reported when the presenter is built.
func Bearer(tokens TokenRepository, options ...Option) api.Authorization {
	s := apply(options)
	realm := s.realm
	b := &bearer{
		settings:       s,
		bare:           bearerChallenge(realm, "", ""),
		invalidRequest: bearerChallenge(realm, "invalid_request", ""),
		invalidToken:   bearerChallenge(realm, "invalid_token", ""),
	}
	b.check = newTokenCheck("bearer", tokens, s.hashKey, checkB64Token, b.challengeToken)
	return b
}

type bearer struct {
	settings settings
	check    tokenCheck

	bare, invalidRequest, invalidToken string // challenges
}

func (b *bearer) Scheme() api.Scheme {
	return api.Scheme{Name: "bearer", Challenge: b.bare, Identifies: api.IdentifiesAlways, Type: "http"}
}

func (b *bearer) Validate() error {
	return errors.Join(b.settings.validate(), b.check.validate())
}

func (b *bearer) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	token, err := b.read(r.Header)
	if err != nil {
		return api.Identity{}, err
	}
	return b.check.authorize(ctx, r, token)
}

// Carries is for [Any].
func (b *bearer) Carries(r *api.Request) bool { return carriesScheme(r, "Bearer") }

// challengeToken is the challenge of a token that is not valid.
func (b *bearer) challengeToken(description string) string {
	if description == "" {
		return b.invalidToken
	}
	return bearerChallenge(b.settings.realm, "invalid_token", description)
}

// read finds the token. Who sends no token at all, or credentials of another
// scheme, gets a challenge without an error code (RFC 6750, section 3.1).
func (b *bearer) read(h http.Header) (string, error) {
	const (
		missing     = "Authorization header HTTP_Authorization is not set"
		structure   = "Authorization header contains invalid structure"
		otherScheme = "Authorization header doesn't contain bearer token"
	)
	lines := h["Authorization"]
	switch {
	case len(lines) == 0 || len(lines) == 1 && lines[0] == "":
		return "", refuse(api.KindUnauthorized, missing, b.bare)
	case len(lines) > 1:
		return "", refuse(api.KindInput, structure, b.invalidRequest)
	}
	scheme, rest := httptoken.Cut(lines[0])
	token := strings.TrimLeft(rest, " ")
	switch {
	case strings.EqualFold(scheme, "Bearer") && strings.HasPrefix(rest, " ") && isB64Token(token):
		return token, nil
	case strings.EqualFold(scheme, "Bearer"):
		return "", refuse(api.KindInput, structure, b.invalidRequest)
	case token == "" || strings.Contains(token, " "): // not two parts
		return "", refuse(api.KindUnauthorized, structure, b.bare)
	default:
		return "", refuse(api.KindUnauthorized, otherScheme, b.bare)
	}
}

// isB64Token is the syntax of a token in RFC 6750, section 2.1.
func isB64Token(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("-._~+/", s[i]) < 0 {
			return false
		}
	}
	return s != ""
}

func checkB64Token(token string) error {
	switch {
	case token == "":
		return errors.New("it is empty")
	case !isB64Token(token):
		return errors.New("no client can send it: it is no b64token (RFC 6750, section 2.1)")
	default:
		return nil
	}
}
