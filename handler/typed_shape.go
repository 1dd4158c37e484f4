package handler

import (
	"reflect"

	"github.com/sallyport-go/sallyport/internal/rules"
)

// shape says how a value lies in its field.
type shape struct {
	wrap  wrapping
	inner reflect.Type // without the wrapping: a value or a list
	multi bool
	elem  reflect.Type // of a list; else the inner type
}

type wrapping uint8

const (
	bare wrapping = iota
	pointed
	optional
)

// The fields of an api.Opt, as rules.Optional knows them.
const (
	optSet   = 0
	optNull  = 1
	optValue = 2
)

// shapeOf takes a type apart.
func shapeOf(t reflect.Type) shape {
	s := shape{inner: t}
	if t.Kind() == reflect.Pointer {
		s.wrap, s.inner = pointed, t.Elem()
	} else if value, ok := rules.Optional(t); ok {
		s.wrap, s.inner = optional, value
	}
	s.elem = s.inner
	return s
}

// reach returns where the value lies, and marks it as sent.
func (s *shape) reach(dst reflect.Value) reflect.Value {
	switch s.wrap {
	case pointed:
		p := reflect.New(s.inner)
		dst.Set(p)
		return p.Elem()
	case optional:
		dst.Field(optSet).SetBool(true)
		return dst.Field(optValue)
	}
	return dst
}

// current returns the value that lies in the field; ok is false without one.
func (s *shape) current(src reflect.Value) (v reflect.Value, ok bool) {
	switch s.wrap {
	case pointed:
		return src.Elem(), !src.IsNil()
	case optional:
		return src.Field(optValue), src.Field(optSet).Bool() && !src.Field(optNull).Bool()
	}
	return src, true
}
