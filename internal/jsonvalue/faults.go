package jsonvalue

import (
	"strconv"

	"github.com/sallyport-go/sallyport/internal/jsonpointer"
)

// step leads from a value into one inside: the node of the name of a member, or,
// when that is 0, the index of an element. No name is the first node of a text.
type step struct{ name, index uint32 }

// faults collects them along the way through a document.
type faults struct {
	d     *Document
	list  []Fault
	count int // also of those that are not told
	path  []step
}

func (f *faults) enter(s step) { f.path = append(f.path, s) }
func (f *faults) leave()       { f.path = f.path[:len(f.path)-1] }

// full reports whether nothing more is told, so that nothing more need be found.
func (f *faults) full() bool { return f.count >= maxFaults }

// add tells a fault of the value where the path leads, or of a member that is not
// there.
func (f *faults) add(nodes []node, code, message string, member ...string) {
	f.count++
	if len(f.list) < maxFaults {
		f.list = append(f.list, Fault{Pointer: f.pointer(nodes, member), Code: code, Message: message})
	}
}

// pointer is where the path leads, or the deepest value on it that can be told
// shortly.
func (f *faults) pointer(nodes []node, member []string) string {
	d := Document{data: f.d.data, nodes: nodes}
	tokens := make([]string, 0, len(f.path)+len(member))
	for _, s := range f.path {
		switch {
		case s.name == 0:
			tokens = append(tokens, strconv.FormatUint(uint64(s.index), 10))
		case len(d.text(s.name)) > longestEscape*jsonpointer.MaxToken:
			return jsonpointer.Bounded(tokens...) // without a copy of the name
		default:
			tokens = append(tokens, d.str(s.name))
		}
	}
	return jsonpointer.Bounded(append(tokens, member...)...)
}

// longestEscape is how many bytes may stand for one, as in "\u0041".
const longestEscape = 6

// pairwise is up to how many members an object's names are compared in pairs.
const pairwise = 16

// duplicates tells the names of the object that occur before in it.
func (p *parser) duplicates(object uint32) {
	d := Document{data: p.data, nodes: p.nodes}
	first, end, size := object+1, p.nodes[object].next, p.nodes[object].size
	if size <= 1 {
		return
	}
	var names map[string]struct{}
	if size > pairwise {
		names = make(map[string]struct{}, size)
	}
	for i := first; i < end; i = p.nodes[i].next {
		found := false
		if size > pairwise {
			name := d.str(i)
			_, found = names[name]
			names[name] = struct{}{}
		} else {
			for j := first; j < i && !found; j = p.nodes[j].next {
				found = d.sameName(i, j)
			}
		}
		if found {
			p.faults.enter(step{name: i})
			p.faults.add(p.nodes, "duplicate", "Field occurs more than once")
			p.faults.leave()
		}
	}
}

// sameName compares the names without their escapes.
func (d *Document) sameName(i, j uint32) bool {
	if d.nodes[i].escaped || d.nodes[j].escaped {
		return d.str(i) == d.str(j)
	}
	return string(d.text(i)) == string(d.text(j))
}

// missing tells a member that is not there.
func (f *faults) missing(nodes []node, name string) {
	f.add(nodes, "required", "Field is required", name)
}
