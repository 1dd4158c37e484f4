package jsonvalue

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// preset is the value of a missing member. It is read anew each time, so that no
// request shares memory with another.
type preset struct {
	codec *textvalue.Codec // of texts; nil for a document
	texts []string
	list  bool
	doc   *Document
	plan  *value
}

var errPreset = errors.New("it is no value of the type")

// newPreset reads the tag "default" of a member: a text as in a query for scalars,
// JSON or texts with commas between them for lists, and JSON for the rest.
func newPreset(plan *value, t reflect.Type, format, text string) (*preset, error) {
	inner := valueType(t)
	p := &preset{plan: plan}
	var err error
	switch leaf := isLeaf(inner); {
	case leaf && inner != rawType && inner.Kind() != reflect.Interface && inner.Kind() != reflect.Slice && !selfRead(inner):
		p.texts = []string{text}
		p.codec, err = textvalue.New(inner, format)
	case !leaf && inner.Kind() == reflect.Slice && !strings.HasPrefix(text, "["):
		p.list = true
		if p.texts, err = textvalue.Split(text); err != nil {
			return nil, err
		}
		if valueType(inner.Elem()) != inner.Elem() || selfRead(inner.Elem()) {
			return nil, errors.New("write it as JSON")
		}
		p.codec, err = textvalue.New(inner.Elem(), format)
	case leaf && inner.Kind() == reflect.Slice && inner != rawType && !selfRead(inner):
		quoted, _ := json.Marshal(text) // base64
		p.doc, err = parsePreset(quoted)
	default:
		p.doc, err = parsePreset([]byte(text))
	}
	if err != nil {
		return nil, err
	}
	return p, p.try(t)
}

// selfRead tells a type with a method UnmarshalJSON whose texts nothing else reads.
func selfRead(t reflect.Type) bool {
	return t != timeType && reflect.PointerTo(t).Implements(selfType)
}

func parsePreset(data []byte) (*Document, error) {
	doc, faults := Parse(data, Limits{})
	if faults != nil {
		return nil, errors.New("it is no JSON")
	}
	return doc, nil
}

// try reads the value once and checks it by the rules of the member.
func (p *preset) try(t reflect.Type) error {
	v := reflect.New(t).Elem()
	s := state{d: p.doc}
	if p.doc == nil {
		s.d = &Document{}
	}
	s.faults.d = s.d
	if p.doc != nil {
		p.plan.bind(&s, 0, v)
	} else if !p.set(v) {
		return errPreset
	} else {
		p.plan.checkAll(&s, v)
	}
	if s.faults.list != nil {
		return errors.New(s.faults.list[0].Message)
	}
	return nil
}

// set fills a field that is zero; it fails only the first time.
func (p *preset) set(dst reflect.Value) bool {
	if p.doc != nil {
		s := state{d: p.doc}
		s.faults.d = p.doc
		p.plan.bind(&s, 0, dst)
		return s.faults.count == 0
	}
	for dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	if !p.list {
		return p.codec.Set(dst, p.texts[0])
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(p.texts), len(p.texts)))
	for i, text := range p.texts {
		if !p.codec.Set(dst.Index(i), text) {
			return false
		}
	}
	return true
}

// checkAll checks a value that no document was the source of.
func (v *value) checkAll(s *state, dst reflect.Value) {
	switch p := v.plan.(type) {
	case *pointerPlan:
		p.elem.checkAll(s, dst.Elem())
	case *slicePlan:
		for i := range dst.Len() {
			p.elem.checkAll(s, dst.Index(i))
		}
	}
	v.check(s, dst)
}
