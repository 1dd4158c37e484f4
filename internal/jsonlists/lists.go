// Package jsonlists lets encoding/json write nil slices and maps as [] and {}.
package jsonlists

import "reflect"

// Lists returns v, or something else in its place, for which encoding/json writes
// the same, but [] and {} for the nil slices and maps that it writes as null, and
// "" for a nil []byte. v itself is never changed.
//
// Nothing is read that encoding/json does not read: a struct with such a list
// inside stands as a fresh one that points to the exported fields of the old one, so
// that it may guard others by a mutex.
//
// What writes itself, nil pointers and interfaces, json.RawMessage, and fields that
// encoding/json leaves out stay as they are. So does a value nested deeper than a
// thousand levels, such as one with itself inside.
func Lists(v any) any {
	if v == nil {
		return nil
	}
	rv := reflect.ValueOf(v)
	if !mayHoldLists(rv.Type()) {
		return v
	}
	w := walker{depth: 1000}
	if out, changed := w.walk(rv); changed && !w.tooDeep {
		return out
	}
	return v
}

// walker goes through one value.
type walker struct {
	depth   int // how much deeper it may go
	tooDeep bool
}

// walk returns what stands in the place of v, if something else has to.
func (w *walker) walk(v reflect.Value) (out any, changed bool) {
	if w.tooDeep || !mayHoldLists(v.Type()) || writesItself(v) {
		return nil, false
	}
	if w.depth == 0 {
		w.tooDeep = true
		return nil, false
	}
	w.depth--
	defer func() { w.depth++ }()
	switch t := v.Type(); t.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return w.walk(v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			return reflect.MakeSlice(t, 0, 0).Interface(), true
		}
		return w.walkElements(v)
	case reflect.Array:
		return w.walkElements(v)
	case reflect.Map:
		if v.IsNil() {
			return reflect.MakeMap(t).Interface(), true
		}
		return w.walkMap(v)
	case reflect.Struct:
		return w.walkStruct(v, false)
	}
	return nil, false
}

// null is what encoding/json writes as such, where a nil interface would be left out.
var null = (*struct{})(nil)

// whole is v as encoding/json would read it: in place, if it can be.
func (w *walker) whole(v reflect.Value) any {
	switch {
	case v.CanAddr() && v.CanInterface():
		return v.Addr().Interface()
	case v.CanInterface():
		if v.Kind() == reflect.Interface && v.IsNil() {
			return null
		}
		return v.Interface()
	}
	if v.Kind() == reflect.Pointer { // an embedded struct of an unexported type, with a name
		if v.IsNil() {
			return null
		}
		v = v.Elem()
	}
	out, _ := w.walkStruct(v, true)
	return out
}

func (w *walker) walkElements(v reflect.Value) (out any, changed bool) {
	if !mayHoldLists(v.Type().Elem()) {
		return nil, false
	}
	var all []any
	for i := range v.Len() {
		elem, ok := w.walk(v.Index(i))
		if ok && all == nil {
			all = make([]any, v.Len())
			for j := range i {
				all[j] = w.whole(v.Index(j))
			}
		}
		switch {
		case ok:
			all[i] = elem
		case all != nil:
			all[i] = w.whole(v.Index(i))
		}
	}
	return all, all != nil
}

var anyType = reflect.TypeFor[any]()

func (w *walker) walkMap(v reflect.Value) (out any, changed bool) {
	t := v.Type()
	if !mayHoldLists(t.Elem()) {
		return nil, false
	}
	var all reflect.Value
	for entries := v.MapRange(); entries.Next(); {
		elem, ok := w.walk(entries.Value())
		if !ok {
			continue
		}
		if !all.IsValid() {
			all = reflect.MakeMapWithSize(reflect.MapOf(t.Key(), anyType), v.Len())
			for e := v.MapRange(); e.Next(); {
				all.SetMapIndex(e.Key(), reflect.ValueOf(w.whole(e.Value())))
			}
		}
		all.SetMapIndex(entries.Key(), reflect.ValueOf(elem))
	}
	if !all.IsValid() {
		return nil, false
	}
	return all.Interface(), true
}

// walkStruct goes through the fields that encoding/json writes. With always there
// is a struct even if it writes the same.
func (w *walker) walkStruct(v reflect.Value, always bool) (out any, changed bool) {
	s := shadowOf(v.Type())
	var fresh reflect.Value
	if always {
		fresh = w.shadow(s, v, 0)
	}
	for i := range s.fields {
		f := &s.fields[i]
		if !f.mayHoldLists && !fresh.IsValid() {
			continue
		}
		field, ok := f.in(v)
		if !ok {
			continue
		}
		elem, ok := w.walk(field)
		if !ok {
			if fresh.IsValid() {
				fresh.Field(i).Set(reflect.ValueOf(w.written(f, field)))
			}
			continue
		}
		if !fresh.IsValid() {
			fresh = w.shadow(s, v, i)
		}
		fresh.Field(i).Set(reflect.ValueOf(elem))
	}
	if !fresh.IsValid() {
		return nil, false
	}
	return fresh.Addr().Interface(), true
}

// shadow makes the struct that stands for v, with its first fields.
func (w *walker) shadow(s *shadow, v reflect.Value, fields int) reflect.Value {
	fresh := reflect.New(s.t).Elem()
	for i := range s.fields[:fields] {
		if field, ok := s.fields[i].in(v); ok {
			fresh.Field(i).Set(reflect.ValueOf(w.written(&s.fields[i], field)))
		}
	}
	return fresh
}

// written is a field that has no list to change.
func (w *walker) written(f *shadowField, field reflect.Value) any {
	if f.Quoted && !writesItself(field) {
		return quoted(field)
	}
	return w.whole(field)
}
