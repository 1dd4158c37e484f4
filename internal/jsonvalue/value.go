package jsonvalue

import (
	"reflect"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// value is the plan of a type with what a struct tag says of its values.
type value struct {
	plan  plan
	rules *rules.Rules
	enum  *enum
}

// bind reads the value and, if that went well, checks it.
func (v *value) bind(s *state, i uint32, dst reflect.Value) {
	before := s.faults.count
	v.plan.bind(s, i, dst)
	if s.faults.count == before && (v.rules != nil || v.enum != nil) {
		v.check(s, dst)
	}
}

func (v *value) check(s *state, dst reflect.Value) {
	if v.enum != nil && !v.enum.has(dst) {
		s.fault("enum", v.enum.message)
	}
	v.rules.Check(dst, s.reporter())
}

// enum is the list of the values that are allowed.
type enum struct {
	message string
	values  []reflect.Value
	texts   []string // of types that are not compared by ==
	codec   *textvalue.Codec
}

// newEnum reads the tag "enum"; ok is false when an entry is none of the type.
func newEnum(t reflect.Type, codec *textvalue.Codec, tag string) (_ *enum, ok bool) {
	e := &enum{codec: codec}
	entries := strings.Split(tag, ",")
	for _, entry := range entries {
		v := reflect.New(t).Elem()
		if !codec.Set(v, entry) {
			return nil, false
		}
		e.values = append(e.values, v)
		if !basic(t.Kind()) {
			e.texts = append(e.texts, codec.Text(v))
		}
	}
	e.message = "must be one of: " + strings.Join(entries, ", ")
	return e, true
}

func (e *enum) has(v reflect.Value) bool {
	if e.texts != nil {
		return slices.Contains(e.texts, e.codec.Text(v))
	}
	return slices.ContainsFunc(e.values, v.Equal)
}

func basic(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}
