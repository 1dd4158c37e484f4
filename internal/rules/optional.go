package rules

import "reflect"

// Optional tells a type whose value may be missing or null, such as api.Opt, by its
// form: it has a method OptionalType() reflect.Type and the fields Set and Null,
// both bool, and Value, whose type is returned.
func Optional(t reflect.Type) (value reflect.Type, ok bool) {
	if t.Kind() != reflect.Struct || t.NumField() != 3 || !t.Implements(reflect.TypeFor[interface{ OptionalType() reflect.Type }]()) {
		return nil, false
	}
	for i, name := range []string{"Set", "Null"} {
		if f := t.Field(i); f.Name != name || f.Type.Kind() != reflect.Bool {
			return nil, false
		}
	}
	f := t.Field(2)
	return f.Type, f.Name == "Value"
}
