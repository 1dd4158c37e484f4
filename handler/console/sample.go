package console

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/schema"
)

// sample is an object or a list that fits the schema, to be filled in: what must be
// there, and what has a default or an example. "": none is found.
func sample(text string) string {
	checks, err := schema.Compile([]byte(text))
	if err != nil {
		return ""
	}
	// Where nothing must be there, all that may be says more than nothing.
	for _, whole := range []bool{true, false} {
		for pick := range maxPicks {
			s := sampler{reader: newReader([]byte(text)), pick: pick, whole: whole}
			value, ok := s.value(s.root, 0)
			if ok && (value[0] == '{' || value[0] == '[') && fits(checks, value) {
				return indented(value)
			}
		}
	}
	return ""
}

// maxPicks are the alternatives of a choice that are tried.
const maxPicks = 4

// maxDepth bounds a sample.
const maxDepth = 12

func fits(checks *schema.Schema, value json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	return d.Decode(&v) == nil && len(checks.Check(v)) == 0
}

type sampler struct {
	*reader
	pick  int  // which alternative of a choice is tried
	whole bool // the root has all its members when none is required
}

func (s *sampler) value(schema json.RawMessage, depth int) (value json.RawMessage, ok bool) {
	n, ok := s.node(schema)
	if !ok || depth > maxDepth {
		return nil, false
	}
	return s.of(n, depth)
}

func (s *sampler) of(n *node, depth int) (json.RawMessage, bool) {
	if value := n.given(); value != nil {
		return value, true
	}
	if allowed := list(n.keywords["enum"]); len(allowed) > 0 {
		return allowed[0], true
	}
	if len(n.choices) > 0 {
		choice := n.choices[0]
		n.choices = n.choices[1:]
		if !s.merge(n, choice[min(s.pick, len(choice)-1)], 0) {
			return nil, false
		}
		return s.of(n, depth+1)
	}
	switch n.kind() {
	case "object":
		return s.object(n, depth)
	case "array":
		return s.array(n, depth)
	case "string":
		return n.string()
	case "integer", "number":
		return n.numeric()
	case "boolean":
		return json.RawMessage("false"), true
	case "null":
		return json.RawMessage("null"), true
	}
	return json.RawMessage(`""`), depth > 0 // anything
}

// given is the value that the schema itself names: an example, else the default.
func (n *node) given() json.RawMessage {
	if all := list(n.keywords["examples"]); len(all) > 0 {
		return all[0]
	}
	for _, name := range []string{"example", "default", "const"} {
		if value := n.keywords[name]; value != nil {
			return value
		}
	}
	return nil
}

// object has the members in the order of the schema.
func (s *sampler) object(n *node, depth int) (json.RawMessage, bool) {
	required := texts(n.keywords["required"])
	all := slices.Clone(n.members)
	for _, name := range required {
		if !slices.ContainsFunc(all, func(m member) bool { return m.name == name }) {
			all = append(all, member{name, json.RawMessage("true")})
		}
	}
	whole := s.whole && depth == 0 && len(required) == 0
	missing := n.count("minProperties", 0) - len(required)
	out := []byte{'{'}
	for _, m := range all {
		must := slices.Contains(required, m.name)
		if !must && !whole && missing <= 0 && !s.isGiven(m.schema) {
			continue
		}
		value, ok := s.value(m.schema, depth+1)
		switch {
		case !ok && must:
			return nil, false
		case !ok:
			continue
		case !must:
			missing--
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(m.name) // a text can be encoded
		out = append(append(append(out, key...), ':'), value...)
	}
	return append(out, '}'), true
}

func (s *sampler) isGiven(schema json.RawMessage) bool {
	n, ok := s.node(schema)
	return ok && n.given() != nil
}

// array has one element where it may, and more where it must.
func (s *sampler) array(n *node, depth int) (json.RawMessage, bool) {
	items := list(n.keywords["prefixItems"])
	least := n.count("minItems", 0)
	length := min(max(least, len(items), 1), n.count("maxItems", math.MaxInt))
	if length > 100 {
		return nil, false
	}
	rest := n.keywords["items"]
	if rest == nil {
		rest = json.RawMessage("true")
	}
	out := []byte{'['}
	for i := range length {
		schema := rest
		if i < len(items) {
			schema = items[i]
		}
		value, ok := s.value(schema, depth+1)
		if !ok && i < least {
			return nil, false
		}
		if !ok {
			break
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, s.another(value, schema, i, n)...)
	}
	return append(out, ']'), true
}

// another is the i-th of values that have to differ.
func (s *sampler) another(value, schema json.RawMessage, i int, of *node) json.RawMessage {
	if string(of.keywords["uniqueItems"]) != "true" || i == 0 {
		return value
	}
	n, _ := s.node(schema)
	if allowed := list(n.keywords["enum"]); i < len(allowed) {
		return allowed[i]
	}
	if number, err := strconv.ParseFloat(string(value), 64); err == nil {
		step, ok := n.number("multipleOf")
		if !ok {
			step = 1
		}
		return written64(number + float64(i)*step)
	}
	if s := text(value); s != "" || string(value) == `""` {
		other, _ := json.Marshal(s + strconv.Itoa(i+1)) // a text can be encoded
		return other
	}
	return value
}
