package jsonvalue

import (
	"strconv"
	"strings"

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

// add tells a fault of the value where the path leads.
func (f *faults) add(nodes []node, code, message string) {
	f.count++
	if len(f.list) < maxFaults {
		f.list = append(f.list, Fault{Pointer: f.pointer(nodes), Code: code, Message: message})
	}
}

// pointer is where the path leads, or the deepest value on it that can be told
// shortly.
func (f *faults) pointer(nodes []node) string {
	d := Document{data: f.d.data, nodes: nodes}
	var b strings.Builder
	for _, s := range f.path {
		token := ""
		if s.name == 0 {
			token = strconv.FormatUint(uint64(s.index), 10)
		} else if token = d.str(s.name); len(token) > maxToken {
			break
		}
		if token = jsonpointer.New(token); b.Len()+len(token) > maxPointer {
			break
		}
		b.WriteString(token)
	}
	return b.String()
}

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
	f.add(nodes, "required", "Field is required")
	if last := len(f.list) - 1; f.count == len(f.list) {
		f.list[last].Pointer += jsonpointer.New(name)
	}
}
