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
}

func (p *structPlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	if n.kind != kindObject {
		s.wrong(i, "object")
		return
	}
	before := s.faults.count
	var few [1]uint64 // the members that are there, as bits
	there := few[:]
	if len(p.members) > 64 {
		there = make([]uint64, (len(p.members)+63)/64)
	}
	for name := i + 1; name < n.next; name = s.d.nodes[name].next {
		k, ok := p.find(s.d, name)
		if !ok && p.allowUnknown {
			continue
		}
		s.faults.enter(step{name: name})
		if ok {
			there[k/64] |= 1 << (k % 64)
			m := &p.members[k]
			m.value.bind(s, name+1, field(dst, m.index))
		} else {
			s.fault("unknown", "Field is unknown")
		}
		s.faults.leave()
	}
	for k := range p.members {
		if there[k/64]&(1<<(k%64)) == 0 {
			p.missing(s, &p.members[k], dst)
		}
	}
	if s.faults.count == before {
		p.compare(s, i, there, dst)
	}
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

// missing makes do without a member.
func (p *structPlan) missing(s *state, m *member, dst reflect.Value) {
	switch {
	case m.required:
		s.faults.missing(s.d.nodes, m.name)
	case m.absent != nil:
		m.absent.set(field(dst, m.index))
	}
}

// compare runs the rules about other fields for the members that were sent.
func (p *structPlan) compare(s *state, object uint32, there []uint64, dst reflect.Value) {
	for _, k := range p.comparing {
		if there[k/64]&(1<<(k%64)) == 0 {
			continue
		}
		m := &p.members[k]
		parent := field(dst, m.index[:len(m.index)-1])
		s.faults.enter(step{name: p.node(s.d, object, k)})
		m.fields.CheckFields(field(dst, m.index), parent, s.reporter())
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
