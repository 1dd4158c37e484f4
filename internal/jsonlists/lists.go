// Package jsonlists lets encoding/json write nil slices and maps as [] and {}.
package jsonlists

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Lists returns v, or a copy of it in which the nil slices and maps that
// encoding/json writes as null are empty, so that it writes [] and {}; a nil []byte
// becomes "". v itself is never changed, and shares with the copy what has no such
// slice or map inside.
//
// It leaves alone what writes itself, nil pointers and interfaces, json.RawMessage,
// and fields that encoding/json leaves out. A value nested deeper than a thousand
// levels, such as one with itself inside, is returned as it is.
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
		return out.Interface()
	}
	return v
}

// walker goes through one value.
type walker struct {
	depth   int // how much deeper it may go
	tooDeep bool
}

// copier is a value and, once it is asked for, its copy.
type copier struct {
	v, out  reflect.Value
	changed bool
	within  *copier // the struct whose copy holds this one at the index
	index   int
}

func (c *copier) copied() reflect.Value {
	switch {
	case c.changed:
	case c.within != nil:
		c.out = c.within.copied().Field(c.index)
	default:
		c.out = reflect.New(c.v.Type()).Elem()
		c.out.Set(c.v)
	}
	c.changed = true
	return c.out
}

// walk returns v, or a copy that differs.
func (w *walker) walk(v reflect.Value) (out reflect.Value, changed bool) {
	t := v.Type()
	if w.tooDeep || !mayHoldLists(t) {
		return v, false
	}
	if w.depth == 0 {
		w.tooDeep = true
		return v, false
	}
	w.depth--
	out, changed = w.walkKind(v, t)
	w.depth++
	return out, changed
}

func (w *walker) walkKind(v reflect.Value, t reflect.Type) (out reflect.Value, changed bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		elem, ok := w.walk(v.Elem())
		if !ok || t.Kind() == reflect.Interface {
			return elem, ok
		}
		fresh := reflect.New(t.Elem())
		fresh.Elem().Set(elem)
		return fresh.Convert(t), true
	case reflect.Slice:
		return w.walkSlice(v, t)
	case reflect.Array:
		c := copier{v: v, out: v}
		for i := range v.Len() {
			if elem, ok := w.walk(v.Index(i)); ok {
				c.copied().Index(i).Set(elem)
			}
		}
		return c.out, c.changed
	case reflect.Map:
		return w.walkMap(v)
	case reflect.Struct:
		c := copier{v: v, out: v}
		w.walkStruct(&c)
		return c.out, c.changed
	}
	return v, false
}

func (w *walker) walkSlice(v reflect.Value, t reflect.Type) (out reflect.Value, changed bool) {
	if v.IsNil() {
		return reflect.MakeSlice(t, 0, 0), true
	}
	if !mayHoldLists(t.Elem()) {
		return v, false
	}
	out = v
	for i := range v.Len() {
		elem, ok := w.walk(v.Index(i))
		if !ok {
			continue
		}
		if !changed {
			out, changed = reflect.MakeSlice(t, v.Len(), v.Len()), true
			reflect.Copy(out, v)
		}
		out.Index(i).Set(elem)
	}
	return out, changed
}

func (w *walker) walkMap(v reflect.Value) (out reflect.Value, changed bool) {
	t := v.Type()
	if v.IsNil() {
		return reflect.MakeMap(t), true
	}
	if !mayHoldLists(t.Elem()) {
		return v, false
	}
	out = v
	for entries := v.MapRange(); entries.Next(); {
		elem, ok := w.walk(entries.Value())
		if !ok {
			continue
		}
		if !changed {
			out, changed = reflect.MakeMapWithSize(t, v.Len()), true
			for all := v.MapRange(); all.Next(); {
				out.SetMapIndex(all.Key(), all.Value())
			}
		}
		out.SetMapIndex(entries.Key(), elem)
	}
	return out, changed
}

// walkStruct goes through the fields that encoding/json writes.
func (w *walker) walkStruct(c *copier) {
	for _, f := range outputFields(c.v.Type()) {
		field := c.v.Field(f.index)
		switch {
		case f.inPlace: // an embedded struct that cannot be set as a whole
			w.walkStruct(&copier{v: field, within: c, index: f.index})
			continue
		case f.omitEmpty && list(field.Kind()) && field.Len() == 0, f.omitZero && zero(field):
			continue
		}
		if elem, ok := w.walk(field); ok {
			c.copied().Field(f.index).Set(elem)
		}
	}
}

func list(k reflect.Kind) bool { return k == reflect.Slice || k == reflect.Map }

// zero is what "omitzero" asks.
func zero(v reflect.Value) bool {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	if v.CanAddr() {
		if z, ok := v.Addr().Interface().(interface{ IsZero() bool }); ok {
			return z.IsZero()
		}
	}
	return v.IsZero()
}

// outputField is a field that may hold a list.
type outputField struct {
	index               int
	omitEmpty, omitZero bool
	inPlace             bool
}

var outputs sync.Map // reflect.Type to []outputField

func outputFields(t reflect.Type) []outputField {
	if fields, ok := outputs.Load(t); ok {
		return fields.([]outputField) //nolint:forcetypeassert // nothing else is stored
	}
	var fields []outputField
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		_, options, _ := strings.Cut(tag, ",")
		embedded := f.Anonymous && !f.IsExported() && f.Type.Kind() == reflect.Struct
		if tag == "-" || !f.IsExported() && !embedded || !mayHoldLists(f.Type) {
			continue
		}
		all := strings.Split(options, ",")
		fields = append(fields, outputField{
			index:     i,
			omitEmpty: slices.Contains(all, "omitempty"),
			omitZero:  slices.Contains(all, "omitzero"),
			inPlace:   embedded,
		})
	}
	outputs.Store(t, fields)
	return fields
}

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
	if p := reflect.PointerTo(t); p.Implements(marshalerType) || p.Implements(textMarshalerType) {
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
