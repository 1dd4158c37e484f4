package param

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/schema"
)

// JSONBody is the whole body of the request as one JSON value. It is optional
// unless Required is called. Since the body is one, it has no Multi.
//
// Whatever was sent is checked, null, 0 and {} too: first it has to be strict JSON
// (RFC 8259) without repeated members, then to fit the schema, then T. The faults
// of the first step that fails are answered, each with its place in the body.
type JSONBody[T any] struct {
	name        string
	schema      string
	description string
	required    bool
	anyMedia    bool
	def         *string
	examples    []namedText

	once sync.Once
	plan jsonPlan
}

type namedText struct{ name, text string }

type jsonPlan struct {
	input  api.Input
	err    error
	accept []string
	schema *schema.Schema // nil: none
	binder *jsonvalue.Binder
	def    *jsonvalue.Document // nil: none
}

// JSON is the whole body of the request as a JSON value of type T that fits the
// schema, a JSON Schema of draft 4 to 2020-12; "" is none, and leaves it to T. With T any
// the value is made of map[string]any, []any, [encoding/json.Number], string, bool
// and nil; then null looks like a body that was not sent.
func JSON[T any](name, schema string) *JSONBody[T] {
	return &JSONBody[T]{name: name, schema: schema}
}

// Required makes it a fault that there is no body.
func (b *JSONBody[T]) Required() *JSONBody[T] { b.required = true; return b }

// Default is the JSON text that stands in for a missing body.
func (b *JSONBody[T]) Default(text string) *JSONBody[T] { b.def = &text; return b }

// Description says what the body is for.
func (b *JSONBody[T]) Description(text string) *JSONBody[T] { b.description = text; return b }

// Example is an example, a JSON text, with the name "default".
func (b *JSONBody[T]) Example(text string) *JSONBody[T] { return b.NamedExample(defaultExample, text) }

// NamedExample adds an example, a JSON text.
func (b *JSONBody[T]) NamedExample(name, text string) *JSONBody[T] {
	b.examples = append(b.examples, namedText{name, text})
	return b
}

// AnyMediaType takes bodies of every media type, and of none, for JSON. Otherwise
// all but application/json and those that end in +json are answered 415: a form of
// a foreign page can send JSON as text/plain with the cookies of its visitor, but
// not as application/json.
func (b *JSONBody[T]) AnyMediaType() *JSONBody[T] { b.anyMedia = true; return b }

// Get is the value, the default without a body, and otherwise the zero value. It
// panics when the handler's description does not have the parameter.
func (b *JSONBody[T]) Get(r *api.Request) T {
	value, _ := b.Lookup(r)
	return value
}

// Lookup is Get; ok is false when there is neither a body nor a default.
func (b *JSONBody[T]) Lookup(r *api.Request) (value T, ok bool) {
	return api.ParamValue[T](r, b.name)
}

// Input describes the parameter. The error joins the mistakes of the declaration:
// of the name, the schema, the type, the default and the examples.
func (b *JSONBody[T]) Input() (api.Input, error) {
	if b == nil {
		return api.Input{}, errNil
	}
	p := b.made()
	return p.input, p.err
}

// Read finds the value in a request.
func (b *JSONBody[T]) Read(r *api.Request) (any, error) {
	p := b.made()
	if p.err != nil {
		return nil, p.err
	}
	data, _, err := r.Content(p.accept...)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		switch {
		case p.def != nil:
			value, _ := bind[T](p.binder, p.def)
			return value, nil
		case b.required:
			return nil, api.Invalid(api.FieldError{In: "body", Code: "required", Message: "missing data"})
		}
		return nil, nil
	}
	document, faults := jsonvalue.Parse(data, jsonvalue.Limits{})
	if len(faults) > 0 {
		return nil, inBody(faults)
	}
	value, faults := checked[T](p, document)
	if len(faults) > 0 {
		return nil, inBody(faults)
	}
	return value, nil
}

// checked is the document as a T, or what is wrong with it.
func checked[T any](p *jsonPlan, d *jsonvalue.Document) (value T, faults []jsonvalue.Fault) {
	if p.schema != nil {
		for _, v := range p.schema.Check(d.Any()) {
			faults = append(faults, jsonvalue.Fault(v))
		}
		if len(faults) > 0 {
			return value, faults
		}
	}
	return bind[T](p.binder, d)
}

func bind[T any](b *jsonvalue.Binder, d *jsonvalue.Document) (value T, faults []jsonvalue.Fault) {
	faults = b.Bind(d, reflect.ValueOf(&value).Elem())
	return value, faults
}

// made is the plan, made at the first call.
func (b *JSONBody[T]) made() *jsonPlan {
	b.once.Do(func() {
		mistakes := mistakes{what: fmt.Sprintf("json parameter %q", b.name)}
		mistakes.ask(func() { b.makePlan(&b.plan, &mistakes) })
		b.plan.err = mistakes.err()
	})
	return &b.plan
}

func (b *JSONBody[T]) makePlan(p *jsonPlan, mistakes *mistakes) {
	p.input = api.Input{In: api.InJSON, Name: b.name, Description: b.description, Required: b.required}
	p.accept = []string{"application/json", "application/*+json"}
	if b.anyMedia {
		p.accept = []string{mediatype.Any}
		p.input.MediaTypes = p.accept
	}
	mistakes.add(checkName(api.InJSON, b.name))

	var err error
	t := reflect.TypeFor[T]()
	if b.schema != "" {
		p.input.Schema.JSON = json.RawMessage(b.schema)
		p.schema, err = schema.Compile([]byte(b.schema))
		mistakes.add(err)
	} else if t.Kind() != reflect.Interface {
		p.input.Schema.Type = t
	}
	p.binder, err = jsonvalue.NewBinder(t, jsonvalue.Options{})
	mistakes.add(err)
	checkable := len(mistakes.list) == 0

	if b.def != nil {
		p.input.Default = json.RawMessage(*b.def)
		if checkable {
			p.def = declared[T](p, "default", *b.def, mistakes)
		}
	}
	for _, e := range b.examples {
		p.input.Examples = append(p.input.Examples, api.Example{Name: e.name, Value: json.RawMessage(e.text)})
		if checkable {
			declared[T](p, fmt.Sprintf("example %q", e.name), e.text, mistakes)
		}
	}
	checkExampleNames(p.input.Examples, mistakes)
}

// declared holds a default or an example to what is asked of clients.
func declared[T any](p *jsonPlan, what, text string, mistakes *mistakes) *jsonvalue.Document {
	document, faults := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
	if len(faults) == 0 {
		_, faults = checked[T](p, document)
	}
	for _, f := range faults {
		mistakes.add(errors.New(what + ": " + schema.Prefixed(f.Pointer, f.Message)))
	}
	return document
}
