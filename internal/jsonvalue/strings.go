package jsonvalue

import (
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string: valid UTF-8, no control characters, known escapes, and
// surrogates in pairs alone.
func (p *parser) str() bool {
	if !p.accept('"') {
		return false
	}
	start, escaped, ascii := p.pos, false, true
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			if !ascii && !utf8.Valid(p.data[start:p.pos]) {
				return false
			}
			p.add(kindString, start, p.pos, escaped)
			p.pos++
			return true
		case c == '\\':
			escaped = true
			_, length := escape(p.data[p.pos:])
			if length == 0 {
				return false
			}
			p.pos += length
		case c < ' ':
			return false
		default:
			ascii = ascii && c < utf8.RuneSelf
			p.pos++
		}
	}
	return false
}

// escape is the character that the escape at the start of data stands for, and the
// length of the escape, 0 for none.
func escape(data []byte) (r rune, length int) {
	if len(data) < 2 {
		return 0, 0
	}
	switch c := data[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := unicodeEscape(data)
	switch {
	case !ok:
		return 0, 0
	case !utf16.IsSurrogate(r):
		return r, 6
	}
	low, ok := unicodeEscape(data[6:])
	if r = utf16.DecodeRune(r, low); !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// unicodeEscape reads \uXXXX.
func unicodeEscape(data []byte) (r rune, ok bool) {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0, false
	}
	for _, c := range data[2:6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// unescape is the text of a string whose escapes have been read before.
func unescape(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] != '\\' {
			out = append(out, data[i])
			i++
			continue
		}
		r, length := escape(data[i:])
		out = utf8.AppendRune(out, r)
		i += length
	}
	return out
}
