package jwt

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
)

// Claims are what a token says, by name (RFC 7519, section 4): texts, booleans,
// []any, map[string]any, and numbers as [json.Number].
type Claims map[string]any

// check returns the ID of the caller. Of a token with several faults it names
// one, in the order of this function.
func (a *authorization) check(c Claims) (id string, err error) {
	issuer, ok := c.text("iss")
	if !ok || !a.AnyIssuer && issuer != a.Issuer {
		return "", api.Unauthorized(otherIssuer)
	}
	if !a.AnyAudience && !slices.ContainsFunc(c.list("aud"), func(s string) bool { return slices.Contains(a.Audience, s) }) {
		return "", api.Unauthorized(otherAudience)
	}
	if reason := a.checkDates(c); reason != "" {
		return "", api.Unauthorized(reason)
	}
	subject, ok := c.text("sub")
	if !ok || subject == "" {
		return "", api.Unauthorized(noSubject)
	}
	return identityID(issuer, subject), nil
}

// checkDates says what is wrong with the dates; "" is nothing (RFC 7519, sections
// 4.1.4 to 4.1.6).
func (a *authorization) checkDates(c Claims) string {
	exp, hasExp, ok1 := c.date("exp")
	nbf, hasNbf, ok2 := c.date("nbf")
	iat, hasIat, ok3 := c.date("iat")
	now := a.Clock()
	switch {
	case !ok1 || !ok2 || !ok3:
		return badDate
	case !hasExp && !a.AnyLifetime:
		return noExpiry
	case hasExp && !now.Before(exp.Add(a.Leeway)):
		return expired
	case hasNbf && now.Before(nbf.Add(-a.Leeway)):
		return notYet
	case hasIat && now.Before(iat.Add(-a.Leeway)):
		return inFuture
	default:
		return ""
	}
}

// Scopes are those of "scope", or else of "scp": a list, or a text divided by
// spaces (RFC 8693, section 4.2). [auth.Scopes] asks for them.
func (c Claims) Scopes() []string {
	name := "scope"
	if _, ok := c[name]; !ok {
		name = "scp"
	}
	if text, ok := c[name].(string); ok {
		return strings.Split(text, " ")
	}
	return c.list(name)
}

// hold reports whether the token has all of the scopes.
func (c Claims) hold(scopes []string) bool {
	held := c.Scopes()
	return !slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(held, scope) })
}

// text is a claim that is a text, or "" when it is missing. What was no Unicode
// text in the token is not ok: two subjects would become one.
func (c Claims) text(name string) (text string, ok bool) {
	value, sent := c[name]
	if !sent {
		return "", true
	}
	text, ok = value.(string)
	return text, ok && !strings.ContainsRune(text, utf8.RuneError)
}

// list is a claim that is a text or a list of texts; nil is anything else.
func (c Claims) list(name string) []string {
	switch value := c[name].(type) {
	case string:
		return []string{value}
	case []any:
		list := make([]string, len(value))
		for i, entry := range value {
			text, ok := entry.(string)
			if !ok {
				return nil
			}
			list[i] = text
		}
		return list
	default:
		return nil
	}
}

// date is a claim that is a NumericDate (RFC 7519, section 2) up to the year 9999.
func (c Claims) date(name string) (date time.Time, sent, ok bool) {
	value, sent := c[name]
	if !sent {
		return time.Time{}, false, true
	}
	number, _ := value.(json.Number)
	seconds, err := number.Float64()
	if err != nil || math.Abs(seconds) >= 253402300800 {
		return time.Time{}, true, false
	}
	whole, fraction := math.Modf(seconds)
	return time.Unix(int64(whole), int64(fraction*1e9)), true, true
}

// identityID is the issuer and the subject, divided by the first "#".
func identityID(issuer, subject string) string {
	return issuerEscaper.Replace(issuer) + "#" + subject
}

var issuerEscaper = strings.NewReplacer("#", "%23", "%", "%25")
