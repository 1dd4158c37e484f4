// Package textvalue reads the text of a path, a query, a header, a cookie or a
// form, or of a string in JSON, as a value of a Go type.
package textvalue

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"time"
	"unicode/utf8"
)

// Codec reads and writes the texts of one type. It is immutable and safe for
// concurrent use.
type Codec struct {
	expected string
	t        reflect.Type
	read     func(dst reflect.Value, text string) bool
	write    func(v reflect.Value) string // nil: the type does not write itself
}

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()

	marshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// New is the codec of t: a boolean, an integer, a float, a string, or a type
// named after one of them, time.Time, time.Duration, or a type that is an
// encoding.TextUnmarshaler, also by its pointer. The format is for time.Time
// alone: "date-time" (RFC 3339), which is the default, "date", "unix" for whole
// seconds, or a layout of package time.
//
// An error is a mistake of the program: another type, a format of a type that has
// none, or a layout that cannot be used.
func New(t reflect.Type, format string) (*Codec, error) {
	c, err := newCodec(t, format)
	if err != nil {
		return nil, err
	}
	c.t = t
	return c, nil
}

func newCodec(t reflect.Type, format string) (*Codec, error) {
	if t == timeType {
		return timeCodec(format)
	}
	if format != "" {
		return nil, fmt.Errorf("format %q: only time.Time has formats", format)
	}
	switch {
	case t == nil || t.Kind() == reflect.Pointer:
		return nil, unsupported(t)
	case t == durationType:
		return durationCodec(), nil
	case reflect.PointerTo(t).Implements(textType):
		return unmarshalerCodec(t), nil
	}
	if c := kindCodec(t); c != nil {
		return c, nil
	}
	return nil, unsupported(t)
}

func unsupported(t reflect.Type) error {
	return fmt.Errorf("no text is read as %v: %w", t, errors.ErrUnsupported)
}

// Set reads text into dst, which is settable and of the codec's type. It returns
// false, and leaves dst as it is, when the text is none of the type. No type takes
// a text that is not UTF-8, or spaces around a value.
func (c *Codec) Set(dst reflect.Value, text string) bool {
	return utf8.ValidString(text) && c.read(dst, text)
}

// Expected is the word for the type in "Expected integer.", such as "integer",
// "boolean", "float", "string", "date-time", "date" or "duration".
func (c *Codec) Expected() string { return c.expected }

// CanWrite is false for a type that reads texts by its own method, but has none
// that writes them: its values cannot be told apart.
func (c *Codec) CanWrite() bool { return c.write != nil }

// Text is the text that Set reads as v, or "" when there is none.
func (c *Codec) Text(v reflect.Value) string {
	if c.write == nil {
		return ""
	}
	return c.write(v)
}

// words are those for types of the standard library whose own names say little to
// a client. Another type is called by its name in lower case.
var words = map[reflect.Type]string{
	reflect.TypeFor[netip.Addr]():     "ip",
	reflect.TypeFor[netip.AddrPort](): "ip and port",
	reflect.TypeFor[netip.Prefix]():   "cidr",
	reflect.TypeFor[big.Int]():        "integer",
	reflect.TypeFor[big.Float]():      "float",
	reflect.TypeFor[big.Rat]():        "float",
}

// unmarshalerCodec is that of a type whose own method reads it.
func unmarshalerCodec(t reflect.Type) *Codec {
	word, ok := words[t]
	switch {
	case ok:
	case t.Name() == "":
		word = "string"
	default:
		word, _, _ = strings.Cut(strings.ToLower(t.Name()), "[")
	}
	c := &Codec{
		expected: word,
		read: func(dst reflect.Value, text string) bool {
			fresh := reflect.New(t) // a method that fails may have written half
			if t.Kind() == reflect.Map {
				fresh.Elem().Set(reflect.MakeMap(t))
			}
			u, ok := fresh.Interface().(encoding.TextUnmarshaler)
			if !ok || u.UnmarshalText([]byte(text)) != nil {
				return false
			}
			dst.Set(fresh.Elem())
			return true
		},
	}
	if !reflect.PointerTo(t).Implements(marshalerType) {
		return c
	}
	c.write = func(v reflect.Value) string {
		fresh := reflect.New(t) // MarshalText may be a method of the pointer
		fresh.Elem().Set(v)
		m, ok := fresh.Interface().(encoding.TextMarshaler)
		if !ok {
			return ""
		}
		text, err := m.MarshalText()
		if err != nil {
			return ""
		}
		return string(text)
	}
	return c
}
