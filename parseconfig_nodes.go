package sallyport

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport/internal/part"
)

// value is a node of the file with the path to it.
type value struct {
	path string
	*yaml.Node
	secret bool // no mistake repeats it
}

func (v value) isText() bool  { return v.Kind == yaml.ScalarNode && v.Tag == "!!str" }
func (v value) isList() bool  { return v.Kind == yaml.SequenceNode }
func (v value) isMap() bool   { return v.Kind == yaml.MappingNode }
func (v value) isFalse() bool { return v.isBoolean() && strings.EqualFold(v.Value, "false") }

func (v value) isBoolean() bool { return v.Kind == yaml.ScalarNode && v.Tag == "!!bool" }

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// String is what stands there, for a mistake.
func (v value) String() string {
	switch {
	case v.isList():
		return "a list"
	case v.isMap():
		return "a map"
	case v.isText() && v.secret:
		return "the text"
	case v.isText():
		return "the text " + quote(v.Value)
	case isNull(v.Node):
		return "nothing"
	case v.secret:
		return "what stands here"
	case len(v.Value) > maxQuoted:
		return v.Value[:maxQuoted] + "…"
	default:
		return v.Value
	}
}

// fault reports a mistake at v.
func (r *fileReader) fault(v value, format string, args ...any) {
	r.report(v, fmt.Errorf(format, args...))
}

// report reports each mistake in err at v.
func (r *fileReader) report(v value, err error) {
	var at position
	if v.Node != nil {
		at = positionOf(v.Node)
	}
	for _, e := range part.Flatten(err) {
		r.faults.add(&fault{v.path, at, e})
	}
}

// What a configuration does not know of YAML. Their names are not repeated: one
// may be a password that begins with the character.
var (
	errAlias  = errors.New("an alias: a configuration has none; a text that begins with * stands in quotes")
	errAnchor = errors.New("an anchor: a configuration has none; a text that begins with & stands in quotes")
	errTag    = errors.New("a tag: a configuration has none; a text that begins with ! stands in quotes")
)

// child is a node in parent that has nothing which a configuration does not know.
func (r *fileReader) child(parent value, path string, n *yaml.Node) (v value, ok bool) {
	v = value{path, n, parent.secret}
	switch {
	case n.Kind == yaml.AliasNode:
		r.report(v, errAlias)
	case n.Anchor != "":
		r.report(v, errAnchor)
	case n.Style&yaml.TaggedStyle != 0:
		r.report(v, errTag)
	default:
		return v, true
	}
	return v, false
}

// fields are the fields of a map and how they are read, in this order.
type fields []struct {
	name string
	read func(value)
}

// set reads a field into a variable.
func set[T any](target *T, read func(value) T) func(value) {
	return func(v value) { *target = read(v) }
}

// object reads the fields of a map. One without a value counts as not written.
// It returns the names of the fields that have one, even a wrong one; nil: v is
// no map.
func (r *fileReader) object(v value, known fields) map[string]bool {
	var names []string
	for _, f := range known {
		names = append(names, f.name)
	}
	has := map[string]bool{}
	values := map[string]value{}
	for e := range r.entries(v, "write a map of "+strings.Join(names, ", ")) {
		switch {
		case !slices.Contains(names, e.name):
			r.unknown(e.key, "field", e.name, names)
			if meant, ok := nearest(e.name, names); ok {
				has[meant] = true // or it would be reported as missing, too
			}
		case !e.ok:
			has[e.name] = true
		case !isNull(e.value.Node):
			has[e.name] = true
			values[e.name] = e.value
		}
	}
	if !v.isMap() {
		return nil
	}
	for _, f := range known {
		if field, ok := values[f.name]; ok {
			f.read(field)
		}
	}
	return has
}

// mapEntry is a name in a map and what stands there.
type mapEntry struct {
	name       string
	key, value value
	ok         bool // the value can be read
}

// entries takes a map apart, and reports what is none. Of several entries with
// one name the first counts.
func (r *fileReader) entries(v value, want string) iter.Seq[mapEntry] {
	return func(yield func(mapEntry) bool) {
		if !v.isMap() {
			r.fault(v, "%s: %s", v, want)
			return
		}
		first := map[string]int{} // the lines of the names
		for i := 0; i+1 < len(v.Content) && !r.faults.full(); i += 2 {
			e, ok := r.entry(v, v.Content[i], v.Content[i+1])
			if !ok {
				continue
			}
			if line, twice := first[e.name]; twice {
				r.fault(e.key, "it stands in line %d already", line)
				continue
			}
			first[e.name] = e.key.Line
			if !yield(e) {
				return
			}
		}
	}
}

// entry is false for a key that is no name.
func (r *fileReader) entry(v value, key, node *yaml.Node) (e mapEntry, ok bool) {
	e.key, ok = r.child(v, v.path, key)
	switch {
	case !ok:
		return e, false
	case key.Kind != yaml.ScalarNode:
		r.fault(e.key, "%s stands where a name belongs", e.key)
		return e, false
	case key.Tag == "!!merge":
		r.fault(e.key, "the merge key <<: a configuration has none, write the fields out")
		return e, false
	}
	e.name = key.Value
	if !v.secret || isPlain(e.name) && !isNull(node) { // "password:x" is a name without a value
		e.key.path = joinPath(v.path, e.name)
	}
	e.value, e.ok = r.child(v, e.key.path, node)
	return e, true
}

// items are what stands in a list, each with its number in its path.
func (r *fileReader) items(v value) iter.Seq[value] {
	return func(yield func(value) bool) {
		if len(v.Content) == 0 {
			r.fault(v, "the list is empty")
		}
		for i, n := range v.Content {
			if r.faults.full() {
				return
			}
			if item, ok := r.child(v, fmt.Sprintf("%s[%d]", v.path, i), n); ok && !yield(item) {
				return
			}
		}
	}
}
