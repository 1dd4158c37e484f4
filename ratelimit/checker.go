package ratelimit

import (
	"errors"
	"fmt"
	"maps"
	"reflect"

	"github.com/sallyport-go/sallyport/internal/part"
)

// checker asks parts for their mistakes. It knows the pointers that it has
// asked, and whether they were faulty: what several policies share is reported
// once.
type checker map[any]bool

// errReported stands for mistakes that were reported before.
var errReported = errors.New("it was reported before")

// unreported leaves out what stands for mistakes that were reported before.
func unreported(err error) error {
	var errs []error
	for _, e := range part.Flatten(err) {
		if !errors.Is(e, errReported) {
			errs = append(errs, e)
		}
	}
	return errors.Join(errs...)
}

func (c checker) clone() checker {
	if c == nil {
		return checker{}
	}
	return maps.Clone(c)
}

// part puts what in front of each mistake of p.
func (c checker) part(what string, p any) error { return c.ask(what, p, nil) }

// ask also asks what a valid part of its kind is asked at build.
func (c checker) ask(what string, p any, more func() error) error {
	known := isPointer(p) && !part.IsNil(p)
	if known {
		if faulty, asked := c[p]; faulty {
			return errReported
		} else if asked {
			return nil
		}
	}
	err := part.Validate(what, p)
	if err == nil && p != nil && more != nil {
		err = part.Within(what, part.Ask(more))
	}
	if known {
		c[p] = err != nil
	}
	return err
}

// key also asks whether the key needs the identity, as the build does.
func (c checker) key(what string, k Key) error {
	return c.ask(what, k, func() error {
		k.NeedsIdentity()
		return nil
	})
}

// algorithm also looks at the name, which is a part of those of the counters.
func (c checker) algorithm(a Algorithm) error {
	return c.ask("algorithm", a, func() error {
		if _, ok := a.(BuiltIn); ok {
			return nil
		}
		name := a.Name()
		if !isAlphanumeric(name) {
			return fmt.Errorf("name %q: letters and digits only", name)
		}
		for b := SlidingWindow; b.Validate() == nil; b++ {
			if name == b.Name() {
				return fmt.Errorf("name %q is that of a built-in one: they would read each other's counters", name)
			}
		}
		return nil
	})
}

func isAlphanumeric(name string) bool {
	for i := range len(name) {
		if !isLetterOrDigit(name[i]) {
			return false
		}
	}
	return name != ""
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isPointer keeps values of users out of comparisons, which may panic.
func isPointer(p any) bool {
	t := reflect.TypeOf(p)
	return t != nil && t.Kind() == reflect.Pointer
}
