package handler

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// bodyField is the whole body of a request.
type bodyField interface {
	// bind reads the body into the struct; sent is false when there is none. The
	// error ends the request at once.
	bind(r *api.Request, in reflect.Value, f *faults) (sent bool, err error)
	at() []int // the index of the field; nil: it is none
	input() api.Input
}

var mediaJSON = []string{"application/json", "application/*+json"}

// jsonBody is a body of JSON: the members of the struct, or one field of it.
type jsonBody struct {
	index    []int // nil: the members
	binder   *jsonvalue.Binder
	limits   jsonvalue.Limits
	absent   *jsonvalue.Document // what a body that was not sent is read as; nil: nothing
	required bool
	untyped  bool // Content-Type may be missing
	describe api.Input
}

func (p *planner) newJSON() *jsonBody {
	return &jsonBody{
		limits:  jsonvalue.Limits{Depth: p.plan.options.MaxDepth},
		untyped: p.plan.options.AllowMissingContentType,
	}
}

func (p *planner) binderOptions() jsonvalue.Options {
	return jsonvalue.Options{AllowUnknown: p.plan.options.AllowUnknownFields}
}

// addMembers plans a body whose members are fields of the struct.
func (p *planner) addMembers() {
	b := p.newJSON()
	binder, err := jsonvalue.NewStructBinder(p.members, p.binderOptions())
	if err != nil {
		for _, err := range part.Flatten(err) { // each begins with the field
			p.errs = append(p.errs, fmt.Errorf("%s.%w", typeName(p.outer), err))
		}
		return
	}
	b.binder = binder
	b.settleAbsent(p.outer)
	b.describe = api.Input{In: api.InJSON, Required: b.required, Schema: api.Schema{Type: p.outer}}
	p.plan.body = b
}

// addJSON plans a body that is the JSON of one field.
func (p *planner) addJSON(f *field) {
	b, s := p.newJSON(), shapeOf(f.Type)
	b.index = f.index
	var err error
	if b.binder, err = jsonvalue.NewValueBinder(f.Type, f.Tag, p.binderOptions()); err != nil {
		p.mistake(f.at, err)
		return
	}
	if s.wrap == bare && f.Type.Kind() == reflect.Struct {
		b.settleAbsent(f.Type)
	}
	if f.rules, err = rules.Compile(s.inner, f.tags[tagValidate]); err != nil {
		p.mistake(f.at, err)
	}
	b.required = b.required || f.rules.Required()
	b.describe = api.Input{In: api.InJSON, Description: f.tags[tagDescription], Required: b.required, Schema: api.Schema{Type: f.Type}}
	if example, ok := f.tags[tagExample]; ok {
		if !json.Valid([]byte(example)) {
			p.mistake(f.at, errors.New("the example is no JSON"))
		}
		b.describe.Examples = []api.Example{{Value: json.RawMessage(example)}}
	}
	p.plan.body = b
	p.addCross(f, s, ofBody)
}

// settleAbsent finds out what a body that was not sent means: an object without
// members, unless one of them is required.
func (b *jsonBody) settleAbsent(t reflect.Type) {
	empty, _ := jsonvalue.Parse([]byte("{}"), b.limits)
	if b.required = len(b.binder.Bind(empty, reflect.New(t).Elem())) > 0; !b.required {
		b.absent = empty
	}
}

func (b *jsonBody) at() []int { return b.index }

func (b *jsonBody) input() api.Input { return b.describe }

func (b *jsonBody) bind(r *api.Request, in reflect.Value, f *faults) (sent bool, err error) {
	accept := mediaJSON
	if b.untyped && r.Request != nil && len(r.Header["Content-Type"]) == 0 {
		accept = anyMedia
	}
	data, _, err := r.Content(accept...)
	if err != nil {
		return false, f.merge(err)
	}
	document := b.absent
	switch {
	case len(data) > 0:
		parsed, found := jsonvalue.Parse(data, b.limits)
		if len(found) > 0 {
			f.addJSON(found)
			return true, nil
		}
		document = parsed
	case b.required:
		f.add(api.InJSON, "", "required", needsBody)
		return false, nil
	case document == nil:
		return false, nil
	}
	dst := in
	if b.index != nil {
		dst = in.FieldByIndex(b.index)
	}
	f.addJSON(b.binder.Bind(document, dst))
	return len(data) > 0, nil
}

const needsBody = "The request needs a body"

var anyMedia = []string{mediatype.Any}

// rawBody is a body that is taken as it is.
type rawBody struct {
	index    []int
	accept   []string
	text     bool
	rules    *rules.Rules
	describe api.Input
}

// addRaw plans a body that is bytes or a text.
func (p *planner) addRaw(f *field) {
	b := &rawBody{index: f.index, accept: anyMedia, text: f.Type.Kind() == reflect.String}
	if !b.text && (f.Type.Kind() != reflect.Slice || f.Type.Elem().Kind() != reflect.Uint8) {
		p.mistake(f.at, errors.New("a raw body is a []byte or a string"))
		return
	}
	b.describe = api.Input{In: api.InRaw, Description: f.tags[tagDescription]}
	if accept, ok := f.tags[tagAccept]; ok {
		b.accept = p.mediaTypes(f, accept)
		b.describe.MediaTypes = b.accept
	}
	var err error
	if b.rules, err = rules.Compile(f.Type, f.tags[tagValidate]); err != nil {
		p.mistake(f.at, err)
	}
	b.describe.Required = b.rules.Required()
	if example, ok := f.tags[tagExample]; ok {
		b.describe.Examples = []api.Example{{Value: example}}
	}
	p.plan.body = b
	f.rules = b.rules
	p.addCross(f, shapeOf(f.Type), ofBody)
}

func (b *rawBody) at() []int { return b.index }

func (b *rawBody) input() api.Input { return b.describe }

func (b *rawBody) bind(r *api.Request, in reflect.Value, f *faults) (sent bool, err error) {
	data, _, err := r.Content(b.accept...)
	if err != nil {
		return false, f.merge(err)
	}
	if len(data) == 0 {
		if b.describe.Required {
			f.add(api.InRaw, "", "required", needsBody)
		}
		return false, nil
	}
	dst := in.FieldByIndex(b.index)
	switch {
	case !b.text:
		dst.SetBytes(data)
	case utf8.Valid(data):
		dst.SetString(string(data))
	default:
		f.add(api.InRaw, "", "type", "Expected text in UTF-8.")
		return true, nil
	}
	b.rules.Check(dst, f.reporter(api.InRaw, ""))
	return true, nil
}
