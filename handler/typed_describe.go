package handler

import (
	"net/http"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/typeschema"
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
		Schema:      api.Schema{Type: t.elem},
	}
	if t.multi && (len(t.rules.Tags()) > 0 || t.rules.Elem() != nil) {
		input.Schema.JSON = typeschema.Texts(t.elem, t.rules, nil, t.tags[tagFormat])
	} else if !t.multi && len(t.rules.Tags()) > 0 {
		input.Schema.JSON = typeschema.Text(t.elem, t.rules, t.tags[tagFormat])
	}
	if t.enum != nil {
		for _, text := range t.enum.Entries() {
			input.Allowed = append(input.Allowed, api.Allowed{Value: t.parse(text)})
		}
	}
	if t.hasDefault {
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

// success is the output of a handler that answers with a value of one type. One
// that its author declares stands in for it.
type success struct {
	status int          // 0: the answer chooses among those of success
	body   reflect.Type // nil: there is no body
}

func (s success) Describe() (api.OutputInfo, error) {
	info := api.OutputInfo{Status: s.status}
	if s.body != nil {
		info.MediaType, info.Schema = "application/json", api.Schema{Type: s.body}
	}
	return info, nil
}

// Check looks at the status and the media type: what is in the body is said by the
// type of the function.
func (s success) Check(a *api.Answer) []string {
	fits := a.Status == s.status || s.status == 0 && a.Status >= 200 && a.Status <= 299
	switch mediaType := mediatype.Of(a.Header.Get("Content-Type")); {
	case a.Status == http.StatusNotModified: // the answer of a condition
		return nil
	case !fits:
		return []string{"Response code doesn't match"}
	case s.body == nil && (len(a.Body) > 0 || a.Partial):
		return []string{"Response is not empty"}
	case s.body != nil && !mediatype.IsJSON(mediaType):
		return []string{"Response is not JSON"}
	}
	return nil
}
