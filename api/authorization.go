package api

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// An Authorization decides who may call an endpoint.
//
// An implementation
//   - is safe for concurrent use and keeps nothing of a request;
//   - refuses with [Unauthorized], [Forbidden] or [BadCredentials]; any other
//     error, a typed nil too, says that it could not decide, and is answered
//     500 without its text;
//   - returns the identity it has proved, or the zero Identity for none; beside
//     Forbidden it is for the record alone;
//   - compares secrets in constant time, and never puts one into an Identity;
//   - has a method Unwrap() Authorization when it wraps another one, so that the
//     mistakes of that one are found at start.
type Authorization interface {
	Authorize(ctx context.Context, r *Request) (Identity, error)

	// Scheme describes the authorization. It is asked at build time and constant.
	Scheme() Scheme
}

// Identity is who calls, as an [Authorization] has proved it. The zero Identity
// is nobody.
type Identity struct {
	Scheme string // keeps the callers of two schemes apart: "bearer"
	ID     string // who, within the scheme: a user name or the hash of a secret, never a secret
	Value  any    // what the authorization knows of the caller: the user, his plan
}

// IsZero reports whether nobody was identified.
func (i Identity) IsZero() bool { return i.ID == "" && i.Scheme == "" }

// String is "scheme:id", or "" for nobody. It never holds a secret. Two callers
// never have one text: in the scheme ":" becomes "%3A" and "%" becomes "%25".
func (i Identity) String() string {
	if i.IsZero() {
		return ""
	}
	return schemeEscaper.Replace(i.Scheme) + ":" + i.ID
}

// schemeEscaper returns a usual scheme as it is, without an allocation.
var schemeEscaper = strings.NewReplacer(":", "%3A", "%", "%25")

// Identifies tells whether an [Authorization] tells who calls.
type Identifies uint8

const (
	// IdentifiesUnknown is an authorization that does not say. Nothing is checked.
	IdentifiesUnknown Identifies = iota
	// IdentifiesNever admits callers without an identity. A limit by identity
	// on such an endpoint is a mistake: it would never apply.
	IdentifiesNever
	// IdentifiesSometimes admits callers with and without an identity.
	IdentifiesSometimes
	// IdentifiesAlways admits nobody without an identity. One that is missing is
	// a fault of the authorization, and is logged.
	IdentifiesAlways
)

// Scheme describes an [Authorization] to the rest of the program.
type Scheme struct {
	Name       string     // "bearer"; "" for none
	Challenge  string     // WWW-Authenticate of a 401 that brings none of its own (RFC 9110, section 11.6.1)
	Identifies Identifies // whether it tells who calls

	// The rest is for documents about the API, in the words of OpenAPI.
	Type          string   // "http", whose scheme is the Name, "apiKey", "oauth2", "openIdConnect"; "": nothing is sent
	In            string   // where an API key is: "header", "query", "cookie"
	ParameterName string   // the name of an API key there, as the program wrote it
	BearerFormat  string   // a hint at what a bearer token is: "JWT"
	Scopes        []string // what a caller must hold besides the scopes in Any and All
	Any           []Scheme // one of them admits
	All           []Scheme // all of them must admit
}

// Validate reports a Challenge that is none, an Identifies that is none of the
// constants, and what OpenAPI could not describe: an unknown Type, and an API key
// without its name and its place. The presenter calls it when it is built.
func (s Scheme) Validate() error {
	var errs []error
	if s.Challenge != "" && !isChallenge(s.Challenge) {
		errs = append(errs, fmt.Errorf("challenge %q: write the name of a scheme and its parameters, without control characters", s.Challenge))
	}
	if s.Identifies > IdentifiesAlways {
		errs = append(errs, fmt.Errorf("Identifies %d is none of the constants", s.Identifies))
	}
	switch s.Type {
	case "", "http", "oauth2", "openIdConnect":
	case "apiKey":
		if s.ParameterName == "" || s.In != "header" && s.In != "query" && s.In != "cookie" {
			errs = append(errs, errors.New("an apiKey has a ParameterName, and is In header, query or cookie"))
		}
	default:
		errs = append(errs, fmt.Errorf("unknown Type %q: http, apiKey, oauth2 or openIdConnect", s.Type))
	}
	return errors.Join(errs...)
}

// isChallenge reports whether s can be sent and begins with an auth-scheme (RFC
// 9110, section 11.3). What the parameters say is the business of the scheme.
func isChallenge(s string) bool {
	scheme, _, _ := strings.Cut(s, " ")
	scheme, _, _ = strings.Cut(scheme, ",") // a list of challenges
	return httptoken.Is(scheme) && httptoken.IsValue(s)
}

// Refusal is how an [Authorization] turns a caller away. Make one with
// [Unauthorized], [Forbidden] or [BadCredentials].
type Refusal struct {
	Kind      Kind   // KindUnauthorized, KindForbidden or KindInput; any other refuses nobody, see AsRefusal
	Message   string // for the client
	Challenge string // WWW-Authenticate; "", or one that cannot be sent: the Scheme's on a 401, none otherwise
}

// Error is the message. A nil Refusal, which is a mistake, has a text, too.
func (r *Refusal) Error() string {
	if r == nil {
		return "api: a nil *Refusal"
	}
	return r.Message
}

// Unauthorized refuses with 401: the credentials are missing or not valid.
// The message is shown to the client.
func Unauthorized(message string) error { return &Refusal{Kind: KindUnauthorized, Message: message} }

// Forbidden refuses with 403: the caller is known and may not do this.
// The message is shown to the client.
func Forbidden(message string) error { return &Refusal{Kind: KindForbidden, Message: message} }

// BadCredentials refuses with 400: the request carries its credentials in a way
// that cannot be read (invalid_request in RFC 6750, section 3.1). The message is
// shown to the client.
func BadCredentials(message string) error { return &Refusal{Kind: KindInput, Message: message} }

// AsRefusal returns the refusal in err, or nil when there is none in it: then
// the authorization could not decide. A nil Refusal, and one of a Kind that
// refuses nobody, is none. The Challenge is "" when it is no challenge.
func AsRefusal(err error) *Refusal {
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal == nil {
		return nil
	}
	switch refusal.Kind {
	case KindUnauthorized, KindForbidden, KindInput:
	default:
		return nil
	}
	if refusal.Challenge != "" && !isChallenge(refusal.Challenge) {
		return &Refusal{Kind: refusal.Kind, Message: refusal.Message}
	}
	return refusal
}
