package jsonvalue

import (
	"reflect"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// pointerPlan takes null as nil.
type pointerPlan struct {
	t    reflect.Type // what it points to
	elem value
}

func (p *pointerPlan) bind(s *state, i uint32, dst reflect.Value) {
	if s.d.nodes[i].kind == kindNull {
		return
	}
	v := reflect.New(p.t)
	p.elem.bind(s, i, v.Elem())
	dst.Set(v)
}

// optionalPlan fills a type that keeps missing and null apart.
type optionalPlan struct{ elem value }

func (p *optionalPlan) bind(s *state, i uint32, dst reflect.Value) {
	dst.Field(0).SetBool(true)
	if s.d.nodes[i].kind == kindNull {
		dst.Field(1).SetBool(true)
		return
	}
	p.elem.bind(s, i, dst.Field(2))
}

type slicePlan struct {
	empty reflect.Value
	elem  value
}

func (p *slicePlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	switch {
	case n.kind != kindArray:
		s.wrong(i, "array")
	case n.size == 0:
		dst.Set(p.empty) // not nil: it has been sent
	default:
		dst.Grow(int(n.size))
		dst.SetLen(int(n.size))
		s.elements(i, &p.elem, dst)
	}
}

// arrayPlan wants exactly as many elements as the array has.
type arrayPlan struct {
	length int
	elem   value
}

func (p *arrayPlan) bind(s *state, i uint32, dst reflect.Value) {
	switch n := s.d.nodes[i]; {
	case n.kind != kindArray:
		s.wrong(i, "array")
	case int(n.size) != p.length:
		s.fault("len", "must have exactly "+strconv.Itoa(p.length)+" items")
	default:
		s.elements(i, &p.elem, dst)
	}
}

// elements fills those of a slice or an array.
func (s *state) elements(i uint32, elem *value, dst reflect.Value) {
	end := s.d.nodes[i].next
	for e, index := i+1, 0; e < end; e, index = s.d.nodes[e].next, index+1 {
		s.faults.enter(step{index: uint32(index)})
		elem.bind(s, e, dst.Index(index))
		s.faults.leave()
	}
}

type mapPlan struct {
	t    reflect.Type
	key  *textvalue.Codec
	keys *rules.Rules
	elem value
}

func (p *mapPlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	if n.kind != kindObject {
		s.wrong(i, "object")
		return
	}
	m := reflect.MakeMapWithSize(p.t, int(n.size))
	for name := i + 1; name < n.next; name = s.d.nodes[name].next {
		s.faults.enter(step{name: name})
		p.member(s, name, m)
		s.faults.leave()
	}
	dst.Set(m)
}

func (p *mapPlan) member(s *state, name uint32, m reflect.Value) {
	key, v := reflect.New(p.t.Key()).Elem(), reflect.New(p.t.Elem()).Elem()
	switch {
	case !p.key.Set(key, s.d.str(name)):
		s.fault("type", "Name has invalid type. Expected "+p.key.Expected()+".")
		return
	case m.MapIndex(key).IsValid(): // "1" and "01" as integers
		s.fault("duplicate", "Field occurs more than once")
		return
	}
	p.keys.Check(key, s.reporter())
	p.elem.bind(s, name+1, v)
	m.SetMapIndex(key, v)
}
