package api

import (
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// mediaRange is one member of Accept, or a media type.
type mediaRange struct {
	main, sub string // in lower case; "*" stands for all
	params    []mediaParam
	q         int // 0 to 1000
}

// mediaParam is a parameter; of a charset the value is in lower case.
type mediaParam struct{ name, value string }

// parseAccept leaves out what cannot be read.
func parseAccept(lines []string) (ranges []mediaRange) {
	for _, line := range lines {
		for line != "" {
			var member string
			member, line = cutUnquoted(line, ',')
			if r, ok := parseMediaRange(member); ok {
				ranges = append(ranges, r)
			}
		}
	}
	return ranges
}

// parseMediaRange reads a media range and its weight. What is behind the weight
// was for extensions, of which there has never been one.
func parseMediaRange(member string) (r mediaRange, ok bool) {
	mediaType, params := cutUnquoted(member, ';')
	r.main, r.sub, _ = strings.Cut(strings.ToLower(trim(mediaType)), "/")
	r.q = 1000
	if !httptoken.Is(r.main) || !httptoken.Is(r.sub) || r.main == "*" && r.sub != "*" {
		return r, false
	}
	for params != "" {
		var param string
		param, params = cutUnquoted(params, ';')
		name, value, valued := strings.Cut(trim(param), "=")
		name = strings.ToLower(name)
		switch {
		case !valued && name == "": // nothing between two semicolons
			continue
		case !valued || !httptoken.Is(name):
			return r, false
		case name == "q":
			r.q, ok = parseWeight(value)
			return r, ok
		}
		if value, ok = unquote(value); !ok {
			return r, false
		}
		if name == "charset" {
			value = strings.ToLower(value)
		}
		r.params = append(r.params, mediaParam{name, value})
	}
	return r, true
}

// quality is the weight that the most specific of the ranges gives to the media
// type; 0: it is not wanted.
func (m mediaRange) quality(ranges []mediaRange) int {
	q, most := 0, -1
	for _, r := range ranges {
		if s, ok := r.specificity(m); ok && s > most {
			q, most = r.q, s
		}
	}
	return q
}

// specificity tells how closely the range describes a media type that it matches.
func (m mediaRange) specificity(of mediaRange) (n int, ok bool) {
	if m.main != "*" {
		if m.main != of.main {
			return 0, false
		}
		n++
	}
	if m.sub != "*" {
		if m.sub != of.sub {
			return 0, false
		}
		n += 1 << 20 // more than any number of parameters
	}
	for _, param := range m.params {
		switch {
		case slices.Contains(of.params, param):
			n++
		case param == mediaParam{"charset", "utf-8"} && !of.has("charset"):
		default:
			return 0, false
		}
	}
	return n, true
}

func (m mediaRange) has(param string) bool {
	return slices.ContainsFunc(m.params, func(p mediaParam) bool { return p.name == param })
}

// parseWeight reads a qvalue (RFC 9110, section 12.4.2).
func parseWeight(text string) (q int, ok bool) {
	whole, decimals, _ := strings.Cut(text, ".")
	if whole != "0" && whole != "1" || len(decimals) > 3 {
		return 0, false
	}
	for _, digit := range []byte((whole + decimals + "000")[:4]) {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		q = q*10 + int(digit-'0')
	}
	return q, q <= 1000
}

// cutUnquoted cuts at the first separator outside of quoted strings.
func cutUnquoted(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && quoted:
			i++
		case c == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// unquote is the value of a token or a quoted string (RFC 9110, section 5.6.4).
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '"' {
		return s, httptoken.Is(s)
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i == len(s)-1
		case s[i] == '\\' && i < len(s)-1:
			i++
		}
		b.WriteByte(s[i])
	}
	return "", false
}

func trim(s string) string { return strings.Trim(s, " \t") }
