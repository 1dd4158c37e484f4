package handler

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// plan is how a request becomes a value of one struct type.
type plan struct {
	options TypedOptions
	fills   []fill
	texts   []*textField // in the order of the struct
	files   []*fileField
	body    bodyField // nil: the body is not read, or it is a form

	takesQuery, takesForm bool
	queryNames            map[string]bool

	cross []crossRule
	check func(in reflect.Value) error // the Validate method; nil: there is none
}

// fill is a field that the request itself is put into.
type fill struct {
	index []int
	value func(r *api.Request) reflect.Value
}

var fills = map[reflect.Type]func(r *api.Request) reflect.Value{
	reflect.TypeFor[api.Identity]():  func(r *api.Request) reflect.Value { return reflect.ValueOf(r.Identity) },
	reflect.TypeFor[*api.Request]():  func(r *api.Request) reflect.Value { return reflect.ValueOf(r) },
	reflect.TypeFor[*http.Request](): func(r *api.Request) reflect.Value { return reflect.ValueOf(r.Request) },
}

type validator interface{ Validate() error }

var validatorType = reflect.TypeFor[validator]()

// field is a field of the struct, or of one that is embedded in it.
type field struct {
	reflect.StructField
	at     string // "CreateUser.Age"
	index  []int  // from the outer struct
	tags   tags
	source api.Source
	name   string // on the wire
	parent reflect.Type
	rules  *rules.Rules
}

// planner makes a plan and collects the mistakes of the type.
type planner struct {
	plan    *plan
	errs    []error
	taken   map[string]string // source and name: the field that takes it
	bodies  map[api.Source]string
	members []jsonvalue.Field
	outer   reflect.Type
}

func newPlan(t reflect.Type, o TypedOptions) (*plan, error) {
	p := &planner{
		plan:   &plan{options: o, queryNames: map[string]bool{}},
		taken:  map[string]string{},
		bodies: map[api.Source]string{},
		outer:  t,
	}
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("the input is a %s, not a struct", t)
	}
	p.plan.takesQuery = o.RefuseUnknownQuery
	p.walk(t, nil, typeName(t))
	if err := part.Ask(func() error { p.finish(); return nil }); err != nil {
		p.mistake(typeName(t), err)
	}
	return p.plan, errors.Join(p.errs...)
}

// typeName is the name of the outer type in mistakes, without its package.
func typeName(t reflect.Type) string {
	if t.Name() == "" {
		return "In"
	}
	return t.Name()
}

func (p *planner) mistake(at string, err error) {
	p.errs = append(p.errs, part.Within(at, err))
}

func (p *planner) walk(t reflect.Type, index []int, at string) {
	for i := range t.NumField() {
		f := field{StructField: t.Field(i), parent: t}
		f.index = append(append([]int{}, index...), i)
		f.at = at + "." + f.Name
		embeds := f.Anonymous && f.Type.Kind() == reflect.Struct // and is exported or not
		if !f.IsExported() && !embeds {
			p.unexported(&f)
			continue
		}
		parsed, err := parseTags(string(f.Tag))
		if err != nil {
			p.mistake(f.at, err)
			continue
		}
		f.tags = parsed
		for _, err := range parsed.misspelled() {
			p.mistake(f.at, err)
		}
		if json, ok := parsed["json"]; embeds && ok && (json == "" || json[0] == ',') {
			delete(parsed, "json") // it embeds all the same
		}
		// What a type reads itself, such as a default, may panic.
		if err := part.Ask(func() error { p.field(&f, embeds); return nil }); err != nil {
			p.mistake(f.at, err)
		}
	}
}

// unexported finds the mistakes of a field that is not filled.
func (p *planner) unexported(f *field) {
	if f.Anonymous && f.Type.Kind() == reflect.Pointer {
		p.mistake(f.at, errEmbeddedPointer)
	}
	if parsed, err := parseTags(string(f.Tag)); err == nil {
		for _, key := range parsed.located() {
			p.mistake(f.at, errUnexported(key))
		}
	}
}

var errEmbeddedPointer = errors.New("it is an embedded pointer: embed the struct itself")

// finish makes what depends on all fields.
func (p *planner) finish() {
	if len(p.members) > 0 {
		p.addMembers()
	}
	p.findOthers()
	switch {
	case reflect.PointerTo(p.outer).Implements(validatorType):
		p.plan.check = func(in reflect.Value) error {
			v, _ := in.Addr().Interface().(validator)
			return v.Validate()
		}
	case p.hidesValidate(p.outer):
		p.mistake(typeName(p.outer), errors.New("several embedded structs have a method Validate, so none is called: write one that calls them"))
	}
}

// hidesValidate reports whether an embedded struct has a Validate method. It is
// asked when the outer struct has none: then there are several.
func (p *planner) hidesValidate(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct &&
			(reflect.PointerTo(f.Type).Implements(validatorType) || p.hidesValidate(f.Type)) {
			return true
		}
	}
	return false
}
