// Package part looks at the parts that a program brings along, handlers,
// storages, loggers and the rest, without trusting them: a nil inside an
// interface, a method that panics, an error whose text panics.
package part

import (
	"errors"
	"fmt"
	"reflect"
)

// IsNil reports whether there is nothing in v, or a nil pointer or function
// inside of it. A nil map or slice is as good as an empty one.
func IsNil(v any) bool {
	if v == nil {
		return true
	}
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Pointer, reflect.Func:
		return value.IsNil()
	default:
		return false
	}
}

// Text is v as text, whatever its methods do.
func Text(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T, whose text panics", v)
		}
	}()
	return fmt.Sprint(v)
}

// Ask calls a method of a part while a program is built. A panic is its error.
func Ask(ask func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("it panics: %s", Text(v))
		}
	}()
	return ask()
}

// Mistakes are those of a part. A part that is not there has none; one that is
// nil inside of its interface is a mistake itself.
func Mistakes(p any) error {
	switch {
	case p == nil:
		return nil
	case IsNil(p):
		return fmt.Errorf("it is a nil %T", p)
	}
	if v, ok := p.(interface{ Validate() error }); ok {
		return Ask(v.Validate)
	}
	return nil
}

// Validate is Mistakes with what in front of each.
func Validate(what string, p any) error { return Within(what, Mistakes(p)) }

// Within puts what in front of each mistake in err.
func Within(what string, err error) error {
	var errs []error
	for _, e := range Flatten(err) {
		errs = append(errs, fmt.Errorf("%s: %w", what, e))
	}
	return errors.Join(errs...)
}

// Flatten takes joined errors apart, nested ones too. An error that wraps
// several in a text of its own is one mistake.
func Flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !ok || reflect.TypeOf(err) != joinedErrors:
		return []error{err}
	}
	var errs []error
	for _, e := range joined.Unwrap() {
		errs = append(errs, Flatten(e)...)
	}
	return errs
}

var joinedErrors = reflect.TypeOf(errors.Join(errors.ErrUnsupported))
