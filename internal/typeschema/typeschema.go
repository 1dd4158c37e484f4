// Package typeschema describes Go types as JSON Schema (2020-12): what the binder of
// internal/jsonvalue reads into a type, and what encoding/json writes of it.
package typeschema

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// Direction is whether values are read or written.
type Direction uint8

// The directions of values. They differ: what may be left out, and whether a nil
// pointer is seen, is not the same.
const (
	Read Direction = iota
	Written
)

// A Describer is a type that describes its JSON itself, as one with a method
// UnmarshalJSON or MarshalJSON should. The method is called on a zero value.
type Describer interface {
	JSONSchema() json.RawMessage
}

// Set makes schemas whose named types are definitions, each with a name that no
// other one has. It is not safe for concurrent use.
type Set struct {
	prefix string // of references
	filled map[reflect.Type]bool
	taken  map[string]bool // names that are not free

	definitions map[key]*definition
	order       []*definition
	same        map[reflect.Type]bool // both directions have one schema
	apart       bool                  // never share definitions between the directions
	inlined     map[key]int           // the types that are being described, see inline

	// Given takes the schema of a [Describer] into the document; nil: it stands as it
	// is.
	Given func(schema json.RawMessage, name string) *jsontree.Object
}

type key struct {
	t reflect.Type
	d Direction
}

// definition is a named type that schemas refer to.
type definition struct {
	key
	set  *Set
	name string // "" until the names are given
	node *jsontree.Object
}

// Late is the reference.
func (d *definition) Late() string { return d.set.prefix + d.name }

// NewSet makes an empty set. References begin with the prefix, such as
// "#/components/schemas/". Fields of the filled types are no members: the request
// itself is put into them.
func NewSet(prefix string, filled ...reflect.Type) *Set {
	s := &Set{
		prefix: prefix, filled: map[reflect.Type]bool{}, taken: map[string]bool{},
		definitions: map[key]*definition{}, same: map[reflect.Type]bool{}, inlined: map[key]int{},
	}
	for _, t := range filled {
		s.filled[t] = true
	}
	return s
}

// Take keeps a name from being given to a definition.
func (s *Set) Take(name string) { s.taken[name] = true }

// Type is the schema of a type. References in it are written once
// [Set.Definitions] has given the names.
func (s *Set) Type(t reflect.Type, d Direction) *jsontree.Object { return s.value(t, traits{}, d) }

// Text is the schema of a value that is read from a text, such as a parameter; nil
// rules say nothing.
func Text(t reflect.Type, r *rules.Rules, format string) json.RawMessage {
	return written(text(t, r, format))
}

func text(t reflect.Type, r *rules.Rules, format string) *jsontree.Object {
	if t == durationType { // nanoseconds are for JSON
		return jsontree.Of("type", "string")
	}
	return NewSet("").value(t, traits{rules: r, format: format}, Read)
}

// Texts is the schema of a list of values that are each read from a text, by the
// rules of the list, those of its elements among them, and more rules of each
// element.
func Texts(elem reflect.Type, list, each *rules.Rules, format string) json.RawMessage {
	item := text(elem, list.Elem(), format)
	constrain(item, elem, each)
	node := jsontree.Of("type", "array", "items", item)
	constrain(node, reflect.SliceOf(elem), list)
	return written(node)
}

// Standalone is the schema of a type with its definitions inside.
func Standalone(t reflect.Type, d Direction, filled ...reflect.Type) json.RawMessage {
	s := NewSet("#/$defs/", filled...)
	node := s.Type(t, d)
	if definitions := s.Definitions(); len(definitions.Members) > 0 {
		node.Set("$defs", definitions)
	}
	return written(node)
}

// written is a tree as JSON. One of this package has nothing that cannot be
// written.
func written(node *jsontree.Object) json.RawMessage {
	data, err := jsontree.Append(nil, node)
	if err != nil {
		return json.RawMessage("{}")
	}
	return data
}

// Definitions are the schemas of the named types by their names. No schema is made
// afterwards.
func (s *Set) Definitions() *jsontree.Object {
	s.giveNames()
	all := &jsontree.Object{}
	for _, d := range s.order {
		all.Set(d.name, d.node)
	}
	return all
}

// reference is a schema that stands for a definition.
func (s *Set) reference(t reflect.Type, d Direction) *jsontree.Object {
	if d == Read && s.alike(t) {
		d = Written
	}
	k := key{t, d}
	def, ok := s.definitions[k]
	if !ok {
		def = &definition{key: k, set: s}
		s.definitions[k] = def
		s.order = append(s.order, def)
		def.node = s.inline(t, traits{}, d)
	}
	return jsontree.Of("$ref", def)
}

// alike reports whether a type is read as it is written, so that one definition
// tells both.
func (s *Set) alike(t reflect.Type) bool {
	if s.apart {
		return false
	}
	alike, ok := s.same[t]
	if !ok {
		alike = bytes.Equal(s.alone(t, Read), s.alone(t, Written))
		s.same[t] = alike
	}
	return alike
}

func (s *Set) alone(t reflect.Type, d Direction) json.RawMessage {
	inner := NewSet("#/$defs/")
	inner.filled, inner.apart = s.filled, true
	inner.reference(t, d)
	return written(inner.Definitions())
}
