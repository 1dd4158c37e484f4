package jsonvalue

import (
	"encoding/base64"
	"encoding/json"
	"reflect"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/textvalue"
)

type boolPlan struct{}

func (boolPlan) bind(s *state, i uint32, dst reflect.Value) {
	switch s.d.nodes[i].kind {
	case kindTrue:
		dst.SetBool(true)
	case kindFalse:
		dst.SetBool(false)
	default:
		s.wrong(i, "boolean")
	}
}

type stringPlan struct{}

func (stringPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind != kindString {
		s.wrong(i, "string")
		return
	}
	dst.SetString(s.d.str(i))
}

// intPlan takes integers that are written as such: 1.0 and 1e2 are none.
type intPlan struct{ bits int }

func (p intPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindNumber {
		if n, err := strconv.ParseInt(string(s.d.text(i)), 10, p.bits); err == nil {
			dst.SetInt(n)
			return
		}
	}
	s.wrong(i, "integer")
}

type uintPlan struct{ bits int }

func (p uintPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindNumber {
		if n, err := strconv.ParseUint(string(s.d.text(i)), 10, p.bits); err == nil {
			dst.SetUint(n)
			return
		}
	}
	s.wrong(i, "integer")
}

type floatPlan struct{ bits int }

func (p floatPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindNumber {
		if f, err := strconv.ParseFloat(string(s.d.text(i)), p.bits); err == nil {
			dst.SetFloat(f)
			return
		}
	}
	s.wrong(i, "number")
}

// numberPlan keeps the text of a number: json.Number.
type numberPlan struct{}

func (numberPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind != kindNumber {
		s.wrong(i, "number")
		return
	}
	dst.SetString(string(s.d.text(i)))
}

type anyPlan struct{}

func (anyPlan) bind(s *state, i uint32, dst reflect.Value) {
	if v := s.d.any(i); v != nil {
		dst.Set(reflect.ValueOf(v))
	}
}

// rawPlan copies the text of the value: json.RawMessage.
type rawPlan struct{}

func (rawPlan) bind(s *state, i uint32, dst reflect.Value) {
	dst.SetBytes(append([]byte(nil), s.d.raw(i)...))
}

// bytesPlan reads base64.
type bytesPlan struct{}

func (bytesPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindString {
		if data, err := base64.StdEncoding.Strict().DecodeString(s.d.str(i)); err == nil {
			dst.SetBytes(data)
			return
		}
	}
	s.wrong(i, "base64 string")
}

// textPlan reads strings by the codec of their type.
type textPlan struct {
	codec  *textvalue.Codec
	number bool // a number is as good: its text is the same
}

func (p textPlan) bind(s *state, i uint32, dst reflect.Value) {
	n := &s.d.nodes[i]
	if n.kind == kindString || p.number && n.kind == kindNumber {
		if p.codec.Set(dst, s.d.str(i)) {
			return
		}
	}
	s.wrong(i, p.codec.Expected())
}

// durationPlan reads Go's notation, and the nanoseconds that encoding/json writes.
type durationPlan struct{ text textPlan }

func (p durationPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindNumber {
		if n, err := strconv.ParseInt(string(s.d.text(i)), 10, 64); err == nil {
			dst.SetInt(n)
			return
		}
	}
	p.text.bind(s, i, dst)
}

// selfPlan lets the type read itself. The text of its error may quote the value.
type selfPlan struct{}

func (selfPlan) bind(s *state, i uint32, dst reflect.Value) {
	u, ok := dst.Addr().Interface().(json.Unmarshaler)
	if !ok || u.UnmarshalJSON(s.d.raw(i)) != nil {
		if s.d.nodes[i].kind == kindNull {
			s.wrong(i, "")
			return
		}
		s.fault("type", "Value has invalid type.")
	}
}
