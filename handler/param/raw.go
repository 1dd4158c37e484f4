package param

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/mediatype"
)

// RawBody is the whole body of the request, as it was sent. It is optional unless
// Required is called. Since the body is one, it has no Multi.
type RawBody struct {
	name        string
	description string
	required    bool
	def         []byte
	mediaTypes  []string
	examples    []api.Example

	once  sync.Once
	input api.Input
	err   error
}

// Raw is the whole body of the request, of any media type.
func Raw(name string) *RawBody { return &RawBody{name: name} }

// Required makes it a fault that there is no body.
func (b *RawBody) Required() *RawBody { b.required = true; return b }

// Default is the value without a body; nil is no default.
func (b *RawBody) Default(value []byte) *RawBody { b.def = bytes.Clone(value); return b }

// Description says what the body is for.
func (b *RawBody) Description(text string) *RawBody { b.description = text; return b }

// Example is an example with the name "default".
func (b *RawBody) Example(text string) *RawBody { return b.NamedExample(defaultExample, text) }

// NamedExample adds an example.
func (b *RawBody) NamedExample(name, text string) *RawBody {
	b.examples = append(b.examples, api.Example{Name: name, Value: text})
	return b
}

// MediaTypes are those that the body may have: "text/csv", "image/*". Another one
// is answered 415.
func (b *RawBody) MediaTypes(patterns ...string) *RawBody {
	for _, pattern := range patterns {
		b.mediaTypes = append(b.mediaTypes, strings.ToLower(pattern))
	}
	return b
}

// Get is the body, the default without one, and otherwise nil. It panics when the
// handler's description does not have the parameter. Nobody changes the bytes.
func (b *RawBody) Get(r *api.Request) []byte {
	data, _ := b.Lookup(r)
	return data
}

// Lookup is Get; ok is false when there is neither a body nor a default.
func (b *RawBody) Lookup(r *api.Request) (data []byte, ok bool) {
	return api.ParamValue[[]byte](r, b.name)
}

// Input describes the parameter. The error joins the mistakes of the declaration.
func (b *RawBody) Input() (api.Input, error) {
	if b == nil {
		return api.Input{}, errNil
	}
	b.once.Do(func() {
		mistakes := mistakes{what: fmt.Sprintf("raw parameter %q", b.name)}
		mistakes.add(checkName(api.InRaw, b.name))
		mistakes.add(checkMediaTypes(b.mediaTypes))
		checkExampleNames(b.examples, &mistakes)
		b.input = api.Input{
			In: api.InRaw, Name: b.name, Description: b.description, Required: b.required,
			MediaTypes: b.mediaTypes, Examples: b.examples,
		}
		if b.def != nil {
			b.input.Default = string(b.def)
		}
		b.err = mistakes.err()
	})
	return b.input, b.err
}

// Read finds the body of a request.
func (b *RawBody) Read(r *api.Request) (any, error) {
	input, err := b.Input()
	if err != nil {
		return nil, err
	}
	accept := input.MediaTypes
	if len(accept) == 0 {
		accept = []string{mediatype.Any}
	}
	data, _, err := r.Content(accept...)
	switch {
	case err != nil:
		return nil, err
	case len(data) > 0:
		return data, nil
	case b.def != nil:
		return bytes.Clone(b.def), nil
	case b.required:
		return nil, api.Invalid(api.FieldError{In: "body", Code: "required", Message: "Field is required"})
	}
	return nil, nil
}

func checkExampleNames(examples []api.Example, mistakes *mistakes) {
	names := map[string]bool{}
	for _, e := range examples {
		if names[e.Name] {
			mistakes.addf("example %q is given twice", e.Name)
		}
		names[e.Name] = true
	}
}
