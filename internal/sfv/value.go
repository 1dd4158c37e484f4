package sfv

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// value reads a bare item (section 4.2.3.1). Its first byte tells the type.
func (p *parser) value() (Value, error) {
	switch c := p.peek(); {
	case c == '-' || isDigit(c):
		return p.number()
	case c == '"':
		return p.str()
	case startsToken(c):
		return Token(p.takeWhile(inToken)), nil
	case c == ':':
		return p.bytes()
	case c == '?':
		return p.boolean()
	case c == '@':
		return p.date()
	case c == '%':
		return p.displayString()
	}
	return nil, p.fail("expected a value")
}

// number reads an Integer or a Decimal (section 4.2.4).
func (p *parser) number() (Value, error) {
	negative := p.accept('-')
	whole, fraction := p.takeWhile(isDigit), ""
	decimal := p.accept('.')
	if decimal {
		fraction = p.takeWhile(isDigit)
	}
	switch {
	case whole == "":
		return nil, p.fail("expected a digit")
	case !decimal && len(whole) > 15:
		return nil, p.fail("an Integer has at most 15 digits")
	case decimal && (len(whole) > 12 || fraction == "" || len(fraction) > 3):
		return nil, p.fail("a Decimal has at most 12 digits, a point and one to three digits")
	}
	if decimal {
		fraction += "000"[len(fraction):]
	}
	var n int64
	for _, digit := range []byte(whole + fraction) {
		n = n*10 + int64(digit-'0')
	}
	if negative {
		n = -n
	}
	if decimal {
		return Decimal(n), nil
	}
	return Integer(n), nil
}

// str reads a String (section 4.2.5).
func (p *parser) str() (Value, error) {
	p.pos++ // the quote
	var text strings.Builder
	for {
		c := p.next()
		switch {
		case c == '"':
			return String(text.String()), nil
		case c == '\\':
			if c = p.next(); c != '"' && c != '\\' {
				return nil, p.fail("a backslash in a String stands before a quote or a backslash only")
			}
		case !isPrintable(c):
			return nil, p.fail("a String holds printable ASCII and ends with a quote")
		}
		text.WriteByte(c)
	}
}

// bytes reads a Byte Sequence (section 4.2.7).
func (p *parser) bytes() (Value, error) {
	p.pos++ // the colon
	encoded, _, closed := strings.Cut(p.input[p.pos:], ":")
	if !closed {
		return nil, p.fail("a Byte Sequence ends with a colon")
	}
	decoded, ok := decodeBase64(encoded)
	if !ok {
		return nil, p.fail("a Byte Sequence holds base64")
	}
	p.pos += len(encoded) + 1
	return Bytes(decoded), nil
}

// decodeBase64 takes missing padding and pad bits that are set, as the RFC asks
// and as some of the RateLimit draft's own examples need. More padding than
// there is room for is a fault.
func decodeBase64(s string) ([]byte, bool) {
	data := strings.TrimRight(s, "=")
	padding := len(s) - len(data)
	if padding > (4-len(data)%4)%4 || strings.ContainsAny(data, "\r\n") { // the decoder skips line breaks
		return nil, false
	}
	decoded, err := base64.RawStdEncoding.DecodeString(data)
	return decoded, err == nil
}

// boolean reads a Boolean (section 4.2.8).
func (p *parser) boolean() (Value, error) {
	p.pos++ // the question mark
	switch p.next() {
	case '0':
		return Boolean(false), nil
	case '1':
		return Boolean(true), nil
	}
	return nil, p.fail("a Boolean is ?0 or ?1")
}

// date reads a Date (section 4.2.9).
func (p *parser) date() (Value, error) {
	p.pos++ // the at sign
	n, err := p.number()
	if err != nil {
		return nil, err
	}
	seconds, ok := n.(Integer)
	if !ok {
		return nil, p.fail("a Date has whole seconds")
	}
	return Date(seconds), nil
}

// displayString reads a Display String (section 4.2.10).
func (p *parser) displayString() (Value, error) {
	p.pos++ // the percent sign
	if !p.accept('"') {
		return nil, p.fail("a Display String starts with a quote")
	}
	var text strings.Builder
	for {
		c := p.next()
		switch {
		case c == '"':
			if !utf8.ValidString(text.String()) {
				return nil, p.fail("a Display String holds UTF-8")
			}
			return DisplayString(text.String()), nil
		case c == '%':
			high, low := strings.IndexByte(hexDigits, p.next()), strings.IndexByte(hexDigits, p.next())
			if high < 0 || low < 0 {
				return nil, p.fail("a percent sign in a Display String stands before two lower-case hex digits")
			}
			c = byte(high<<4 | low)
		case !isPrintable(c):
			return nil, p.fail("a Display String holds printable ASCII and ends with a quote")
		}
		text.WriteByte(c)
	}
}
