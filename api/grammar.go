package api

import "strings"

// isToken is the syntax of methods and of auth-schemes (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// isFieldValue reports whether a header field can hold s (RFC 9110, section
// 5.5): all but control characters, and no space around it.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return strings.Trim(s, " \t") == s
}
