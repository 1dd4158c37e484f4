package api

import (
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Attachment is a response that browsers save under a file name instead of
// showing it (RFC 6266). Text beyond ASCII is kept (RFC 8187), and clients that
// cannot read it get the name with "_" in place of it. Control characters and the
// separators of paths become "_" too. "" leaves the name to the client.
func Attachment(filename string, response Response) Response {
	value := disposition(filename)
	return decorate(response, func(h http.Header) { h.Set("Content-Disposition", value) }).orNil()
}

func disposition(filename string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '/' || r == '\\' || r == utf8.RuneError {
			return '_'
		}
		return r
	}, filename)
	if name == "" {
		return "attachment"
	}
	// Clients read quotes and percent signs each in their own way (RFC 6266,
	// appendix D), so the plain name has none.
	plain := strings.Map(func(r rune) rune {
		if r > '~' || r == '"' || r == '%' {
			return '_'
		}
		return r
	}, name)
	value := `attachment; filename="` + plain + `"`
	if plain != name {
		value += "; filename*=UTF-8''" + extValue(name)
	}
	return value
}

// extValue is the value-chars of RFC 8187, section 3.2.1.
func extValue(name string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("!#$&+-.^_`|~", c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
