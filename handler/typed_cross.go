package handler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// crossRule are the rules of a field that compare it with its neighbors. They are
// asked of values that were sent, when neither these nor the neighbors have a fault
// of their own. A neighbor that was not sent is no equal; there is nothing else to
// compare with. Members of a JSON body are the binder's.
type crossRule struct {
	field    field
	shape    shape
	parent   []int // the struct that holds the field
	position int   // as in the binding
	others   []neighbor
	name     string // in faults
}

// neighbor is a field that a rule looks at.
type neighbor struct {
	name     string
	position int
	equal    bool // it has to be equal, so it must have been sent
}

// ofBody is the position of the field that takes the body, until that is known.
const ofBody = -1

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

// findOthers connects the rules with the fields that they look at.
func (p *planner) findOthers() {
	for i := range p.plan.cross {
		c := &p.plan.cross[i]
		if c.position == ofBody {
			c.position = len(p.plan.texts)
		}
		tag := "," + c.field.tags[tagValidate] + ","
		for _, name := range c.field.rules.Fields() {
			other, _ := c.field.parent.FieldByName(name)
			if position := p.positionOf(slices.Concat(c.parent, other.Index)); position >= 0 {
				c.others = append(c.others, neighbor{name, position, strings.Contains(tag, ",eqfield="+name+",")})
			}
		}
	}
}

// positionOf is that of the field at the index; -1: it has none.
func (p *planner) positionOf(index []int) int {
	for _, t := range p.plan.texts {
		if slices.Equal(t.index, index) {
			return t.position
		}
	}
	inBody := p.plan.body != nil && slices.Equal(p.plan.body.at(), index)
	for _, m := range p.members {
		inBody = inBody || slices.Equal(m.Index, index)
	}
	if inBody {
		return len(p.plan.texts)
	}
	return -1
}

func (c *crossRule) check(b *binding) {
	if b.states[c.position] != sound {
		return
	}
	v, ok := c.shape.current(b.in.FieldByIndex(c.field.index))
	if !ok {
		return
	}
	var skip []string
	for _, n := range c.others {
		if s := b.states[n.position]; s == faulty || s == unsent && !n.equal {
			skip = append(skip, n.name)
		}
	}
	c.field.rules.CheckFields(v, b.in.FieldByIndex(c.parent), b.faults.reporter(c.field.source, c.name), skip...)
}

// crossName is the name of the field in faults.
func crossName(f *field) string {
	switch f.source {
	case api.InJSON, api.InRaw:
		return ""
	}
	return f.name
}
