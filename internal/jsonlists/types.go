package jsonlists

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
)

var holders sync.Map // reflect.Type to bool

// mayHoldLists reports whether a value of the type may have a nil slice or map
// somewhere that encoding/json writes.
func mayHoldLists(t reflect.Type) bool {
	if holds, ok := holders.Load(t); ok {
		return holds.(bool) //nolint:forcetypeassert // nothing else is stored
	}
	holds := reaches(t, map[reflect.Type]bool{})
	holders.Store(t, holds)
	return holds
}

var (
	marshalerType     = reflect.TypeFor[json.Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
)

// reaches looks for a slice, a map or an interface among the types inside.
func reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false // as far as it is looked at, it is on the way
	}
	seen[t] = true
	if t.Implements(marshalerType) || t.Implements(textMarshalerType) {
		return false
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Array:
		return reaches(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("json") != "-" && (f.IsExported() || f.Anonymous) && reaches(f.Type, seen) {
				return true
			}
		}
	}
	return false
}

// writesItself reports whether encoding/json lets the value write itself: by a
// method of its type, or of the pointer where it can have that.
func writesItself(v reflect.Value) bool {
	t := v.Type()
	if !v.CanInterface() {
		return false
	}
	if t.Implements(marshalerType) || t.Implements(textMarshalerType) {
		return true
	}
	p := reflect.PointerTo(t)
	return v.CanAddr() && (p.Implements(marshalerType) || p.Implements(textMarshalerType))
}
