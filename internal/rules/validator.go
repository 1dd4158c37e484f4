package rules

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

// engine is shared: it keeps the parsed tags, and is safe for concurrent use.
var engine = sync.OnceValue(func() *validator.Validate { return validator.New() })

// holds reports whether the value keeps the rule. Validator panics on what it does
// not expect in a value; such a one does not.
func holds(value any, tag string) (ok bool) {
	return try(func() { ok = engine().Var(value, tag) == nil }) == nil && ok
}

// holdsBeside is holds for a rule about another value.
func holdsBeside(value, other any, tag string) (ok bool) {
	return try(func() { ok = engine().VarWithValue(value, other, tag) == nil }) == nil && ok
}

// known reports whether validator has the rule.
func known(name string) bool {
	err := try(func() { _ = engine().Var("", name) })
	return err == nil || !strings.HasPrefix(err.Error(), "Undefined validation")
}

// tryRule runs the rule on values of the type: validator panics on rules that it
// does not know, on types that a rule does not take and on wrong parameters.
func tryRule(t reflect.Type, tag string) error {
	for _, v := range samples(t) {
		err := try(func() { _ = engine().Var(v, tag) })
		switch {
		case err == nil:
		case strings.HasPrefix(err.Error(), "Undefined validation"), strings.HasPrefix(err.Error(), "Invalid validation"):
			return fmt.Errorf("rule %q is unknown", tag)
		default:
			return fmt.Errorf("rule %q does not fit the type %v, or its parameter is wrong: %w", tag, t, err)
		}
	}
	return nil
}

func try(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	f()
	return nil
}

// samples are the zero value and one that has something inside: some rules look at
// their parameter, or at the type of the elements, only then.
func samples(t reflect.Type) []any {
	all := []any{reflect.Zero(t).Interface()}
	switch t.Kind() {
	case reflect.String:
		all = append(all, reflect.ValueOf("a").Convert(t).Interface())
	case reflect.Slice:
		v := reflect.MakeSlice(t, 1, 1)
		if e := t.Elem(); e.Kind() == reflect.Pointer {
			v.Index(0).Set(reflect.New(e.Elem()))
		}
		all = append(all, v.Interface())
	case reflect.Map:
		v := reflect.MakeMap(t)
		if k := reflect.Zero(t.Key()); t.Key().Kind() != reflect.Interface {
			v.SetMapIndex(k, reflect.Zero(t.Elem()))
		}
		all = append(all, v.Interface())
	}
	return all
}
