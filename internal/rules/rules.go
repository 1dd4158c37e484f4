// Package rules checks values by the rules of the struct tag "validate", in the
// language of github.com/go-playground/validator.
//
// It parts from validator where that would surprise a client: "required" is about
// presence, so 0, false and "" are values that have been sent; and all the rules
// that a value breaks are told, not the first.
package rules

import (
	"cmp"
	"reflect"
)

// Rules are those of one tag. They are immutable and safe for concurrent use; nil
// has none.
type Rules struct {
	required bool
	checks   []check
	fields   []fieldCheck
	elem     *Rules
	keys     *Rules
}

// check is one rule of a value.
type check struct {
	tag     string // in validator's words
	code    string
	message string
	omit    bool   // "omitempty": a zero value ends the checks
	bound   *bound // the rule without validator, nil when only that knows it
}

// Required reports whether the field has to be sent. No check asks it: 0, false
// and "" are values.
func (r *Rules) Required() bool { return r != nil && r.required }

// Elem are the rules of each element: what stands behind "dive".
func (r *Rules) Elem() *Rules {
	if r == nil {
		return nil
	}
	return r.elem
}

// Keys are the rules of each key: what stands between "keys" and "endkeys".
func (r *Rules) Keys() *Rules {
	if r == nil {
		return nil
	}
	return r.keys
}

// Check reports each rule that v itself breaks: code is the rule's name, message
// says in plain words what holds of a good value. A pointer stands for what it
// points to; nil breaks nothing.
func (r *Rules) Check(v reflect.Value, report func(code, message string)) {
	r.check(v, false, report)
}

// CheckSize reports the rules that a slice or map of n elements breaks by their
// number alone, and whether it keeps all of these. It is for elements that are not
// read yet; CheckContent asks the other rules. Since the list has been sent,
// "omitempty" ends nothing.
func (r *Rules) CheckSize(n int, report func(code, message string)) (ok bool) {
	if r == nil {
		return true
	}
	ok = true
	for i := range r.checks {
		if c := &r.checks[i]; c.ofSize() && !c.bound.holdsN(cmp.Compare(int64(n), c.bound.i)) {
			ok = false
			report(c.code, c.message)
		}
	}
	return ok
}

// CheckContent is Check without the rules of CheckSize.
func (r *Rules) CheckContent(v reflect.Value, report func(code, message string)) {
	r.check(v, true, report)
}

func (r *Rules) check(v reflect.Value, contentAlone bool, report func(code, message string)) {
	if r == nil || len(r.checks) == 0 {
		return
	}
	v, pointer, ok := target(v)
	if !ok {
		return
	}
	var boxed any
	for i := range r.checks {
		c := &r.checks[i]
		switch {
		case contentAlone && c.ofSize():
			continue
		case c.omit:
			if !pointer && v.IsZero() { // a pointer says that the value is meant
				return
			}
			continue
		case c.bound != nil:
			if c.bound.holds(v) {
				continue
			}
		default:
			if boxed == nil {
				boxed = v.Interface()
			}
			if holds(boxed, c.tag) {
				continue
			}
		}
		report(c.code, c.message)
	}
}

// ofSize tells a limit of the number of elements.
func (c *check) ofSize() bool { return c.bound != nil && c.bound.class == list }

// target follows pointers; ok is false at a nil one.
func target(v reflect.Value) (_ reflect.Value, pointer, ok bool) {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return v, true, false
		}
		v, pointer = v.Elem(), true
	}
	return v, pointer, v.IsValid()
}

// Tags are the rules of the value itself as the tag has them, "min=3", with
// "omitempty" where a zero value ends the checks.
func (r *Rules) Tags() []string {
	if r == nil {
		return nil
	}
	var tags []string
	for _, c := range r.checks {
		if c.omit {
			tags = append(tags, "omitempty")
		} else {
			tags = append(tags, c.tag)
		}
	}
	return tags
}
