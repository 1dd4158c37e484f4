package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// crossField are the rules that compare with another field of the same struct.
var crossField = map[string]bool{
	"eqfield": true, "nefield": true, "gtfield": true, "gtefield": true, "ltfield": true, "ltefield": true,
	"fieldcontains": true, "fieldexcludes": true,
}

// fieldCheck is one of them.
type fieldCheck struct {
	rule  string
	field string // the Go name of the other one
	words string // for the message, followed by that field
}

func (r *Rules) addField(t reflect.Type, rule, param string, field bool) error {
	switch {
	case !field:
		return fmt.Errorf("rule %q: an element has no fields beside it", rule)
	case param == "" || strings.ContainsAny(param, ".|"):
		return fmt.Errorf("rule %q: it names one field of the same struct; compare others in a method Validate() error", rule)
	}
	contains := strings.HasPrefix(rule, "field")
	ordered := !contains && rule != "eqfield" && rule != "nefield"
	c := classOf(t)
	switch {
	case c == other, c == list, contains && c != text, ordered && c == boolean:
		return doesNotFit(rule, t)
	}
	r.fields = append(r.fields, fieldCheck{rule: rule, field: param, words: fieldWords(rule, c)})
	return nil
}

// Fields are the names of the Go fields of the same struct that the rules compare
// with.
func (r *Rules) Fields() (names []string) {
	if r == nil {
		return nil
	}
	for _, c := range r.fields {
		if !slices.Contains(names, c.field) {
			names = append(names, c.field)
		}
	}
	return names
}

// CheckFields reports each rule that v breaks beside the other fields of parent,
// the struct that holds it. A missing or null one, of a pointer or an optional
// type, is no equal, and there is nothing else to break beside it. Rules about the
// skipped fields are left out.
func (r *Rules) CheckFields(v, parent reflect.Value, report func(code, message string), skip ...string) {
	if r == nil || len(r.fields) == 0 {
		return
	}
	v, ok := plain(v)
	if !ok {
		return
	}
	parent, _, ok = target(parent)
	if !ok {
		return
	}
	for _, c := range r.fields {
		f, exists := parent.Type().FieldByName(c.field)
		if !exists || slices.Contains(skip, c.field) {
			continue
		}
		sibling, err := parent.FieldByIndexErr(f.Index)
		there := err == nil
		if there {
			sibling, there = plain(sibling)
		}
		switch {
		case !there && c.rule != "eqfield":
		case there && holdsBeside(v.Interface(), sibling.Interface(), c.rule):
		default:
			report(c.rule, c.words+" "+clientName(f))
		}
	}
}

// plain follows pointers and optional types; ok is false when there is no value.
func plain(v reflect.Value) (_ reflect.Value, ok bool) {
	for {
		if v, _, ok = target(v); !ok {
			return v, false
		}
		if _, optional := Optional(v.Type()); !optional {
			return v, true
		}
		if !v.FieldByName("Set").Bool() || v.FieldByName("Null").Bool() {
			return v, false
		}
		v = v.FieldByName("Value")
	}
}

// clientName is what the client calls the field.
func clientName(f reflect.StructField) string {
	for _, tag := range []string{"json", "path", "query", "header", "cookie", "form", "file"} {
		if name, _, _ := strings.Cut(f.Tag.Get(tag), ","); name != "" && name != "-" {
			return name
		}
	}
	return f.Name
}
