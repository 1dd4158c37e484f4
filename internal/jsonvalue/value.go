package jsonvalue

import (
	"reflect"

	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// value is the plan of a type with what a struct tag says of its values.
type value struct {
	plan  plan
	rules *rules.Rules
	sized bool // the plan checks the number of elements
	enum  *textvalue.Enum
}

// bind reads the value and, if that went well, checks it.
func (v *value) bind(s *state, i uint32, dst reflect.Value) {
	before := s.faults.count
	v.plan.bind(s, i, dst)
	switch {
	case s.faults.count != before:
	case v.sized:
		v.rules.CheckContent(dst, s.reporter())
	default:
		v.check(s, dst)
	}
}

func (v *value) check(s *state, dst reflect.Value) {
	if v.enum != nil && !v.enum.Has(dst) {
		s.fault("enum", v.enum.Message())
	}
	v.rules.Check(dst, s.reporter())
}

func basic(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}
