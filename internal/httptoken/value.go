package httptoken

import "strings"

// IsValue reports whether a header field can hold s (RFC 9110, section 5.5): all but
// control characters, and no space around it.
func IsValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return strings.Trim(s, " \t") == s
}
