package jwt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	gojwt "github.com/golang-jwt/jwt/v5"

	"github.com/sallyport-go/sallyport/api"
)

// Why a token is refused, for the client. None of it repeats the token.
const (
	tooLong       = "The token is too long"
	malformed     = "The token is malformed"
	critical      = "The token has a critical header, which is not understood"
	badType       = "The type of the token is not accepted"
	badAlgorithm  = "The algorithm of the token is not accepted"
	unknownKey    = "The key of the token is unknown"
	badSignature  = "The signature of the token is wrong"
	badDate       = "The token has a date that cannot be read"
	noExpiry      = "The token has no expiration time"
	expired       = "The token has expired"
	notYet        = "The token is not valid yet"
	inFuture      = "The token was issued in the future"
	otherIssuer   = "The token is from another issuer"
	otherAudience = "The token is for another audience"
	noSubject     = "The token has no subject"
	noScope       = "The token lacks a scope that is required"
)

// verify returns the claims of a token that was signed with one of the keys.
func (a *authorization) verify(ctx context.Context, token string) (Claims, error) {
	if len(token) > a.MaxBytes {
		return nil, api.Unauthorized(tooLong)
	}
	var p payload
	var key any
	var keyErr error
	_, err := a.parser.ParseWithClaims(token, &p, func(t *gojwt.Token) (any, error) {
		key, keyErr = a.key(ctx, t.Header)
		return key, keyErr
	})
	switch {
	case err == nil && p.claims == nil: // null
		return nil, api.Unauthorized(malformed)
	case err == nil:
		return p.claims, nil
	case keyErr != nil:
		return nil, keyErr
	case key != nil:
		return nil, api.Unauthorized(badSignature)
	case errors.Is(err, gojwt.ErrTokenMalformed):
		return nil, api.Unauthorized(malformed)
	default:
		return nil, api.Unauthorized(badAlgorithm)
	}
}

// key looks for the key of a token whose algorithm is accepted. It reads nothing
// of the header but what is named here.
func (a *authorization) key(ctx context.Context, header map[string]any) (any, error) {
	if _, ok := header["crit"]; ok { // RFC 7515, section 4.1.11
		return nil, api.Unauthorized(critical)
	}
	if a.Type != "" && !sameType(header["typ"], a.Type) {
		return nil, api.Unauthorized(badType)
	}
	kid, ok := header["kid"].(string)
	if _, sent := header["kid"]; sent && !ok {
		return nil, api.Unauthorized(malformed)
	}
	algorithm, _ := header["alg"].(string)
	key, err := a.Keys.Key(ctx, kid, algorithm)
	switch {
	case errors.Is(err, ErrUnknownKey):
		return nil, api.Unauthorized(unknownKey)
	case err != nil:
		return nil, fmt.Errorf("jwt: get the key: %w", err)
	}
	if err := weakness(key); err != nil {
		return nil, fmt.Errorf("jwt: the key source %T returned a key that is not accepted: %w", a.Keys, err)
	}
	if !fits(key, algorithm) { // the client chose the algorithm
		return nil, api.Unauthorized(unknownKey)
	}
	return key, nil
}

// sameType compares media types, in which "application/" may be left out (RFC
// 7515, section 4.1.9).
func sameType(sent any, want string) bool {
	const prefix = "application/"
	text, ok := sent.(string)
	text, want = strings.ToLower(text), strings.ToLower(want)
	return ok && strings.TrimPrefix(text, prefix) == strings.TrimPrefix(want, prefix)
}

// payload reads the claims with their numbers as they are written.
type payload struct {
	gojwt.MapClaims // makes it claims for the parser, which does not look at them
	claims          Claims
}

func (p *payload) UnmarshalJSON(text []byte) error {
	if !utf8.Valid(text) { // it would be repaired, and two subjects become one
		return errors.New("the claims are not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(&p.claims)
}
