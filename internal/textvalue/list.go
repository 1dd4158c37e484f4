package textvalue

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Split takes a list in a struct tag apart, "a,b". Without a text it has no
// entries. Spaces around an entry are a mistake: nobody sees whether they are meant.
func Split(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	entries := strings.Split(list, ",")
	for _, entry := range entries {
		if strings.TrimSpace(entry) != entry {
			return nil, fmt.Errorf("drop the spaces around %q", entry)
		}
	}
	return entries, nil
}

// Enum is a list of allowed values. It is immutable and safe for concurrent use.
type Enum struct {
	codec   *Codec
	entries []string
	message string
	values  []reflect.Value
	texts   []string // of values that are not compared by ==
}

// Enum reads the struct tag "enum" of a value, or of the elements of a list:
// "a,b". The error is a mistake of the program: no entries, spaces around one, one
// that is none of the type, or a type whose values cannot be told apart, since it
// does not write what it has read.
func (c *Codec) Enum(tag string) (*Enum, error) {
	e := &Enum{codec: c}
	var err error
	if e.entries, err = Split(tag); err == nil {
		err = e.read()
	}
	if err != nil {
		return nil, fmt.Errorf("enum %q: %w", tag, err)
	}
	e.message = "must be one of: " + strings.Join(e.entries, ", ")
	return e, nil
}

func (e *Enum) read() error {
	c := e.codec
	switch {
	case len(e.entries) == 0:
		return errors.New("it allows nothing")
	case !c.CanWrite():
		return fmt.Errorf("the values of %v are not told apart without a method MarshalText", c.t)
	}
	for _, entry := range e.entries {
		v, again := reflect.New(c.t).Elem(), reflect.New(c.t).Elem()
		if !c.Set(v, entry) {
			return errors.New("it has an entry that is no " + c.expected)
		}
		if !c.Set(again, c.Text(v)) || !reflect.DeepEqual(again.Interface(), v.Interface()) {
			return fmt.Errorf("%v does not write %q so that it reads the same again", c.t, entry)
		}
		e.values = append(e.values, v)
		if !basic(c.t.Kind()) {
			e.texts = append(e.texts, c.Text(v))
		}
	}
	return nil
}

// Entries are the texts of the tag, which must not be changed.
func (e *Enum) Entries() []string { return e.entries }

// Message says what holds of a good value.
func (e *Enum) Message() string { return e.message }

// Has reports whether v, of the codec's type, is allowed.
func (e *Enum) Has(v reflect.Value) bool {
	if e.texts == nil {
		return slices.ContainsFunc(e.values, v.Equal)
	}
	return slices.Contains(e.texts, e.codec.Text(v))
}

// basic kinds are compared by ==.
func basic(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Float64 || k == reflect.String
}
