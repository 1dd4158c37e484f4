package auth

import (
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// carriesScheme reports whether a line of Authorization is of the scheme.
func carriesScheme(r *api.Request, scheme string) bool {
	for _, line := range r.Header["Authorization"] {
		if sent, _ := httptoken.Cut(line); strings.EqualFold(sent, scheme) {
			return true
		}
	}
	return false
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// hasControl reports whether s has a control character (RFC 5234, appendix B.1).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func refuse(kind api.Kind, message, challenge string) error {
	return &api.Refusal{Kind: kind, Message: message, Challenge: challenge}
}
