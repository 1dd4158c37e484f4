package auth

import (
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// cutScheme divides credentials behind the token that they start with (RFC 9110,
// section 11.4).
func cutScheme(credentials string) (scheme, rest string) {
	for i := range len(credentials) {
		if c := credentials[i]; !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return credentials[:i], credentials[i:]
		}
	}
	return credentials, ""
}

// carriesScheme reports whether a line of Authorization is of the scheme.
func carriesScheme(r *api.Request, scheme string) bool {
	for _, line := range r.Header["Authorization"] {
		if sent, _ := cutScheme(line); strings.EqualFold(sent, scheme) {
			return true
		}
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isHTTPToken is the syntax of the names of header fields and cookies (RFC 9110,
// section 5.6.2).
func isHTTPToken(s string) bool {
	name, rest := cutScheme(s)
	return name != "" && rest == ""
}

// hasControl reports whether s has a control character (RFC 5234, appendix B.1).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func refuse(kind api.Kind, message, challenge string) error {
	return &api.Refusal{Kind: kind, Message: message, Challenge: challenge}
}
