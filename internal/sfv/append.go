package sfv

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

var errNoValue = errors.New("sfv: an item or a parameter has no value")

// AppendList appends the text of the List (section 4.1.1). An empty List
// appends nothing: leave the field out. With an error dst comes back as it was;
// so it does from all functions here.
func AppendList(dst []byte, list List) ([]byte, error) {
	out := dst
	for i, member := range list {
		if i > 0 {
			out = append(out, ", "...)
		}
		if member == nil {
			return dst, errors.New("sfv: a list has a nil member")
		}
		var err error
		if out, err = member.appendMember(out); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// AppendItem appends the text of the Item (section 4.1.3).
func AppendItem(dst []byte, item Item) ([]byte, error) {
	if item.Value == nil {
		return dst, errNoValue
	}
	out, err := item.Value.appendValue(dst)
	if err != nil {
		return dst, err
	}
	if out, err = appendParams(out, item.Params); err != nil {
		return dst, err
	}
	return out, nil
}

func (i Item) appendMember(dst []byte) ([]byte, error) { return AppendItem(dst, i) }

func (l InnerList) appendMember(dst []byte) ([]byte, error) {
	out := append(dst, '(')
	for i, item := range l.Items {
		if i > 0 {
			out = append(out, ' ')
		}
		var err error
		if out, err = AppendItem(out, item); err != nil {
			return dst, err
		}
	}
	out, err := appendParams(append(out, ')'), l.Params)
	if err != nil {
		return dst, err
	}
	return out, nil
}

func appendParams(dst []byte, params Params) ([]byte, error) {
	out := dst
	for i, param := range params {
		if param.Value == nil {
			return dst, errNoValue
		}
		if params[:i].Get(param.Key) != nil {
			return dst, fmt.Errorf("sfv: parameter %q stands twice", param.Key)
		}
		var err error
		if out, err = AppendKey(append(out, ';'), param.Key); err != nil {
			return dst, err
		}
		if param.Value == Boolean(true) {
			continue
		}
		if out, err = param.Value.appendValue(append(out, '=')); err != nil {
			return dst, err
		}
	}
	return out, nil
}

// AppendKey appends the key of a parameter (section 4.1.1.3).
func AppendKey(dst []byte, key string) ([]byte, error) {
	for i := range len(key) {
		if !inKey(key[i]) {
			return dst, fmt.Errorf("sfv: key %q: a-z, 0-9, _, -, . and * only", key)
		}
	}
	if key == "" || !startsKey(key[0]) {
		return dst, fmt.Errorf("sfv: key %q does not start with a-z or *", key)
	}
	return append(dst, key...), nil
}

// AppendInteger appends an Integer (section 4.1.4).
func AppendInteger(dst []byte, n int64) ([]byte, error) {
	if n < -MaxInteger || n > MaxInteger {
		return dst, fmt.Errorf("sfv: number %d has more than 15 digits", n)
	}
	return strconv.AppendInt(dst, n, 10), nil
}

// AppendString appends a String (section 4.1.6). Text that is not printable
// ASCII is an error.
func AppendString(dst []byte, s string) ([]byte, error) {
	out := append(dst, '"')
	for i := range len(s) {
		c := s[i]
		if !isPrintable(c) {
			return dst, fmt.Errorf("sfv: string %q: printable ASCII only", s)
		}
		if c == '"' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return append(out, '"'), nil
}

// AppendBytes appends a Byte Sequence (section 4.1.8).
func AppendBytes(dst, b []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, ':'), b), ':')
}

func (n Integer) appendValue(dst []byte) ([]byte, error) { return AppendInteger(dst, int64(n)) }
func (s String) appendValue(dst []byte) ([]byte, error)  { return AppendString(dst, string(s)) }
func (b Bytes) appendValue(dst []byte) ([]byte, error)   { return AppendBytes(dst, b), nil }

// appendValue follows section 4.1.5: no zero at the end but the one behind the point.
func (d Decimal) appendValue(dst []byte) ([]byte, error) {
	if d < -MaxInteger || d > MaxInteger {
		return dst, fmt.Errorf("sfv: decimal %d/1000 has more than 12 digits before the point", int64(d))
	}
	n, out := int64(d), dst
	if n < 0 {
		n, out = -n, append(out, '-')
	}
	out = strconv.AppendInt(out, n/1000, 10)
	n %= 1000
	out = append(out, '.', byte('0'+n/100))
	if n%100 != 0 {
		out = append(out, byte('0'+n/10%10))
	}
	if n%10 != 0 {
		out = append(out, byte('0'+n%10))
	}
	return out, nil
}

func (t Token) appendValue(dst []byte) ([]byte, error) {
	for i := range len(t) {
		if !inToken(t[i]) {
			return dst, fmt.Errorf("sfv: token %q has a character that no token has", string(t))
		}
	}
	if t == "" || !startsToken(t[0]) {
		return dst, fmt.Errorf("sfv: token %q does not start with a letter or *", string(t))
	}
	return append(dst, t...), nil
}

func (b Boolean) appendValue(dst []byte) ([]byte, error) {
	if b {
		return append(dst, "?1"...), nil
	}
	return append(dst, "?0"...), nil
}

func (d Date) appendValue(dst []byte) ([]byte, error) {
	out, err := AppendInteger(append(dst, '@'), int64(d))
	if err != nil {
		return dst, err
	}
	return out, nil
}

func (s DisplayString) appendValue(dst []byte) ([]byte, error) {
	if !utf8.ValidString(string(s)) {
		return dst, fmt.Errorf("sfv: display string %q is not UTF-8", string(s))
	}
	out := append(dst, '%', '"')
	for i := range len(s) {
		c := s[i]
		if c == '%' || c == '"' || !isPrintable(c) {
			out = append(out, '%', hexDigits[c>>4], hexDigits[c&15])
			continue
		}
		out = append(out, c)
	}
	return append(out, '"'), nil
}
