package typeschema

import (
	"cmp"
	"encoding/json"
	"net/netip"
	"reflect"

	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// leaf is the schema of a type that holds no other ones, or writes and reads
// itself; nil for the others.
func (s *Set) leaf(t reflect.Type, d Direction) *jsontree.Object {
	if schema, ok := described(t); ok {
		return s.given(t, schema)
	}
	switch t {
	case rawType:
		return &jsontree.Object{}
	case numberType:
		return jsontree.Of("type", "number")
	case timeType:
		return jsontree.Of("type", "string", "format", "date-time")
	case durationType:
		if d == Read {
			return jsontree.Of("type", []any{"string", "integer"}, "description", "A duration such as 1m30s, or nanoseconds.")
		}
		return jsontree.Of("type", "integer", "format", "int64", "description", "Nanoseconds.")
	case bigIntType:
		return jsontree.Of("type", "integer")
	}
	switch {
	case writesItself(t, d, marshalerType, unmarshalerType):
		return &jsontree.Object{}
	case writesItself(t, d, toTextType, fromTextType):
		node := jsontree.Of("type", "string")
		if format := textFormat(t); format != "" {
			node.Set("format", format)
		}
		return node
	case isBytes(t, d):
		return jsontree.Of("type", "string", "contentEncoding", "base64")
	}
	return scalar(t)
}

// scalar is a kind that is one word.
func scalar(t reflect.Type) *jsontree.Object {
	switch k := t.Kind(); k {
	case reflect.Bool:
		return jsontree.Of("type", "boolean")
	case reflect.String:
		return jsontree.Of("type", "string")
	case reflect.Float32:
		return jsontree.Of("type", "number", "format", "float")
	case reflect.Float64:
		return jsontree.Of("type", "number", "format", "double")
	case reflect.Int32:
		return jsontree.Of("type", "integer", "format", "int32")
	case reflect.Int, reflect.Int64:
		return jsontree.Of("type", "integer", "format", "int64")
	case reflect.Int8, reflect.Int16:
		edge := int64(1) << (t.Bits() - 1)
		return jsontree.Of("type", "integer", "minimum", -edge, "maximum", edge-1)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return jsontree.Of("type", "integer", "minimum", 0, "maximum", uint64(1)<<t.Bits()-1)
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return jsontree.Of("type", "integer", "minimum", 0)
	}
	return nil
}

// given takes the schema of a type into the set.
func (s *Set) given(t reflect.Type, schema json.RawMessage) *jsontree.Object {
	if s.Given != nil {
		return s.Given(schema, cmp.Or(typeName(t), fallbackName))
	}
	tree, err := jsontree.Parse(schema)
	if node, isObject := tree.(*jsontree.Object); isObject && err == nil {
		return node
	}
	return &jsontree.Object{}
}

// described asks the type itself.
func described(t reflect.Type) (schema json.RawMessage, ok bool) {
	defer func() {
		if recover() != nil { // a method that needs more than the zero value tells nothing
			schema, ok = json.RawMessage("{}"), true
		}
	}()
	if !implements(t, describerType) {
		return nil, false
	}
	d, ok := reflect.New(t).Interface().(Describer)
	if !ok {
		return nil, false
	}
	return d.JSONSchema(), true
}

// implements looks at the type and at its pointer.
func implements(t, method reflect.Type) bool {
	return t.Kind() != reflect.Interface && reflect.PointerTo(t).Implements(method)
}

func writesItself(t reflect.Type, d Direction, written, read reflect.Type) bool {
	if d == Read {
		return implements(t, read)
	}
	return implements(t, written)
}

// isBytes tells a list of bytes, which is base64 unless the bytes have a form of
// their own.
func isBytes(t reflect.Type, d Direction) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 &&
		!writesItself(t.Elem(), d, marshalerType, unmarshalerType) && !writesItself(t.Elem(), d, toTextType, fromTextType)
}

// textFormat is the format of JSON Schema for the texts of a type.
func textFormat(t reflect.Type) string {
	switch {
	case t.Name() == "UUID":
		return "uuid"
	case t == reflect.TypeFor[netip.Addr]():
		return "ip"
	}
	return ""
}

// format writes that of a [time.Time].
func format(node *jsontree.Object, t reflect.Type, name string) {
	switch {
	case t != timeType || name == "" || name == "date-time":
	case name == "date":
		node.Set("format", "date")
	case name == "unix":
		*node = *jsontree.Of("type", "integer", "format", "int64", "description", "Seconds since 1970.")
	default:
		*node = *jsontree.Of("type", "string", "description", "A time such as "+name+".")
	}
}
