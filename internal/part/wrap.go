package part

import (
	"errors"
	"fmt"
	"reflect"
)

// maxWrappers bounds how deep wrappers may stand in each other: what goes deeper
// unwraps to itself.
const maxWrappers = 100

// Unwrapped is a part and all those that it wraps, from the outside.
func Unwrapped[T any](outer T) (parts []T, err error) {
	for p := outer; !IsNil(p); {
		if len(parts) == maxWrappers {
			return parts, errors.New("Unwrap never ends")
		}
		parts = append(parts, p)
		w, wraps := any(p).(interface{ Unwrap() T })
		if !wraps {
			break
		}
		if err = Ask(func() error { p = w.Unwrap(); return nil }); err != nil {
			return parts, fmt.Errorf("Unwrap: %w", err)
		}
	}
	return parts, nil
}

// Hidden is the mistake of a part that embeds another one of its kind as an
// interface, so that the optional methods of that one are not promoted, and does
// not unwrap it. lost tells what its owner misses then.
func Hidden[T any](p T, lost string) error {
	kind := reflect.TypeFor[T]()
	if _, unwraps := any(p).(interface{ Unwrap() T }); unwraps || IsNil(p) || !embeds(reflect.TypeOf(p), kind, map[reflect.Type]bool{}) {
		return nil
	}
	return fmt.Errorf("%T embeds an %s, so the %s of that one would be lost: give it a method Unwrap() %[2]s", p, kind, lost)
}

// embeds reports whether a struct embeds an interface that has the methods of kind.
func embeds(t, kind reflect.Type, seen map[reflect.Type]bool) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return false
	}
	seen[t] = true
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && (f.Type.Kind() == reflect.Interface && f.Type.Implements(kind) || embeds(f.Type, kind, seen)) {
			return true
		}
	}
	return false
}
