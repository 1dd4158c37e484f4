package jsonvalue

import (
	"reflect"

	"github.com/sallyport-go/sallyport/internal/rules"
)

// structPlan reads an object into the fields of a struct.
type structPlan struct {
	members      []member
	names        map[string]int // to members
	allowUnknown bool
	comparing    []int // the members with rules about other fields
}

type member struct {
	name     string
	index    []int
	value    value
	required bool
	absent   *preset      // of a missing member
	fields   *rules.Rules // those about other fields; nil has none
	beside   []beside     // the members that these name
}

// beside is a field that a rule of another one names.
type beside struct {
	field  string
	member int
}

// memberSet has one bit for each member of an object.
type memberSet []uint64

func (s memberSet) add(k int)      { s[k/64] |= 1 << (k % 64) }
func (s memberSet) has(k int) bool { return s[k/64]&(1<<(k%64)) != 0 }

func (p *structPlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	if n.kind != kindObject {
		s.wrong(i, "object")
		return
	}
	var few [2]uint64
	words := (len(p.members) + 63) / 64
	there, wrong := memberSet(few[:1]), memberSet(few[1:])
	if words > 1 {
		there, wrong = make(memberSet, words), make(memberSet, words)
	}
	for name := i + 1; name < n.next && !s.faults.full(); name = s.d.nodes[name].next {
		k, ok := p.find(s.d, name)
		if !ok && p.allowUnknown {
			continue
		}
		s.faults.enter(step{name: name})
		if ok {
			there.add(k)
			m, before := &p.members[k], s.faults.count
			if m.value.bind(s, name+1, field(dst, m.index)); s.faults.count != before {
				wrong.add(k)
			}
		} else {
			s.fault("unknown", "Field is unknown")
		}
		s.faults.leave()
	}
	if s.faults.full() {
		return
	}
	for k := range p.members {
		if there.has(k) {
			continue
		}
		if m := &p.members[k]; m.required {
			s.faults.missing(s.d.nodes, m.name)
			wrong.add(k)
		} else if m.absent != nil {
			m.absent.set(field(dst, m.index))
		}
	}
	p.compare(s, i, there, wrong, dst)
}

// find is the member with the name at the node.
func (p *structPlan) find(d *Document, name uint32) (member int, ok bool) {
	if d.nodes[name].escaped {
		member, ok = p.names[d.str(name)]
		return member, ok
	}
	member, ok = p.names[string(d.text(name))]
	return member, ok
}

// compare runs the rules about other fields for the members that were sent, where
// nothing is wrong with either.
func (p *structPlan) compare(s *state, object uint32, there, wrong memberSet, dst reflect.Value) {
	for _, k := range p.comparing {
		if !there.has(k) || wrong.has(k) {
			continue
		}
		m := &p.members[k]
		var skip []string
		for _, b := range m.beside {
			if wrong.has(b.member) {
				skip = append(skip, b.field)
			}
		}
		parent := field(dst, m.index[:len(m.index)-1])
		s.faults.enter(step{name: p.node(s.d, object, k)})
		m.fields.CheckFields(field(dst, m.index), parent, s.reporter(), skip...)
		s.faults.leave()
	}
}

// node is that of the name of a member that was sent.
func (p *structPlan) node(d *Document, object uint32, member int) uint32 {
	for name := object + 1; name < d.nodes[object].next; name = d.nodes[name].next {
		if k, ok := p.find(d, name); ok && k == member {
			return name
		}
	}
	return 0
}

// field is the field at the index. It makes the embedded pointers on the way.
func field(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}
