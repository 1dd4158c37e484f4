package jsonlists

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/internal/jsonfields"
)

// shadow is the plan of a struct that stands for another one: with the same
// members, each an any that is left out when it is nil.
type shadow struct {
	t      reflect.Type
	fields []shadowField
}

type shadowField struct {
	jsonfields.Field
	mayHoldLists bool
}

var shadows sync.Map // reflect.Type to *shadow

func shadowOf(t reflect.Type) *shadow {
	if s, ok := shadows.Load(t); ok {
		return s.(*shadow) //nolint:forcetypeassert // nothing else is stored
	}
	s := &shadow{}
	var fields []reflect.StructField
	for i, f := range jsonfields.Of(t) {
		s.fields = append(s.fields, shadowField{f, mayHoldLists(f.Type)})
		fields = append(fields, reflect.StructField{
			Name: "F" + strconv.Itoa(i),
			Type: anyType,
			Tag:  reflect.StructTag("json:" + strconv.Quote(f.Name+",omitempty")),
		})
	}
	s.t = reflect.StructOf(fields)
	shadows.Store(t, s)
	return s
}

// in is the field of v; ok is false when encoding/json leaves it out.
func (f *shadowField) in(v reflect.Value) (_ reflect.Value, ok bool) {
	for _, i := range f.Index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	left := f.OmitEmpty && empty(v) || f.OmitZero && zero(v)
	return v, !left
}

// empty is what "omitempty" asks.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

// zero is what "omitzero" asks.
func zero(v reflect.Value) bool {
	switch t := v.Type(); {
	case !v.CanInterface():
	case t.Implements(zeroerType):
		switch {
		case t.Kind() == reflect.Pointer && v.IsNil(), t.Kind() == reflect.Interface && v.IsNil():
			return true
		case t.Kind() == reflect.Interface && v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil():
			return true
		}
		z, ok := v.Interface().(zeroer)
		return ok && z.IsZero()
	case reflect.PointerTo(t).Implements(zeroerType):
		if !v.CanAddr() {
			box := reflect.New(t).Elem()
			box.Set(v)
			v = box
		}
		z, ok := v.Addr().Interface().(zeroer)
		return ok && z.IsZero()
	}
	return v.IsZero()
}

// quoted is a value with the option "string", as it is written inside of a string.
func quoted(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return null
		}
		v = v.Elem()
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v.Interface()) != nil {
		return v.Interface() // the fault is told when it is written
	}
	return strings.TrimSuffix(text.String(), "\n")
}
