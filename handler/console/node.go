package console

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// node is a schema with what it refers to and all parts of allOf in one.
type node struct {
	types    []string
	members  []member // in the order of the schema
	keywords map[string]json.RawMessage
	choices  [][]json.RawMessage // anyOf and oneOf
}

type member struct {
	name   string
	schema json.RawMessage
}

// reader resolves the references of a schema. left bounds its work, since a schema
// may refer to itself.
type reader struct {
	root json.RawMessage
	left int
}

func newReader(schema []byte) *reader { return &reader{root: schema, left: 5000} }

// node reads a schema; false: it is none, allows nothing, or leads to no end.
func (r *reader) node(schema json.RawMessage) (*node, bool) {
	n := &node{keywords: map[string]json.RawMessage{}}
	return n, r.merge(n, schema, 0)
}

func (r *reader) merge(n *node, schema json.RawMessage, depth int) bool {
	if r.left--; r.left < 0 || depth > 20 {
		return false
	}
	if string(bytes.TrimSpace(schema)) == "true" {
		return true
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(schema, &all) != nil || all == nil {
		return false
	}
	if ref := text(all["$ref"]); ref != "" && !r.merge(n, r.find(ref), depth+1) {
		return false
	}
	for _, part := range list(all["allOf"]) {
		if !r.merge(n, part, depth+1) {
			return false
		}
	}
	required := slices.Concat(texts(n.keywords["required"]), texts(all["required"]))
	maps.Copy(n.keywords, all)
	if len(required) > 0 {
		n.keywords["required"], _ = json.Marshal(required) // texts can be encoded
	}
	if one := text(all["type"]); one != "" {
		n.types = []string{one}
	} else if many := texts(all["type"]); len(many) > 0 {
		n.types = many
	}
	for _, m := range members(all["properties"]) {
		i := slices.IndexFunc(n.members, func(other member) bool { return other.name == m.name })
		if i < 0 {
			n.members = append(n.members, m)
			continue
		}
		both, _ := json.Marshal(map[string][]json.RawMessage{"allOf": {n.members[i].schema, m.schema}}) // they were JSON
		n.members[i].schema = both
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if of := list(all[name]); len(of) > 0 {
			n.choices = append(n.choices, of)
		}
	}
	return true
}

// find follows a reference within the schema (RFC 6901).
func (r *reader) find(ref string) json.RawMessage {
	pointer, ok := strings.CutPrefix(ref, "#")
	at := r.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		var members map[string]json.RawMessage
		if !ok || json.Unmarshal(at, &members) != nil {
			return nil
		}
		at = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]
	}
	if !ok {
		return nil
	}
	return at
}

// kind is the type of the values, by the keywords where none is said.
func (n *node) kind() string {
	for _, t := range n.types {
		if t != "null" || len(n.types) == 1 {
			return t
		}
	}
	for _, of := range [][]string{
		{"object", "properties", "required", "minProperties"}, {"array", "items", "prefixItems", "minItems"},
		{"string", "minLength", "pattern", "format"}, {"number", "minimum", "multipleOf"},
	} {
		for _, keyword := range of[1:] {
			if n.keywords[keyword] != nil {
				return of[0]
			}
		}
	}
	return ""
}

// number is the value of a keyword.
func (n *node) number(keyword string) (number float64, ok bool) {
	raw := n.keywords[keyword]
	return number, raw != nil && string(raw) != "null" && json.Unmarshal(raw, &number) == nil
}

// count is the value of a keyword that counts something.
func (n *node) count(keyword string, otherwise int) int {
	number, ok := n.number(keyword)
	if !ok || number < 0 || number > 1<<30 {
		return otherwise
	}
	return int(number)
}

func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func texts(raw json.RawMessage) (all []string) {
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

func list(raw json.RawMessage) (all []json.RawMessage) {
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}

// members are those of an object in their order.
func members(object json.RawMessage) (all []member) {
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		m := member{}
		m.name, _ = name.(string)
		if err != nil || d.Decode(&m.schema) != nil {
			return all
		}
		all = append(all, m)
	}
	return all
}
