package param

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/api"
)

// List is a parameter of several values; see [Value.Multi]. In a query and in a
// form they are sent as ids[]=1&ids[]=2, with names as ids[a]=1&ids[b]=2, or by
// repeating ids=1&ids=2. A lone ids=1 is no list and counts as not sent, and a
// list in the list, ids[][]=1, is a fault. A header has them in one or more lines,
// divided by commas; quotes mean nothing.
//
// The values come in the order of the request: first those without brackets, then
// those with empty ones, then those with names, numbers first. An empty text is an
// element of strings alone.
type List[T any] struct {
	d *declaration[T]
}

// Required makes it a fault that no value was sent. A default stands in for them.
func (l *List[T]) Required() *List[T] { l.d.required = true; return l }

// Default are the values when none were sent; none at all is an empty list.
func (l *List[T]) Default(values ...T) *List[T] { l.d.setDefault(values...); return l }

// Allowed are the only values that may be sent, compared as text. Further calls
// add to them.
func (l *List[T]) Allowed(values ...T) *List[T] { l.d.allow(values); return l }

// AllowedValues are those of Allowed with their descriptions.
func (l *List[T]) AllowedValues(values ...Choice[T]) *List[T] {
	l.d.choose(values)
	return l
}

// Description says what the parameter is for.
func (l *List[T]) Description(text string) *List[T] { l.d.description = text; return l }

// Example is an example with the name "default".
func (l *List[T]) Example(values ...T) *List[T] { return l.NamedExample(defaultExample, values...) }

// NamedExample adds an example.
func (l *List[T]) NamedExample(name string, values ...T) *List[T] {
	l.d.addExample(name, values)
	return l
}

// Format is that of each [time.Time]; see [Value.Format].
func (l *List[T]) Format(layout string) *List[T] { l.d.format = layout; return l }

// Validate adds rules of the list: "max=10,dive,min=1" has at most ten elements,
// each at least 1. What [Value.Validate] got before Multi holds of each, too.
func (l *List[T]) Validate(rules string) *List[T] { addRules(&l.d.whole, rules); return l }

// Get are the values, the default when none were sent, and otherwise nil. It
// panics when the handler's description does not have the parameter.
func (l *List[T]) Get(r *api.Request) []T {
	values, _ := l.Lookup(r)
	return values
}

// Lookup is Get; ok is false when no value was sent and there is no default.
func (l *List[T]) Lookup(r *api.Request) (values []T, ok bool) {
	return api.ParamValue[[]T](r, l.d.name)
}

// Named is Get by the names that were sent: "a" of ids[a]=1. Values without a
// name have the smallest numbers that are no names, in their order.
func (l *List[T]) Named(r *api.Request) map[string]T {
	values, ok := l.Lookup(r)
	if !ok {
		return nil
	}
	sent, _ := l.elements(r) // Read has found no fault
	if len(sent) == 0 {      // the default
		sent = make([]element, len(values))
	}
	named := make(map[string]T, len(values))
	for i, e := range sent {
		if e.name != "" {
			named[e.name] = values[i]
		}
	}
	next := 0
	for i, e := range sent {
		if e.name != "" {
			continue
		}
		for {
			number := strconv.Itoa(next)
			next++
			if _, taken := named[number]; !taken {
				named[number] = values[i]
				break
			}
		}
	}
	return named
}

// Input describes the parameter. The error joins the mistakes of the declaration.
func (l *List[T]) Input() (api.Input, error) {
	if l == nil {
		return api.Input{}, errNil
	}
	p := l.d.made()
	return p.input, p.err
}

// Read finds the values in a request.
func (l *List[T]) Read(r *api.Request) (any, error) {
	p := l.d.made()
	if p.err != nil {
		return nil, p.err
	}
	sent, err := l.elements(r)
	switch {
	case err != nil:
		return nil, err
	case len(sent) > 0:
	case l.d.def != nil:
		return slices.Clone(l.d.def), nil
	case l.d.required:
		return nil, l.d.missing()
	default:
		return nil, nil
	}
	faults := faults{in: string(l.d.source), name: l.d.name}
	values := make([]T, len(sent))
	list := reflect.ValueOf(values)
	read := true
	for i, e := range sent {
		read = p.convert(list.Index(i), e.text, faults.add) && read
	}
	if read {
		checkAll(p.whole, list, faults.add)
	}
	if err := faults.err(); err != nil {
		return nil, err
	}
	return values, nil
}

// elements are those that count as sent.
func (l *List[T]) elements(r *api.Request) ([]element, error) {
	sent, err := l.d.many(r)
	if err != nil || l.d.made().text {
		return sent, err
	}
	return slices.DeleteFunc(sent, func(e element) bool { return e.text == "" }), nil
}
