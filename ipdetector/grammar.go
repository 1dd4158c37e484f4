package ipdetector

import "strings"

// The pieces of RFC 9110, section 5.6, that header fields are made of.

const whiteSpace = " \t"

func trimSpace(s string) string { return strings.Trim(s, whiteSpace) }

func skipSpace(s string) string { return strings.TrimLeft(s, whiteSpace) }

// cutQuoted takes a quoted-string off, behind its first quote. The value keeps
// its backslashes.
func cutQuoted(s string) (value, rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[:i], s[i+1:], true
		case c == '\\':
			if i++; i == len(s) || !isText(s[i]) {
				return "", "", false
			}
		case !isText(c):
			return "", "", false
		}
	}
	return "", "", false
}

// unescape takes the backslashes out of a quoted value.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	plain := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		plain = append(plain, s[i])
	}
	return string(plain)
}

// isText is what may stand in quotes: all but control characters.
func isText(c byte) bool { return c >= ' ' && c != 0x7f || c == '\t' }

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
