package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Basic admits whoever sends the name and the password of a user (RFC 7617):
//
//	Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==
//
// The caller's identity has the scheme "basic", the user name as ID, and the
// Value that the repository knows of him; with [Passwords] there is none.
//
// Every refusal has one message. A request without credentials is answered 401,
// as is one whose credentials break the grammar or are wrong, and a browser that
// sees this asks its user for a password. Two Authorization fields are answered
// 400.
//
// Names and passwords are UTF-8 without control characters, and neither is empty.
// Passwords are compared in constant time, and unknown users cost the work of
// known ones: with bcrypt that of the highest cost in [Passwords], or that a
// repository of one's own has shown so far. Of a password bcrypt sees 72 bytes; a
// longer one is refused.
//
// Each request costs as much as its hash, 50 ms and more for usual costs of
// bcrypt, whether the password is right or wrong. Put a rate limit by address in
// front: it is charged at the first gate, before anything is hashed, so it bounds
// the guesses and the work. For programs that call often a token is better.
//
// [Passwords] are read once, here: a later change of the map has no effect.
// Mistakes in them and in the options are reported when the presenter is built.
func Basic(users PasswordRepository, options ...Option) api.Authorization {
	s := apply(options)
	return &basic{
		settings:  s,
		users:     newPasswordCheck(users),
		challenge: challenge("Basic", parameter{"realm", s.realm}, parameter{"charset", "UTF-8"}),
	}
}

type basic struct {
	settings  settings
	users     passwordCheck
	challenge string
}

func (b *basic) Scheme() api.Scheme {
	return api.Scheme{Name: "basic", Challenge: b.challenge, Identifies: api.IdentifiesAlways, Type: "http"}
}

func (b *basic) Validate() error {
	return errors.Join(b.settings.validate(), b.users.validate())
}

// Carries is for [Any].
func (b *basic) Carries(r *api.Request) bool { return carriesScheme(r, "Basic") }

const wrongPassword = "Incorrect username or password"

func (b *basic) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	user, password, err := b.read(r.Header)
	if err != nil {
		return api.Identity{}, err
	}
	if err := ctx.Err(); err != nil { // nobody waits for the hash
		return api.Identity{}, err
	}
	value, ok, err := b.users.check(ctx, user, password)
	switch refusal := api.AsRefusal(err); {
	case refusal != nil && refusal.Kind != api.KindUnauthorized:
		return api.Identity{}, refusal
	case refusal == nil && err != nil:
		return api.Identity{}, err
	case refusal != nil || !ok:
		return api.Identity{}, refuse(api.KindUnauthorized, wrongPassword, b.challenge)
	}
	return api.Identity{Scheme: "basic", ID: user, Value: value}, nil
}

// read finds the name and the password.
func (b *basic) read(h http.Header) (user, password string, err error) {
	lines := h["Authorization"]
	if len(lines) > 1 {
		return "", "", refuse(api.KindInput, wrongPassword, b.challenge)
	}
	if len(lines) == 1 {
		user, password, _ = parseBasic(lines[0])
	}
	if user == "" || password == "" {
		return "", "", refuse(api.KindUnauthorized, wrongPassword, b.challenge)
	}
	return user, password, nil
}

// parseBasic reads credentials (RFC 7617, section 2), with any number of spaces
// behind the scheme (RFC 9110, section 11.4).
func parseBasic(credentials string) (user, password string, ok bool) {
	scheme, rest := httptoken.Cut(credentials)
	if !strings.EqualFold(scheme, "Basic") || !strings.HasPrefix(rest, " ") || strings.ContainsAny(rest, "\r\n") { // which base64 would skip
		return "", "", false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(strings.TrimLeft(rest, " "))
	if err != nil {
		return "", "", false
	}
	user, password, ok = strings.Cut(string(decoded), ":")
	if !ok || !isSendable(user) || !isSendable(password) {
		return "", "", false
	}
	return user, password, true
}
