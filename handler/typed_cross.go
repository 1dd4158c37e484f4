package handler

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// crossRule are the rules of a field that compare it with its neighbors. They are
// asked when every field is there, and only of values that were sent. A neighbor
// that was not sent is no equal; there is nothing else to compare with. Members of
// a JSON body are the binder's.
type crossRule struct {
	field    field
	shape    shape
	parent   []int  // the struct that holds the field
	position int    // among the texts; -1: none of them
	others   []int  // the positions of the fields that it must be sent with
	name     string // in faults
}

// addCross plans the rules of a field that look at others.
func (p *planner) addCross(f *field, s shape, position int) {
	if f.rules == nil || len(f.rules.Fields()) == 0 {
		return
	}
	for _, name := range f.rules.Fields() {
		other, ok := f.parent.FieldByName(name)
		if !ok || !other.IsExported() {
			p.mistake(f.at, fmt.Errorf("there is no field %s to compare with", name))
			return
		}
		if t := shapeOf(other.Type).inner; t.Kind() != s.inner.Kind() {
			p.mistake(f.at, fmt.Errorf("a %s is not compared with %s, which is a %s", s.inner, name, t))
			return
		}
	}
	p.plan.cross = append(p.plan.cross, crossRule{
		field: *f, shape: s, parent: f.index[:len(f.index)-1], position: position, name: crossName(f),
	})
}

// findOthers connects the rules with the texts that they look at.
func (p *planner) findOthers() {
	for i := range p.plan.cross {
		c := &p.plan.cross[i]
		if strings.Contains(","+c.field.tags[tagValidate], ",eqfield=") {
			continue
		}
		for _, name := range c.field.rules.Fields() {
			other, _ := c.field.parent.FieldByName(name)
			index := append(append([]int{}, c.parent...), other.Index...)
			for _, t := range p.plan.texts {
				if reflect.DeepEqual(t.index, index) {
					c.others = append(c.others, t.position)
				}
			}
		}
	}
}

func (c *crossRule) check(b *binding) {
	if c.position >= 0 && !b.sent[c.position] {
		return
	}
	for _, position := range c.others {
		if !b.sent[position] {
			return
		}
	}
	v, ok := c.shape.current(b.in.FieldByIndex(c.field.index))
	if !ok {
		return
	}
	c.field.rules.CheckFields(v, b.in.FieldByIndex(c.parent), b.faults.reporter(c.field.source, c.name))
}

// crossName is the name of the field in faults.
func crossName(f *field) string {
	switch f.source {
	case api.InJSON, api.InRaw:
		return ""
	}
	return f.name
}
