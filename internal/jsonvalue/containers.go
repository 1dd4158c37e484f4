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
	t     reflect.Type
	empty reflect.Value
	rules *rules.Rules // of the number of elements
	elem  value
}

// A slice grows with its elements: a short text may claim many of a large type, and
// then have something else in their place.
const (
	firstElements = 128
	growth        = 8
)

func (p *slicePlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	size := int(n.size)
	switch {
	case n.kind != kindArray:
		s.wrong(i, "array")
	case !p.rules.CheckSize(size, s.reporter()):
		p.sample(s, i)
	case size == 0:
		dst.Set(p.empty) // not nil: it has been sent
	default:
		length := min(size, firstElements)
		dst.Grow(length)
		dst.SetLen(length)
		s.elements(i, size, func(e uint32, index int) {
			if index == length {
				length = min(size, length*growth)
				longer := reflect.MakeSlice(p.t, length, length)
				reflect.Copy(longer, dst)
				dst.Set(longer)
			}
			p.elem.bind(s, e, dst.Index(index))
		})
	}
}

// sample tells the faults in the first elements of a list that is refused anyway.
func (p *slicePlan) sample(s *state, i uint32) {
	v := reflect.New(p.t.Elem()).Elem()
	s.elements(i, maxFaults, func(e uint32, _ int) {
		v.SetZero()
		p.elem.bind(s, e, v)
	})
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
		s.elements(i, p.length, func(e uint32, index int) { p.elem.bind(s, e, dst.Index(index)) })
	}
}

// elements calls do for the first elements of an array, until nothing more is told.
func (s *state) elements(i uint32, most int, do func(e uint32, index int)) {
	end := s.d.nodes[i].next
	for e, index := i+1, 0; e < end && index < most && !s.faults.full(); e, index = s.d.nodes[e].next, index+1 {
		s.faults.enter(step{index: uint32(index)})
		do(e, index)
		s.faults.leave()
	}
}

type mapPlan struct {
	t     reflect.Type
	rules *rules.Rules // of the number of members
	key   *textvalue.Codec
	keys  *rules.Rules
	elem  value
}

func (p *mapPlan) bind(s *state, i uint32, dst reflect.Value) {
	n := s.d.nodes[i]
	if n.kind != kindObject {
		s.wrong(i, "object")
		return
	}
	most := int(n.size)
	if !p.rules.CheckSize(most, s.reporter()) {
		most = min(most, maxFaults) // it is refused anyway
	}
	m := reflect.MakeMapWithSize(p.t, min(most, firstElements))
	for name, k := i+1, 0; name < n.next && k < most && !s.faults.full(); name, k = s.d.nodes[name].next, k+1 {
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
