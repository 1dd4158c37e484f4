package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

const written = typeschema.Written

// schema is that of a value: as it is given, else as its Go type is read or
// written; anything without both. The name is for a schema that refers to itself.
func (w *writer) schema(s api.Schema, d typeschema.Direction, name string) (any, error) {
	switch {
	case len(s.JSON) > 0:
		return w.fromJSON(s.JSON, name)
	case s.Type != nil:
		t := s.Type
		if d == written && t.Kind() == reflect.Pointer { // a nil answer is a fault of the handler
			t = t.Elem()
		}
		return w.types.Type(t, d), nil
	}
	return &jsontree.Object{}, nil
}

// fromJSON takes a JSON Schema into the document: its definitions become
// components, and its references lead there. One with an $id is a resource of its
// own, whose references stay as they are.
func (w *writer) fromJSON(text []byte, name string) (any, error) {
	tree, err := jsontree.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("a JSON Schema: %w", err)
	}
	root, ok := tree.(*jsontree.Object)
	if !ok || root.Text("$id") != "" {
		return tree, nil
	}
	if known, ok := w.selves[string(text)]; ok {
		return named(known), nil
	}
	name = w.free(name)
	m := mover{names: map[string]string{}, root: referSchemas + name}
	for _, keyword := range definitionKeywords {
		if all := root.Object(keyword); all != nil {
			for _, member := range all.Members {
				m.names[keyword+"/"+member.Name] = w.componentName(member.Name)
			}
		}
	}
	m.inside(root)
	for _, keyword := range definitionKeywords {
		all := root.Object(keyword)
		root.Delete(keyword)
		if all == nil {
			continue
		}
		for _, member := range all.Members {
			if err := w.define(m.names[keyword+"/"+member.Name], member.Value); err != nil {
				return nil, err
			}
		}
	}
	if !m.self {
		return root, nil
	}
	w.selves[string(text)] = name
	return named(name), w.define(name, root)
}

// ofType takes the schema of a type that describes itself.
func (w *writer) ofType(schema json.RawMessage, name string) *jsontree.Object {
	tree, err := w.fromJSON(schema, name)
	if err != nil {
		w.errs = append(w.errs, part.Within("the schema of the type "+name, err))
	}
	if node, ok := tree.(*jsontree.Object); ok {
		return node
	}
	return &jsontree.Object{}
}

// free is a name that no component has.
func (w *writer) free(name string) string {
	free := name
	for n := 2; w.given[free] != nil || w.made[free]; n++ {
		free = name + strconv.Itoa(n)
	}
	return free
}

var definitionKeywords = []string{"$defs", "definitions"}

// componentName has the characters that a component can have. One that had others
// is no promise to be the same definition elsewhere.
func (w *writer) componentName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
	if clean == name && name != "" {
		return name
	}
	free := w.free(cmp.Or(clean, "Schema"))
	w.made[free] = true
	return free
}

// define makes a schema a component. Equal ones of one name are one.
func (w *writer) define(name string, node any) error {
	if known, ok := w.given[name]; ok {
		if !equal(known, node) {
			return fmt.Errorf("Definition with name %s already exists. Rename it.", name) //nolint:revive,staticcheck // the words of nette-api
		}
		return nil
	}
	w.given[name] = node
	w.types.Take(name)
	return nil
}

// allSchemas are the components: error bodies, what the program has named, and the
// Go types, which make way for both.
func (w *writer) allSchemas() *jsontree.Object {
	all := &jsontree.Object{}
	for _, name := range slices.Sorted(maps.Keys(w.given)) {
		if hasMember(w.schemas, name) {
			w.errs = append(w.errs, fmt.Errorf("the definition %q is called like a body of errors: rename it", name))
		}
		all.Set(name, w.given[name])
	}
	all.Members = append(all.Members, w.schemas.Members...)
	all.Members = append(all.Members, w.types.Definitions().Members...)
	return all
}

// mover lets the references of a schema lead to components.
type mover struct {
	names map[string]string // "$defs/a" -> "a"
	root  string            // what "#" becomes
	self  bool              // the schema refers to itself
}

// The keywords of JSON Schema that hold schemas, of the drafts 4 to 2020-12.
var (
	oneSchema = strings.Fields("not if then else items additionalItems contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties contentSchema")
	manyNamed = strings.Fields("properties patternProperties dependentSchemas dependencies $defs definitions")
	manyInRow = strings.Fields("allOf anyOf oneOf prefixItems items")
)

// schema looks at one schema and those inside. Members of an object that are only
// called like a keyword are none.
func (m *mover) schema(v any) {
	if o, ok := v.(*jsontree.Object); ok && o.Text("$id") == "" { // else it is a resource of its own
		m.inside(o)
	}
}

func (m *mover) inside(o *jsontree.Object) {
	for _, keyword := range []string{"$ref", "$dynamicRef"} {
		if reference := o.Text(keyword); strings.HasPrefix(reference, "#") {
			o.Set(keyword, m.refer(reference))
		}
	}
	for _, member := range o.Members {
		switch inner := member.Value.(type) {
		case *jsontree.Object:
			if slices.Contains(manyNamed, member.Name) {
				for _, named := range inner.Members {
					m.schema(named.Value)
				}
			} else if slices.Contains(oneSchema, member.Name) {
				m.schema(inner)
			}
		case []any:
			if slices.Contains(manyInRow, member.Name) {
				for _, item := range inner {
					m.schema(item)
				}
			}
		}
	}
}

// refer is where a reference leads in the document. An anchor stays as it is.
func (m *mover) refer(reference string) string {
	pointer := reference[1:]
	if pointer != "" && pointer[0] != '/' {
		return reference
	}
	if parts := strings.SplitN(strings.TrimPrefix(pointer, "/"), "/", 3); len(parts) >= 2 {
		if name, ok := m.names[parts[0]+"/"+unescape(parts[1])]; ok {
			rest := ""
			if len(parts) == 3 {
				rest = "/" + parts[2]
			}
			return referSchemas + name + rest
		}
	}
	m.self = true
	return m.root + pointer
}

// unescape is a token of a JSON Pointer in a URI fragment (RFC 6901, section 6).
func unescape(token string) string {
	if text, err := url.PathUnescape(token); err == nil {
		token = text
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
