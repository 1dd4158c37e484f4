package param

import (
	"reflect"

	"github.com/sallyport-go/sallyport/api"
)

// Value is a parameter that is sent once. T is a boolean, an integer, a float, a
// string, a type named after one of them, [time.Time], [time.Duration], or a type
// that is an [encoding.TextUnmarshaler] by its pointer. It is optional unless
// Required is called.
//
// An empty text is a value of strings alone; it keeps the default out. For every
// other type it counts as not sent. A list, "x[]=1", where one value is declared
// counts as not sent, too, and a value that was sent twice is a fault.
type Value[T any] struct {
	d *declaration[T]
}

// Query is a parameter of the query.
func Query[T any](name string) *Value[T] { return newValue[T](api.InQuery, name) }

// Path is a variable of the endpoint's path. It is always required. The text of a
// rest, "{path...}", may be empty, and is a value like all others then.
func Path[T any](name string) *Value[T] {
	v := newValue[T](api.InPath, name)
	v.d.required = true
	return v
}

// Header is a field of the request's header. The case of the name does not matter.
func Header[T any](name string) *Value[T] { return newValue[T](api.InHeader, name) }

// Cookie is a cookie, with its value as [net/http.Request.CookiesNamed] reads it:
// quotes around it are gone, and a value that is not ASCII, or has a quote, a
// backslash or a semicolon, is a cookie that was not sent.
func Cookie[T any](name string) *Value[T] { return newValue[T](api.InCookie, name) }

// Form is a field of a form in the body, of either media type and with any
// method. A body of another media type is answered 415.
func Form[T any](name string) *Value[T] { return newValue[T](api.InForm, name) }

func newValue[T any](source api.Source, name string) *Value[T] {
	return &Value[T]{&declaration[T]{source: source, name: name}}
}

// Required makes it a fault that the parameter is missing or empty. A default
// stands in for a missing one.
func (v *Value[T]) Required() *Value[T] { v.d.required = true; return v }

// Default is the value when none was sent. Of a type with pointers it is shared by
// all requests.
func (v *Value[T]) Default(value T) *Value[T] { v.d.setDefault(value); return v }

// Allowed are the only values that may be sent; an empty text may be sent, too,
// unless the value is required. They are compared as text, before the conversion:
// 01 is not the allowed 1. Further calls add to them.
func (v *Value[T]) Allowed(values ...T) *Value[T] { v.d.allow(values); return v }

// AllowedValues are those of Allowed with their descriptions.
func (v *Value[T]) AllowedValues(values ...Choice[T]) *Value[T] {
	v.d.choose(values)
	return v
}

// Description says what the parameter is for.
func (v *Value[T]) Description(text string) *Value[T] { v.d.description = text; return v }

// Example is an example with the name "default".
func (v *Value[T]) Example(value T) *Value[T] { return v.NamedExample(defaultExample, value) }

// NamedExample adds an example.
func (v *Value[T]) NamedExample(name string, value T) *Value[T] {
	v.d.addExample(name, []T{value})
	return v
}

// Format is that of a [time.Time]: "date-time" (RFC 3339), which is the default,
// "date", "unix", or a layout of package time.
func (v *Value[T]) Format(layout string) *Value[T] { v.d.format = layout; return v }

// Validate adds rules in the language of github.com/go-playground/validator,
// "min=1,max=100". They are asked of every value but the empty text of a string.
func (v *Value[T]) Validate(rules string) *Value[T] { addRules(&v.d.each, rules); return v }

// Multi makes it a parameter of several values, each of which is what was said so
// far. The Value itself is not used any more.
func (v *Value[T]) Multi() *List[T] {
	v.d.multi = true
	return &List[T]{v.d}
}

// Get is the value, the default when none was sent, and otherwise the zero value.
// It panics when the handler's description does not have the parameter.
func (v *Value[T]) Get(r *api.Request) T {
	value, _ := v.Lookup(r)
	return value
}

// Lookup is Get; ok is false when no value was sent and there is no default.
func (v *Value[T]) Lookup(r *api.Request) (value T, ok bool) {
	return api.ParamValue[T](r, v.d.name)
}

// Input describes the parameter. The error joins the mistakes of the declaration.
func (v *Value[T]) Input() (api.Input, error) {
	if v == nil {
		return api.Input{}, errNil
	}
	p := v.d.made()
	return p.input, p.err
}

// Read finds the value in a request.
func (v *Value[T]) Read(r *api.Request) (any, error) {
	p := v.d.made()
	if p.err != nil {
		return nil, p.err
	}
	text, n, err := v.d.one(r)
	if err != nil {
		return nil, err
	}
	sent := n == 1 && (text != "" || p.text)
	if sent && v.d.source == api.InPath {
		return read(p, v.d, text)
	}
	switch {
	case n > 1:
		return nil, v.d.fault("repeated", "Field was sent more than once")
	case !sent && v.d.def != nil:
		return v.d.def[0], nil
	case text == "" && v.d.required:
		return nil, v.d.missing()
	case !sent:
		return nil, nil
	}
	if text == "" {
		var value T
		return value, nil
	}
	return read(p, v.d, text)
}

// read is the value of a text, or what is wrong with it.
func read[T any](p *plan[T], d *declaration[T], text string) (any, error) {
	var value T
	faults := faults{in: string(d.source), name: d.name}
	p.convert(reflect.ValueOf(&value).Elem(), text, faults.add)
	if err := faults.err(); err != nil {
		return nil, err
	}
	return value, nil
}
