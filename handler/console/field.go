package console

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// newField makes the field of a parameter; i tells it from the others of the form.
func newField(i int, input api.Input) *field {
	f := &field{
		ID:          fmt.Sprintf("field-%d", i),
		Name:        string(input.In) + ":" + input.Name,
		Short:       label(input.Name),
		Key:         input.Name,
		Description: markup(input.Description),
		Rules:       rulesText(input),
		Required:    input.Required,
		Multi:       input.Multi,
		Kind:        "text",
	}
	f.Label = f.Short
	if input.Required {
		f.Label += " *"
	}
	f.Label += " (" + cmp.Or(input.Type, string(input.In)) + ")"
	prefill := prefill(input)
	switch {
	case input.In == api.InFile:
		f.Kind, prefill = "file", nil
		f.Accept = strings.Join(input.MediaTypes, ",")
		f.Hint = strings.Join(input.MediaTypes, ", ")
	case input.In == api.InJSON || input.In == api.InRaw:
		f.setBody(input)
	case input.Allowed != nil:
		f.Kind, f.Prompt = "select", "Choose…"
		f.Choices = choices(input)
	case input.Type == "boolean":
		f.Kind, f.Prompt = "select", "–"
		f.Choices = []choice{{Value: "true", Label: "true"}, {Value: "false", Label: "false"}}
	default:
		f.setText(input.Type)
	}
	f.Offers = f.Kind == "text" && !f.Required && input.In != api.InPath
	f.setSlots(prefill)
	return f
}

// setText helps those who write a value. The control stays one for text, so that
// the API's own check of a wrong value can be seen.
func (f *field) setText(valueType string) {
	switch valueType {
	case "integer":
		f.InputMode = "numeric"
	case "float":
		f.InputMode = "decimal"
	case "date-time":
		f.Hint = "such as 2026-01-31T12:00:00Z"
	case "date":
		f.Hint = "such as 2026-01-31"
	case "duration":
		f.Hint = "such as 1m30s"
	}
}

func (f *field) setBody(input api.Input) {
	f.Kind, f.Multi = "area", false
	f.MediaType = mediaType(input)
	f.Schema = schemaText(input)
	for _, e := range input.Examples {
		f.Examples = append(f.Examples, example{cmp.Or(e.Name, "default"), bodyText(input, e.Value)})
	}
	if input.Default != nil && len(input.Examples) > 0 {
		f.Examples = append(f.Examples, example{"default value", bodyText(input, input.Default)})
	}
	if text := sample(f.Schema); text != "" && input.In == api.InJSON {
		f.Examples = append(f.Examples, example{"from the schema", text})
	}
}

// mediaType is what a body is sent as.
func mediaType(input api.Input) string {
	for _, t := range input.MediaTypes {
		if !strings.Contains(t, "*") {
			return t
		}
	}
	if input.In == api.InJSON {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// setSlots makes the controls. Only what is a list has more than one, and the empty
// ones behind the first wait until they are needed.
func (f *field) setSlots(values []string) {
	n := 1
	if f.Multi && f.Kind != "file" {
		n = max(manySlots, len(values))
	} else if f.Multi {
		n = manySlots
	}
	for i := range n {
		s := slot{ID: f.ID, Number: i + 1, Hidden: i > 0 && i >= len(values)}
		if i > 0 {
			s.ID = fmt.Sprintf("%s-%d", f.ID, i)
		}
		if i < len(values) {
			s.Value = values[i]
		}
		for _, c := range f.Choices {
			c.Selected = i < len(values) && c.Value == s.Value
			s.Choices = append(s.Choices, c)
		}
		f.Values = append(f.Values, s)
	}
}

func choices(input api.Input) (all []choice) {
	for _, a := range input.Allowed {
		c := choice{Value: valueText(input.Type, a.Value)}
		c.Label = c.Value
		if a.Description != "" && a.Description != c.Value {
			c.Label += " – " + a.Description
		}
		all = append(all, c)
	}
	return all
}

// prefill is what stands in the controls: the first example, or the default.
func prefill(input api.Input) []string {
	value := input.Default
	if len(input.Examples) > 0 {
		value = input.Examples[0].Value
	}
	switch {
	case value == nil:
		return nil
	case input.In == api.InJSON || input.In == api.InRaw:
		return []string{bodyText(input, value)}
	case !input.Multi:
		return []string{valueText(input.Type, value)}
	}
	list := reflect.ValueOf(value)
	if list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
		return []string{valueText(input.Type, value)}
	}
	texts := make([]string, list.Len())
	for i := range texts {
		texts[i] = valueText(input.Type, list.Index(i).Interface())
	}
	return texts
}
