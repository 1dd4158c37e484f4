package handler

import (
	"reflect"

	"github.com/sallyport-go/sallyport/api"
)

// inputs are what documents say of the struct.
func (p *plan) inputs() (all []api.Input) {
	for _, t := range p.texts {
		all = append(all, t.input())
	}
	for _, file := range p.files {
		all = append(all, file.input())
	}
	if p.body != nil {
		all = append(all, p.body.input())
	}
	return all
}

func (t *textField) input() api.Input {
	input := api.Input{
		In:          t.source,
		Name:        t.name,
		Description: t.tags[tagDescription],
		Required:    t.required,
		Multi:       t.multi,
		Type:        t.codec.Expected(),
	}
	for _, text := range t.enum {
		input.Allowed = append(input.Allowed, api.Allowed{Value: t.parse(text)})
	}
	if t.defaults != nil {
		input.Default = t.value(t.defaults)
	}
	if t.example != nil {
		input.Examples = []api.Example{{Value: t.value(t.example)}}
	}
	return input
}

// value is the value of texts that have been checked.
func (t *textField) value(texts []string) any {
	if !t.multi {
		return t.parse(texts[0])
	}
	values := reflect.MakeSlice(t.inner, 0, len(texts))
	for _, text := range texts {
		values = reflect.Append(values, reflect.ValueOf(t.parse(text)))
	}
	return values.Interface()
}

func (t *textField) parse(text string) any {
	v := reflect.New(t.elem).Elem()
	t.codec.Set(v, text)
	return v.Interface()
}

// success is the output of a handler that answers with a value of one type.
type success struct {
	status int
	body   reflect.Type // nil: there is no body
}

func (s success) Describe() (api.OutputInfo, error) {
	info := api.OutputInfo{Status: s.status}
	if s.body != nil {
		info.MediaType, info.Schema = "application/json", api.Schema{Type: s.body}
	}
	return info, nil
}

// Check has nothing to say: the type of the function is the check.
func (success) Check(*api.Answer) []string { return nil }
