package sallyport

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// description is what a handler declares, checked against its endpoint.
type description struct {
	api.Description
	names   []string // of Params, in their order
	inputs  []api.Input
	outputs []api.OutputInfo
}

// describe asks the handler for its description. The mistakes of all parameters
// and outputs are found at once.
func (b *builder) describe(a *api.Api) (description, error) {
	d := description{}
	describer, ok := ability[api.Describer](a.Handler)
	if !ok {
		return d, nil
	}
	if err := part.Ask(func() error { d.Description = describer.Describe(); return nil }); err != nil {
		return d, part.Within("the handler's description", err)
	}
	var errs []error
	for i, p := range d.Params {
		input, err := askParam(p)
		errs = append(errs, part.Within(label("parameter", i, input.Name), err))
		d.names = append(d.names, input.Name)
		d.inputs = append(d.inputs, input)
	}
	errs = append(errs, repeated(d.names))
	d.inputs = append(d.inputs, d.Inputs...)
	for i, input := range d.inputs {
		errs = append(errs, part.Within(labelInput(i, input), misplaced(input, a.Endpoint)))
	}
	errs = append(errs, severalBodies(d.inputs))
	for i, o := range d.Outputs {
		info, err := askOutput(o)
		errs = append(errs, part.Within(label("output", i, ""), err))
		d.outputs = append(d.outputs, info)
	}
	for _, status := range d.Failures {
		if status < 400 || status > 599 {
			errs = append(errs, fmt.Errorf("failure %d: 400 to 599", status))
		}
	}
	return d, errors.Join(errs...)
}

func askParam(p api.Param) (input api.Input, err error) {
	if part.IsNil(p) {
		return input, errors.New("it is nil")
	}
	err = part.Ask(func() error {
		input, err = p.Input()
		if err == nil && input.Name == "" {
			err = errors.New("it has no name")
		}
		return err
	})
	return input, err
}

func askOutput(o api.Output) (info api.OutputInfo, err error) {
	if part.IsNil(o) {
		return info, errors.New("it is nil")
	}
	err = part.Ask(func() error { info, err = o.Describe(); return err })
	return info, err
}

// labelInput names a whole body, which needs no name, by what it is read as.
func labelInput(i int, input api.Input) string {
	if input.Name == "" && input.In.Body() {
		return fmt.Sprintf("the body (%s)", input.In)
	}
	return label("parameter", i, input.Name)
}

func label(what string, i int, name string) string {
	if name == "" {
		return fmt.Sprintf("%s %d", what, i+1)
	}
	return fmt.Sprintf("%s %q", what, name)
}

// repeated finds parameters that would overwrite each other.
func repeated(names []string) error {
	var errs []error
	for i, name := range names {
		if name != "" && slices.Index(names, name) < i {
			errs = append(errs, fmt.Errorf("two parameters are called %q: one would hide the other", name))
		}
	}
	return errors.Join(errs...)
}

// misplaced finds an input that no request to the endpoint can have.
func misplaced(input api.Input, e api.EndpointIdentifier) error {
	switch {
	case input.In == api.InPath && !slices.Contains(variables(e), input.Name):
		return fmt.Errorf("the path of %s has no variable of that name", e)
	case input.In.Body() && bodyless(e.Method()):
		if input.Name == "" {
			return fmt.Errorf("a request by %s has none", e.Method())
		}
		return fmt.Errorf("it is in the body, and a request by %s has none", e.Method())
	}
	return nil
}

// severalBodies finds bodies that no request can have at once: one that is read as
// a whole is one value.
func severalBodies(inputs []api.Input) error {
	var errs []error
	for _, whole := range []api.Source{api.InJSON, api.InRaw} {
		n := 0
		for _, input := range inputs {
			if input.In == whole {
				n++
			}
		}
		if n > 1 {
			errs = append(errs, fmt.Errorf("%d parameters take the whole body as %s: a request has one", n, whole))
		}
	}
	return errors.Join(errs...)
}

// bodyless tells the methods whose body has no meaning (RFC 9110, section 9.3).
func bodyless(method string) bool {
	return method == http.MethodGet || method == http.MethodHead
}

// variables are the names of the variables in the path.
func variables(e api.EndpointIdentifier) []string {
	var names []string
	for _, segment := range e.Segments() {
		if name, _, ok := api.Variable(segment); ok {
			names = append(names, name)
		}
	}
	return names
}
