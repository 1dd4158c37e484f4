package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// ignored are header parameters that OpenAPI does not look at: what they carry is
// said elsewhere in the document.
var ignored = []string{"Accept", "Content-Type", "Authorization"}

// parameters are those outside of the body, the variables of the path first.
func (w *writer) parameters(e *api.Endpoint, variables []variable) (list []any) {
	for _, v := range variables {
		i := slices.IndexFunc(e.Inputs, func(in api.Input) bool { return in.In == api.InPath && in.Name == v.own })
		input := api.Input{In: api.InPath, Type: "string"}
		if i >= 0 {
			input = e.Inputs[i]
		}
		input.Name, input.Required = v.name, true
		list = append(list, w.parameter(input))
	}
	for _, input := range e.Inputs {
		switch {
		case input.In == api.InPath, input.In.Body():
		case input.In == api.InHeader && slices.Contains(ignored, http.CanonicalHeaderKey(input.Name)):
		default:
			list = append(list, w.parameter(input))
		}
	}
	return list
}

func (w *writer) parameter(input api.Input) *jsontree.Object {
	name := input.Name
	if input.Multi && input.In == api.InQuery {
		name += "[]" // so that one value is a list, too
	}
	p := jsontree.Of("name", name, "in", string(input.In))
	if input.Required {
		p.Set("required", true)
	}
	if text := describe(input); text != "" {
		p.Set("description", text)
	}
	p.Set("schema", textSchema(input))
	addExamples(p, textExamples(input))
	return p
}

// describe is the description with those of the values.
func describe(input api.Input) string {
	lines := []string{input.Description}
	for _, a := range input.Allowed {
		if text := textOf(a.Value, input); a.Description != "" && a.Description != text {
			lines = append(lines, " * `"+text+"` - "+a.Description)
		}
	}
	if input.MaxSize > 0 {
		lines = append(lines, "At most "+strconv.FormatInt(input.MaxSize, 10)+" bytes.")
	}
	return strings.TrimPrefix(strings.Join(lines, "\n"), "\n")
}
