package jsonvalue

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/sallyport-go/sallyport/internal/rules"
)

// found is a field that is to be a member.
type found struct {
	Field
	parent reflect.Type // nil in the outer struct of NewStructBinder
	name   string
	tagged bool
	level  int // of embedding
}

func structFields(t reflect.Type) []Field {
	fields := make([]Field, t.NumField())
	for i := range fields {
		fields[i] = Field{Index: []int{i}, Struct: t.Field(i)}
	}
	return fields
}

// object plans the members of an object.
func (c *compiler) object(p *structPlan, fields []Field, at string) {
	all := c.flatten(fields, at)
	p.allowUnknown = c.options.AllowUnknown
	p.names = make(map[string]int, len(all))
	for _, f := range all {
		place := strings.TrimPrefix(at+"."+f.Struct.Name, ".")
		m := c.member(f, place)
		if m.fields != nil {
			m.beside = c.siblings(m.fields, f, all, place)
			p.comparing = append(p.comparing, len(p.members))
		}
		p.names[f.name] = len(p.members)
		p.members = append(p.members, m)
	}
}

// flatten finds the members among the fields and those of embedded structs. As in
// Go, and in encoding/json, one that is less deep hides the others with its name;
// at the same depth one with a tag does.
func (c *compiler) flatten(fields []Field, at string) []found {
	var level []found
	for _, f := range fields {
		level = append(level, found{Field: f})
	}
	byName := map[string]found{}
	seen := map[reflect.Type]bool{}
	for depth := 0; len(level) > 0; depth++ {
		var deeper []found
		var types []reflect.Type
		for _, f := range level {
			f.level = depth
			if t, ok := c.embedded(&f, at); ok {
				if !seen[t] {
					types = append(types, t)
					for _, inner := range structFields(t) {
						inner.Index = slices.Concat(f.Index, inner.Index)
						deeper = append(deeper, found{Field: inner, parent: t})
					}
				}
				continue
			}
			if f.name != "" {
				c.keep(byName, f, at)
			}
		}
		for _, t := range types {
			seen[t] = true
		}
		level = deeper
	}
	all := make([]found, 0, len(byName))
	for _, f := range byName {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b found) int { return slices.Compare(a.Index, b.Index) })
	return all
}

// keep takes the field as the member of its name, unless another one hides it.
func (c *compiler) keep(byName map[string]found, f found, at string) {
	other, taken := byName[f.name]
	switch {
	case taken && other.level < f.level, taken && other.tagged && !f.tagged:
		return
	case taken && other.tagged == f.tagged:
		c.mistake(at, "the fields %s and %s are both named %q", other.Struct.Name, f.Struct.Name, f.name)
	}
	byName[f.name] = f
}

// embedded reads the name of the field, "" of one that is no member, or returns the
// struct whose fields stand in its place.
func (c *compiler) embedded(f *found, at string) (t reflect.Type, ok bool) {
	tag := f.Struct.Tag.Get(c.options.TagName)
	if tag == "-" {
		return nil, false
	}
	name, options, _ := strings.Cut(tag, ",")
	place := strings.TrimPrefix(at+"."+f.Struct.Name, ".")
	if slices.Contains(strings.Split(options, ","), "string") {
		c.mistake(place, `the option "string" is not read: a number is a number`)
	}
	if f.Struct.Anonymous && name == "" {
		t, pointer := f.Struct.Type, false
		if t.Kind() == reflect.Pointer {
			t, pointer = t.Elem(), true
		}
		if t.Kind() == reflect.Struct {
			if pointer && !f.Struct.IsExported() {
				c.mistake(place, "an embedded pointer to an unexported type cannot be set")
				return nil, false
			}
			return t, true
		}
	}
	if !f.Struct.IsExported() {
		return nil, false
	}
	if strings.ContainsFunc(name, badInName) {
		c.mistake(place, "encoding/json does not write the name %q", name)
	}
	f.name, f.tagged = name, name != ""
	if name == "" {
		f.name = f.Struct.Name
	}
	return nil, false
}

// badInName tells the characters that make encoding/json ignore a name.
func badInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
}

// member plans one.
func (c *compiler) member(f found, at string) member {
	m := member{name: f.name, index: f.Index}
	r := c.tagged(&m, f.Struct.Type, f.Struct.Tag, at, at)
	if len(r.Fields()) > 0 {
		m.fields = r
	}
	return m
}

// tagged plans the values of a type by the tags beside it, which are at a place
// that may be another one than that of the type.
func (c *compiler) tagged(m *member, t reflect.Type, tag reflect.StructTag, at, typeAt string) *rules.Rules {
	r, err := rules.Compile(valueType(t), tag.Get("validate"))
	if err != nil {
		c.mistake(at, "%w", err)
	}
	m.required = r.Required()
	tr := traits{rules: r, enum: tag.Get("enum"), format: tag.Get("format")}
	mistakes := len(c.mistakes)
	if _, ok := tag.Lookup("enum"); ok && tr.enum == "" {
		c.mistake(at, `enum "": it allows nothing`)
	}
	m.value = c.value(t, tr, typeAt)
	text, ok := tag.Lookup("default")
	_, optional := rules.Optional(t)
	switch {
	case !ok || len(c.mistakes) > mistakes: // a default is read by the plan
	case m.required:
		c.mistake(at, "a required field has no default")
	case optional:
		c.mistake(at, "an optional type tells that nothing was sent, so it has no default")
	default:
		if m.absent, err = newPreset(&m.value, t, tr.format, text); err != nil {
			c.mistake(at, "default %q: %w", text, err)
		}
	}
	return r
}

// valueType is the type without pointers and the optional type. It still is a
// pointer where they have no end, as in "type P *P".
func valueType(t reflect.Type) reflect.Type {
	for range 10 {
		if elem, ok := rules.Optional(t); ok {
			t = elem
		} else if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return t
}

// siblings checks the fields that a rule compares with, and returns those that are
// members.
func (c *compiler) siblings(r *rules.Rules, f found, all []found, at string) (members []beside) {
	own := valueType(f.Struct.Type)
	for _, name := range r.Fields() {
		sibling, err := f.sibling(name, all)
		index := slices.Concat(f.Index[:len(f.Index)-1], sibling.Index)
		for k, other := range all {
			if slices.Equal(other.Index, index) {
				members = append(members, beside{name, k})
			}
		}
		switch t := valueType(sibling.Type); {
		case err != nil:
			c.mistake(at, "%w", err)
		case own.Kind() != t.Kind(), own.Kind() == reflect.Struct && !t.ConvertibleTo(timeType):
			c.mistake(at, "%v is not compared with %s, which is %v", own, name, t)
		}
	}
	return members
}

// sibling is the exported field of the same struct.
func (f *found) sibling(name string, all []found) (reflect.StructField, error) {
	if f.parent != nil {
		if s, ok := f.parent.FieldByName(name); ok && s.IsExported() {
			return s, nil
		}
	}
	for _, other := range all {
		if other.Struct.Name == name && slices.Equal(other.Index[:len(other.Index)-1], f.Index[:len(f.Index)-1]) {
			s := other.Struct
			s.Index = other.Index[len(other.Index)-1:] // of an outer struct that is not known
			return s, nil
		}
	}
	return reflect.StructField{Type: f.Struct.Type}, fmt.Errorf("there is no field %s to compare with", name)
}
