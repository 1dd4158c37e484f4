package typeschema

import (
	"encoding"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/internal/jsonfields"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// traits are what the tags of a field say of its values.
type traits struct {
	rules  *rules.Rules // nil when they are written: nobody checks them
	enum   string
	format string
	depth  int
}

// none reports whether they say nothing of the values themselves, as "required"
// does not.
func (tr traits) none() bool {
	r := tr.rules
	return len(r.Tags()) == 0 && r.Elem() == nil && r.Keys() == nil && tr.enum == "" && tr.format == ""
}

// elem are the traits of the elements of a list or map.
func (tr traits) elem() traits {
	return traits{rules: tr.rules.Elem(), enum: tr.enum, format: tr.format, depth: tr.depth + 1}
}

// deepest bounds types that hold themselves: those with traits have no definition.
const deepest = 20

func traitsOf(t reflect.Type, tag reflect.StructTag, d Direction) traits {
	tr := traits{enum: tag.Get("enum")}
	if d == Read {
		tr.rules, _ = rules.Compile(plain(t), tag.Get("validate")) // a mistake is told when the program is built
		tr.format = tag.Get("format")
	}
	return tr
}

// plain is the type without pointers and the optional type.
func plain(t reflect.Type) reflect.Type {
	for range deepest {
		if value, ok := rules.Optional(t); ok {
			t = value
		} else if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	numberType      = reflect.TypeFor[json.Number]()
	timeType        = reflect.TypeFor[time.Time]()
	durationType    = reflect.TypeFor[time.Duration]()
	describerType   = reflect.TypeFor[Describer]()
	marshalerType   = reflect.TypeFor[json.Marshaler]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	toTextType      = reflect.TypeFor[encoding.TextMarshaler]()
	fromTextType    = reflect.TypeFor[encoding.TextUnmarshaler]()
	bigIntType      = reflect.TypeFor[big.Int]()
)

// value is the schema of the values of a type with the tags beside it.
func (s *Set) value(t reflect.Type, tr traits, d Direction) *jsontree.Object {
	if tr.depth++; tr.depth > deepest {
		return &jsontree.Object{}
	}
	if value, ok := rules.Optional(t); ok {
		return nullable(s.value(value, tr, d))
	}
	if t.Kind() == reflect.Pointer && !implements(t, describerType) {
		return nullable(s.value(t.Elem(), tr, d))
	}
	if s.isDefinition(t, d) && tr.none() {
		return s.reference(t, d)
	}
	return s.inline(t, tr, d)
}

// isDefinition tells the named types that hold others.
func (s *Set) isDefinition(t reflect.Type, d Direction) bool {
	if t.Name() == "" || s.leaf(t, d) != nil {
		return false
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map, reflect.Array:
		return true
	case reflect.Slice:
		return !isBytes(t, d)
	}
	return false
}

// inline is the schema itself. A type that holds itself is a definition inside of
// itself, whatever the tags there say.
func (s *Set) inline(t reflect.Type, tr traits, d Direction) *jsontree.Object {
	node := s.leaf(t, d)
	if node == nil {
		k := key{t, d}
		if s.inlined[k] > 0 && t.Name() != "" && !tr.none() {
			return s.reference(t, d)
		}
		s.inlined[k]++
		node = s.container(t, tr, d)
		s.inlined[k]--
	} else {
		format(node, t, tr.format)
		enumerate(node, t, tr)
	}
	constrain(node, t, tr.rules)
	return node
}

// container is a type that holds others.
func (s *Set) container(t reflect.Type, tr traits, d Direction) *jsontree.Object {
	switch t.Kind() {
	case reflect.Slice:
		return jsontree.Of("type", "array", "items", s.value(t.Elem(), tr.elem(), d))
	case reflect.Array:
		return jsontree.Of("type", "array", "items", s.value(t.Elem(), tr.elem(), d), "minItems", t.Len(), "maxItems", t.Len())
	case reflect.Map:
		node := jsontree.Of("type", "object")
		if keys := tr.rules.Keys(); keys != nil {
			names := jsontree.Of("type", "string")
			constrain(names, t.Key(), keys)
			node.Set("propertyNames", names)
		}
		node.Set("additionalProperties", s.value(t.Elem(), tr.elem(), d))
		return node
	case reflect.Struct:
		return s.object(t, d)
	}
	return &jsontree.Object{} // an interface, and what JSON does not have
}

// object is a struct.
func (s *Set) object(t reflect.Type, d Direction) *jsontree.Object {
	properties, required := &jsontree.Object{}, []any{}
	fields := jsonfields.Of(t)
	input := d == Read && isInput(fields)
	for _, f := range fields {
		if _, tagged := f.Tag.Lookup("json"); s.filled[f.Type] || input && !tagged {
			continue
		}
		node, must := s.member(f, d)
		properties.Set(f.Name, node)
		if must {
			required = append(required, f.Name)
		}
	}
	node := jsontree.Of("type", "object", "required", required)
	if len(properties.Members) > 0 {
		node.Set("properties", properties)
	}
	return node
}

// isInput tells the struct of a typed handler, whose fields come from many places.
func isInput(fields []jsonfields.Field) bool {
	for _, f := range fields {
		for _, location := range locations {
			if _, ok := f.Tag.Lookup(location); ok {
				return true
			}
		}
	}
	return false
}

// locations are the tags of values that are no members of a JSON body.
var locations = strings.Fields("path query header cookie form file body")

// member is one of an object, and whether it is always there.
func (s *Set) member(f jsonfields.Field, d Direction) (node *jsontree.Object, must bool) {
	t, omitted := f.Type, f.OmitEmpty || f.OmitZero
	if d == Written && omitted && t.Kind() == reflect.Pointer {
		t = t.Elem() // a nil one is left out
	}
	tr := traitsOf(t, f.Tag, d)
	if node = s.value(t, tr, d); f.Quoted && d == Written {
		quoted := jsontree.Of("type", "string")
		if t.Kind() == reflect.Pointer {
			quoted = nullable(quoted)
		}
		node = quoted
	}
	annotate(node, t, f.Tag, d)
	if d == Written {
		return node, !omitted && !f.Embedded
	}
	return node, tr.rules.Required()
}

// nullable admits null, too.
func nullable(node *jsontree.Object) *jsontree.Object {
	if len(node.Members) == 0 { // anything is admitted
		return node
	}
	list, enumerated := node.Get("enum")
	if values, ok := list.([]any); ok {
		node.Set("enum", append(values, nil))
	}
	switch t, _ := node.Get("type"); t := t.(type) {
	case string:
		node.Set("type", []any{t, "null"})
		return node
	case []any:
		if t[len(t)-1] != "null" {
			node.Set("type", append(t, "null"))
		}
		return node
	}
	if enumerated {
		return node
	}
	return jsontree.Of("anyOf", []any{node, jsontree.Of("type", "null")})
}
