package console

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// ofFormat are texts of the formats of JSON Schema.
var ofFormat = map[string]string{
	"date-time": "2026-01-31T12:00:00Z", "date": "2026-01-31", "time": "12:00:00Z", "duration": "PT1H",
	"email": "someone@example.com", "idn-email": "someone@example.com", "hostname": "example.com", "idn-hostname": "example.com",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/", "iri-reference": "/",
	"uri-template": "/{id}", "uuid": "123e4567-e89b-42d3-a456-426614174000", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"json-pointer": "/a", "relative-json-pointer": "0", "regex": ".*", "byte": "dGV4dA==",
}

// string is a text of the format, of the pattern, and as long as it has to be.
func (n *node) string() (json.RawMessage, bool) {
	least, most := n.count("minLength", 0), n.count("maxLength", maxText)
	if least > maxText {
		return nil, false
	}
	value, ok := ofFormat[text(n.keywords["format"])]
	if pattern := text(n.keywords["pattern"]); pattern != "" {
		if value, ok = matching(pattern, least, most); !ok {
			return nil, false
		}
	}
	if !ok && text(n.keywords["contentEncoding"]) == "base64" {
		value, ok = strings.Repeat("dGV4", (least+3)/4), true
	}
	if !ok {
		value = strings.Repeat("text", least/4+1)[:least]
	}
	written, _ := json.Marshal(value) // a text can be encoded
	return written, true
}

// maxText bounds the texts of a sample.
const maxText = 1000

// matching is a text that matches a pattern that is simple enough.
func matching(pattern string, least, most int) (string, bool) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	for _, more := range []int{0, 1, 2, 3, 4, 8, 16, 32, 64, 128, least} {
		w := writer{more: more, left: 100 * maxText}
		if !w.match(tree) {
			return "", false
		}
		value := w.text.String()
		if missing := least - utf8.RuneCountInString(value); missing > 0 {
			value += strings.Repeat("x", missing) // where the pattern has an open end
		}
		if utf8.RuneCountInString(value) <= most && compiled.MatchString(value) {
			return value, true
		}
	}
	return "", false
}

// writer writes a text that a pattern matches.
type writer struct {
	text strings.Builder
	more int // repetitions, where the pattern leaves it open
	left int // steps, since repetitions may be nested
}

func (w *writer) match(part *syntax.Regexp) bool {
	if w.left--; w.left < 0 || w.text.Len() > 4*maxText {
		return false
	}
	least, most := part.Min, part.Max
	switch part.Op {
	case syntax.OpLiteral:
		for _, r := range part.Rune {
			w.text.WriteRune(r)
		}
		return true
	case syntax.OpCharClass:
		return len(part.Rune) > 1 && w.one(part.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.text.WriteByte('a')
		return true
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary:
		return true
	case syntax.OpAlternate:
		return w.match(part.Sub[0])
	case syntax.OpConcat, syntax.OpCapture:
		for _, sub := range part.Sub {
			if !w.match(sub) {
				return false
			}
		}
		return true
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	case syntax.OpRepeat:
	default:
		return false
	}
	times := least + w.more
	if most >= 0 {
		times = min(times, most)
	}
	for range times {
		if !w.match(part.Sub[0]) {
			return false
		}
	}
	return true
}

// one writes a character of a class, one that people know before others.
func (w *writer) one(ranges []rune) bool {
	for _, r := range "aA1b0-_ " {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= r && r <= ranges[i+1] {
				w.text.WriteRune(r)
				return true
			}
		}
	}
	w.text.WriteRune(ranges[0])
	return utf8.ValidRune(ranges[0])
}
