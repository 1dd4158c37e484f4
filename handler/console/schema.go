package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// schemaText is the JSON Schema of a body; "": none is known.
func schemaText(input api.Input) string {
	text := input.Schema.JSON
	if text == nil && input.Schema.Type != nil && input.In == api.InJSON {
		err := part.Ask(func() error { text = typeschema.Standalone(input.Schema.Type, typeschema.Read, filled...); return nil })
		if err != nil { // a type that describes itself may panic
			return ""
		}
	}
	return indented(text)
}

// filled are the types that a typed handler fills in itself.
var filled = []reflect.Type{reflect.TypeFor[api.Identity](), reflect.TypeFor[*api.Request](), reflect.TypeFor[*http.Request]()}

// maxDepth bounds a sample: schemas may refer to themselves.
const maxDepth = 6

// sample is a value that looks like the schema, to be filled in; "": nothing can be
// told.
func sample(schema string) string {
	s := sampler{root: json.RawMessage(schema)}
	value, ok := s.value(s.root, 0)
	if !ok || len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return ""
	}
	return indented(value)
}

type sampler struct{ root json.RawMessage }

// node is what a sample looks at in a schema.
type node struct {
	Ref        string            `json:"$ref"`
	Type       json.RawMessage   `json:"type"`
	Const      json.RawMessage   `json:"const"`
	Default    json.RawMessage   `json:"default"`
	Enum       []json.RawMessage `json:"enum"`
	Examples   []json.RawMessage `json:"examples"`
	Properties json.RawMessage   `json:"properties"`
	Items      json.RawMessage   `json:"items"`
	AllOf      []json.RawMessage `json:"allOf"`
	AnyOf      []json.RawMessage `json:"anyOf"`
	OneOf      []json.RawMessage `json:"oneOf"`
	Minimum    json.RawMessage   `json:"minimum"`
	Format     string            `json:"format"`
}

func (s sampler) value(schema json.RawMessage, depth int) (value json.RawMessage, ok bool) {
	var n node
	if depth > maxDepth || json.Unmarshal(schema, &n) != nil {
		return nil, false
	}
	for _, given := range [][]json.RawMessage{n.Examples, {n.Const}, {n.Default}, n.Enum} {
		if len(given) > 0 && given[0] != nil {
			return given[0], true
		}
	}
	for _, of := range [][]json.RawMessage{n.AnyOf, n.OneOf, n.AllOf} {
		if len(of) > 0 {
			return s.value(of[0], depth+1)
		}
	}
	switch {
	case n.Ref != "":
		return s.value(s.find(n.Ref), depth+1)
	case n.is("object") || n.Properties != nil:
		return s.object(n.Properties, depth), true
	case n.is("array"):
		item, ok := s.value(n.Items, depth+1)
		if !ok {
			return json.RawMessage("[]"), true
		}
		return append(append(json.RawMessage{'['}, item...), ']'), true
	}
	return n.scalar()
}

// is reports whether the first type is t: a second one is usually null.
func (n *node) is(t string) bool { return n.firstType() == t }

func (n *node) firstType() string {
	var one string
	if json.Unmarshal(n.Type, &one) == nil {
		return one
	}
	var many []string
	if json.Unmarshal(n.Type, &many) == nil && len(many) > 0 {
		return many[0]
	}
	return ""
}

func (n *node) scalar() (json.RawMessage, bool) {
	switch n.firstType() {
	case "string":
		switch n.Format {
		case "date-time":
			return json.RawMessage(`"2026-01-31T12:00:00Z"`), true
		case "date":
			return json.RawMessage(`"2026-01-31"`), true
		}
		return json.RawMessage(`""`), true
	case "integer", "number":
		if n.Minimum != nil {
			return n.Minimum, true
		}
		return json.RawMessage("0"), true
	case "boolean":
		return json.RawMessage("false"), true
	case "null":
		return json.RawMessage("null"), true
	}
	return nil, false
}

// object has the members in the order of the schema.
func (s sampler) object(properties json.RawMessage, depth int) json.RawMessage {
	out := []byte{'{'}
	d := json.NewDecoder(bytes.NewReader(properties))
	if _, err := d.Token(); err != nil { // no properties
		return json.RawMessage("{}")
	}
	for d.More() {
		var schema json.RawMessage
		name, err := d.Token()
		if err != nil || d.Decode(&schema) != nil {
			break
		}
		value, ok := s.value(schema, depth+1)
		if !ok {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(name) // a text can be encoded
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}')
}

// find follows a reference within the schema (RFC 6901).
func (s sampler) find(ref string) json.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#")
	at := s.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		var members map[string]json.RawMessage
		if !ok || json.Unmarshal(at, &members) != nil {
			return nil
		}
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	return at
}
