package handler

import (
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"slices"

	"github.com/sallyport-go/sallyport/api"
)

const fieldRequired = "Field is required"

// binding is the work on one request.
type binding struct {
	plan   *plan
	r      *api.Request
	in     reflect.Value
	faults faults
	states []state // by the position of the texts, and that of the body behind them
	one    [1]string
}

// state is what has become of a field.
type state uint8

const (
	unsent state = iota
	faulty
	sound
)

// bind reads the request into the struct. Its faults are one error, of all parts
// of the request.
func (p *plan) bind(r *api.Request, in reflect.Value) error {
	b := &binding{plan: p, r: r, in: in}
	if len(p.cross) > 0 {
		b.states = make([]state, len(p.texts)+1)
	}
	for _, f := range p.fills {
		in.FieldByIndex(f.index).Set(f.value(r))
	}
	if err := b.bindTexts(); err != nil {
		return err
	}
	before := b.faults.count
	if p.body != nil {
		sent, err := p.body.bind(r, in, &b.faults)
		if err != nil {
			return err
		}
		b.note(len(p.texts), sent, before)
	}
	return b.judge()
}

// bindTexts reads everything but the body that is no form. A source that cannot
// be read at all has one fault and none for its values.
func (b *binding) bindTexts() error {
	var query url.Values
	form := &multipart.Form{}
	var noQuery, noForm bool
	if b.plan.takesQuery {
		var err error
		if query, err = b.r.QueryValues(); err != nil {
			if err = b.faults.merge(err); err != nil {
				return err
			}
			noQuery = true
		}
	}
	if b.plan.takesForm {
		var err error
		if form, err = b.r.FormFields(); err != nil {
			if err = b.faults.merge(err); err != nil {
				return err
			}
			noForm = true
		}
	}
	for _, t := range b.plan.texts {
		var texts []string
		switch t.source {
		case api.InPath:
			value, ok := b.path(t.name)
			if !ok {
				return fmt.Errorf("handler.Typed: %s: the path of the endpoint has no variable %q", t.at, t.name)
			}
			b.one[0] = value
			texts = b.one[:]
		case api.InQuery:
			if noQuery {
				b.unread(t)
				continue
			}
			texts = lookUp(query, t.name, t.listName)
		case api.InHeader:
			texts = b.header(t)
		case api.InCookie:
			texts = b.cookie(t.name)
		case api.InForm:
			if noForm {
				b.unread(t)
				continue
			}
			texts = lookUp(form.Value, t.name, t.listName)
		}
		b.bindText(t, texts)
	}
	for _, file := range b.plan.files {
		if !noForm {
			file.bind(b.in, form, &b.faults)
		}
	}
	if b.plan.options.RefuseUnknownQuery && !noQuery {
		b.unknownQuery(query)
	}
	return nil
}

func (b *binding) bindText(t *textField, texts []string) {
	dst, before := b.in.FieldByIndex(t.index), b.faults.count
	sent := t.bind(dst, texts, &b.faults)
	switch {
	case sent:
	case t.hasDefault:
		t.bindDefault(dst, &b.faults)
		sent = true
	case t.required:
		b.faults.add(t.source, t.name, "required", fieldRequired)
	}
	b.note(t.position, sent, before)
}

// unread notes a text of a source that cannot be read.
func (b *binding) unread(t *textField) {
	if b.states != nil {
		b.states[t.position] = faulty
	}
}

// note keeps what has become of a field for the rules that compare it; before is
// how many faults there were without it.
func (b *binding) note(position int, sent bool, before int) {
	switch {
	case b.states == nil:
	case b.faults.count > before:
		b.states[position] = faulty
	case sent:
		b.states[position] = sound
	}
}

func (b *binding) path(name string) (value string, ok bool) {
	for i := range b.r.PathValues {
		if b.r.PathValues[i].Name == name {
			return b.r.PathValues[i].Value, true
		}
	}
	return "", false
}

func (b *binding) header(t *textField) []string {
	if b.r.Request == nil {
		return nil
	}
	lines := b.r.Header[t.name]
	if t.multi {
		return listMembers(lines)
	}
	return lines
}

func (b *binding) cookie(name string) (texts []string) {
	if b.r.Request == nil || b.r.Header["Cookie"] == nil {
		return nil
	}
	for _, cookie := range b.r.CookiesNamed(name) {
		texts = append(texts, cookie.Value)
	}
	return texts
}

// lookUp finds the values of a name, and for a list those of "name[]" as well.
func lookUp(values url.Values, name, listName string) []string {
	texts := values[name]
	if listName == "" {
		return texts
	}
	if more := values[listName]; len(more) > 0 {
		return append(slices.Clip(texts), more...)
	}
	return texts
}

// unknownQuery reports the names that no field takes.
func (b *binding) unknownQuery(query url.Values) {
	var unknown []string
	for name := range query {
		if !b.plan.queryNames[name] {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	for _, name := range unknown {
		b.faults.add(api.InQuery, name, "unknown", "Field is unknown")
	}
}

// judge asks the rules that compare fields, of those without a fault, and then the
// struct itself when there was none at all.
func (b *binding) judge() error {
	for i := range b.plan.cross {
		b.plan.cross[i].check(b)
	}
	if err := b.faults.err(); err != nil {
		return err
	}
	if b.plan.check == nil {
		return nil
	}
	err := b.plan.check(b.in)
	if err == nil {
		return nil
	}
	if _, ok := api.AsError(err); ok {
		return err
	}
	return api.Error{Status: http.StatusBadRequest, Err: err}
}
