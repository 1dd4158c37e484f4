package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// class is what the rules can see of a type.
type class int

const (
	other class = iota
	text
	whole
	float
	boolean
	list
	moment
)

var timeType = reflect.TypeFor[time.Time]()

func classOf(t reflect.Type) class {
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return whole
	case reflect.Float32, reflect.Float64:
		return float
	case reflect.Bool:
		return boolean
	case reflect.Slice, reflect.Array, reflect.Map:
		return list
	case reflect.Struct:
		if t.ConvertibleTo(timeType) {
			return moment
		}
	}
	return other
}

// The rules that mean something for each class. To text all of them do. Validator
// itself answers most of the others with a refusal of every value.
var (
	limitRules = strings.Fields("len min max eq ne lt lte gt gte")
	fitting    = map[class][]string{
		whole: append(strings.Fields(`oneof noneof isdefault numeric number boolean latitude longitude port
			luhn_checksum iso3166_1_alpha_numeric iso3166_1_alpha_numeric_eu iso4217_numeric`), limitRules...),
		float:   append(strings.Fields("isdefault numeric number latitude longitude"), limitRules...),
		boolean: strings.Fields("eq ne isdefault boolean"),
		list:    append(strings.Fields("unique isdefault"), limitRules...),
		moment:  strings.Fields("lt lte gt gte isdefault"),
	}
)

// fits reports whether the rule can mean something for the type. That it exists and
// takes its parameter is known only to validator.
func fits(name string, t reflect.Type) bool {
	switch c := classOf(t); c {
	case text:
		return true
	case other:
		return false
	default:
		return slices.Contains(fitting[c], name) || !known(name)
	}
}

// uniqueFits refuses elements that == does not compare, or that a client can make
// so: what an interface holds is the client's choice.
func uniqueFits(t reflect.Type, field string) error {
	elem := pointee(t.Elem())
	if field != "" {
		f, ok := reflect.StructField{}, false
		if elem.Kind() == reflect.Struct {
			f, ok = elem.FieldByName(field)
		}
		if !ok || !f.IsExported() {
			return fmt.Errorf("rule %q: %v has no field %s", "unique", elem, field)
		}
		elem = pointee(f.Type)
	}
	if !elem.Comparable() || holdsInterface(elem) {
		return fmt.Errorf("rule %q: values of %v may be ones that are not compared", "unique", elem)
	}
	return nil
}

// pointee is the type that values are compared by behind one pointer.
func pointee(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// holdsInterface looks into what == compares: not behind pointers.
func holdsInterface(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return holdsInterface(t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type) {
				return true
			}
		}
	}
	return false
}
