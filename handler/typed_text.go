package handler

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// textField is a field that is read from text.
type textField struct {
	field
	shape
	listName string // "ids[]"; "": it takes one value
	codec    *textvalue.Codec
	expected string // the messages
	isString bool
	required bool

	hasDefault bool
	defaults   []string
	example    []string        // for documents
	enum       *textvalue.Enum // nil: every value
	position   int             // among the texts
}

// addText plans a field of the path, the query, the header, a cookie or a form.
func (p *planner) addText(f *field) {
	t := &textField{field: *f, shape: shapeOf(f.Type), position: len(p.plan.texts)}
	if err := t.compile(); err != nil {
		p.mistake(f.at, err)
		return
	}
	for _, err := range t.settle() {
		p.mistake(f.at, err)
	}
	p.plan.texts = append(p.plan.texts, t)
	p.addCross(&t.field, t.shape, t.position)
	switch f.source {
	case api.InQuery:
		p.plan.takesQuery = true
		p.plan.queryNames[t.name] = true
		if t.multi {
			p.plan.queryNames[t.listName] = true
		}
	case api.InForm:
		p.plan.takesForm = true
	}
}

// compile finds the codec: of the type itself, or of the elements of a list.
func (t *textField) compile() (err error) {
	format := t.tags[tagFormat]
	if t.codec, err = textvalue.New(t.inner, format); err != nil && t.inner.Kind() == reflect.Slice && t.wrap != pointed {
		t.multi, t.elem = true, t.inner.Elem()
		t.codec, err = textvalue.New(t.elem, format)
	}
	switch {
	case err != nil:
		return err
	case t.multi && (t.source == api.InPath || t.source == api.InCookie):
		return fmt.Errorf("a %s value is one value, not a list", t.source)
	}
	if t.multi {
		t.listName = t.name + "[]"
	}
	t.isString = t.elem.Kind() == reflect.String
	t.expected = "Value has invalid type. Expected " + t.codec.Expected() + "."
	return nil
}

// settle reads the other tags. A default is checked by the same code as what
// clients send.
func (t *textField) settle() (errs []error) {
	var err error
	if t.rules, err = rules.Compile(t.inner, t.tags[tagValidate]); err != nil {
		errs = append(errs, err)
	}
	t.required = t.source == api.InPath || t.rules.Required()
	if enum, ok := t.tags[tagEnum]; ok {
		if t.enum, err = t.codec.Enum(enum); err != nil {
			errs = append(errs, err)
		}
	}
	if _, ok := t.tags[tagExample]; ok {
		if t.example, err = t.texts(tagExample); err != nil {
			errs = append(errs, err)
		}
	}
	if _, ok := t.tags[tagDefault]; ok && t.source != api.InPath {
		if t.required {
			return append(errs, errors.New("it is required, so its default is never used"))
		}
		if t.wrap == optional {
			return append(errs, errors.New("an api.Opt tells that nothing was sent, so it has no default"))
		}
		if t.defaults, err = t.texts(tagDefault); err != nil {
			return append(errs, err)
		}
		t.hasDefault = true
		errs = append(errs, t.checkDefault()...)
	}
	return errs
}

// texts are those of a tag: of a list what is between the commas.
func (t *textField) texts(tag string) (texts []string, err error) {
	text := t.tags[tag]
	if texts = []string{text}; t.multi {
		if texts, err = textvalue.Split(text); err != nil {
			return nil, fmt.Errorf("%s %q: %w", tag, text, err)
		}
	}
	for _, text := range texts {
		if !t.codec.Set(reflect.New(t.elem).Elem(), text) {
			err = errors.Join(err, fmt.Errorf("%s %q is no %s", tag, text, t.codec.Expected()))
		}
	}
	return texts, err
}

func (t *textField) checkDefault() (errs []error) {
	var faults faults
	t.bindDefault(reflect.New(t.Type).Elem(), &faults)
	for _, fault := range faults.list {
		errs = append(errs, fmt.Errorf("default %q breaks a rule of its own: %s", t.tags[tagDefault], fault.Message))
	}
	return errs
}

// bind reads the texts into dst, the field. sent is false when there is no value.
func (t *textField) bind(dst reflect.Value, texts []string, f *faults) (sent bool) {
	if len(texts) > 1 && !t.multi {
		f.add(t.source, t.name, "repeated", "Field was sent more than once")
		return true
	}
	if !t.isString {
		texts = withoutEmpty(texts)
	}
	switch {
	case len(texts) == 0:
		return false
	case t.multi:
		return t.bindList(dst, texts, f)
	}
	v := t.reach(dst)
	if !t.codec.Set(v, texts[0]) {
		f.add(t.source, t.name, "type", t.expected)
		return true
	}
	t.judge(v, f)
	return true
}

// bindDefault is bind for the value of the tag.
func (t *textField) bindDefault(dst reflect.Value, f *faults) {
	if t.multi {
		t.bindList(dst, t.defaults, f) // also an empty one
		return
	}
	t.bind(dst, t.defaults, f)
}

func (t *textField) bindList(dst reflect.Value, texts []string, f *faults) bool {
	values := reflect.MakeSlice(t.inner, len(texts), len(texts))
	for i, text := range texts {
		if !t.codec.Set(values.Index(i), text) {
			f.add(t.source, t.name, "type", t.expected)
			return true
		}
	}
	t.reach(dst).Set(values)
	t.judge(values, f)
	return true
}

// judge checks the rules and the allowed values.
func (t *textField) judge(v reflect.Value, f *faults) {
	refused := t.enum != nil && !t.allows(v)
	if refused {
		f.add(t.source, t.name, "enum", t.enum.Message())
	}
	report := f.reporter(t.source, t.name)
	switch {
	case t.multi:
		t.rules.Check(v, report)
		before := f.count
		for i := 0; i < v.Len() && f.count == before && !refused; i++ { // one bad element tells enough
			t.rules.Elem().Check(v.Index(i), report)
		}
	case refused: // it tells enough
	case t.wrap == pointed: // what omitempty asks for
		t.rules.Check(v.Addr(), report)
	default:
		t.rules.Check(v, report)
	}
}

func (t *textField) allows(v reflect.Value) bool {
	if !t.multi {
		return t.enum.Has(v)
	}
	for i := range v.Len() {
		if !t.enum.Has(v.Index(i)) {
			return false
		}
	}
	return true
}

// withoutEmpty leaves out empty texts: of a type that is no string they are not
// sent.
func withoutEmpty(texts []string) []string {
	for i, text := range texts {
		if text != "" {
			continue
		}
		kept := append([]string(nil), texts[:i]...)
		for _, text := range texts[i:] {
			if text != "" {
				kept = append(kept, text)
			}
		}
		return kept
	}
	return texts
}

// members are the elements of a list in the lines of a header field (RFC 9110,
// section 5.6.1).
func listMembers(lines []string) (texts []string) {
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			if member = strings.Trim(member, " \t"); member != "" {
				texts = append(texts, member)
			}
		}
	}
	return texts
}
