package param

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
	"github.com/sallyport-go/sallyport/internal/typeschema"
)

// plan is a declaration as requests are read by it.
type plan[T any] struct {
	input   api.Input
	err     error // all mistakes
	codec   *textvalue.Codec
	text    bool            // T is a string: an empty text is a value
	allowed map[string]bool // by their texts; nil: every value
	each    *rules.Rules
	whole   *rules.Rules // of the list
}

func makePlan[T any](d *declaration[T]) (p plan[T]) {
	mistakes := mistakes{what: fmt.Sprintf("%s parameter %q", d.source, d.name)}
	mistakes.ask(func() { p.make(d, &mistakes) })
	p.err = mistakes.err()
	return p
}

func (p *plan[T]) make(d *declaration[T], mistakes *mistakes) {
	elem := reflect.TypeFor[T]()
	p.input = api.Input{
		In: d.source, Name: d.name, Description: d.description, Required: d.required, Multi: d.multi,
		Schema: api.Schema{Type: elem},
	}
	mistakes.add(checkName(d.source, d.name))
	switch {
	case d.source == api.InPath && d.multi, d.source == api.InCookie && d.multi:
		mistakes.addf("it is one value: drop Multi()")
	case d.source == api.InPath && d.def != nil:
		mistakes.addf("a path is always sent whole: drop Default()")
	}

	var err error
	if p.codec, err = textvalue.New(elem, d.format); err != nil {
		mistakes.add(err)
		return // nothing else can be told
	}
	p.input.Type = p.codec.Expected()
	p.text = elem.Kind() == reflect.String && p.input.Type == "string"
	p.each = compileRules(elem, d.each, mistakes)
	p.whole = compileRules(reflect.SliceOf(elem), d.whole, mistakes)
	if d.multi && p.each != nil || p.whole != nil {
		p.input.Schema.JSON = typeschema.Texts(elem, p.whole, p.each, d.format)
	} else if len(p.each.Tags()) > 0 {
		p.input.Schema.JSON = typeschema.Text(elem, p.each, d.format)
	}
	p.allow(d, mistakes)
	p.describeDefault(d, mistakes)
	p.describeExamples(d, mistakes)
}

func compileRules(t reflect.Type, tag string, mistakes *mistakes) *rules.Rules {
	compiled, err := rules.Compile(t, tag)
	switch {
	case err != nil:
		mistakes.addf("Validate(%q): %w", tag, err)
		return nil
	case compiled.Required():
		mistakes.addf(`Validate(%q): write Required() for "required"`, tag)
	case len(compiled.Fields()) > 0:
		mistakes.addf("Validate(%q): a parameter is no field of a struct, so no rule can name another one", tag)
	}
	return compiled
}

func (p *plan[T]) allow(d *declaration[T], mistakes *mistakes) {
	if !d.restricted {
		return
	}
	switch {
	case len(d.choices) == 0:
		mistakes.addf("Allowed() without values would refuse everything")
	case !p.codec.CanWrite():
		mistakes.addf("the values of %s are not told apart without a method MarshalText: drop Allowed()", reflect.TypeFor[T]())
		return
	}
	allowed := make(map[string]bool, len(d.choices))
	for _, choice := range d.choices {
		text := p.codec.Text(reflect.ValueOf(&choice.Value).Elem())
		switch {
		case allowed[text]:
			mistakes.addf("the value %q is allowed twice", text)
			continue
		case !p.sendable(reflect.ValueOf(&choice.Value).Elem()):
			mistakes.addf("the allowed value %v cannot be sent", choice.Value)
		}
		allowed[text] = true
		if choice.Description == "" {
			choice.Description = text
		}
		p.input.Allowed = append(p.input.Allowed, api.Allowed{Value: choice.Value, Description: choice.Description})
	}
	p.allowed = allowed
}

func (p *plan[T]) describeDefault(d *declaration[T], mistakes *mistakes) {
	if d.def == nil {
		return
	}
	p.checkDeclared("default", d.def, d.multi, mistakes)
	if d.multi {
		p.input.Default = slices.Clone(d.def)
	} else {
		p.input.Default = d.def[0]
	}
}

func (p *plan[T]) describeExamples(d *declaration[T], mistakes *mistakes) {
	names := map[string]bool{}
	for _, e := range d.examples {
		what := fmt.Sprintf("example %q", e.name)
		if names[e.name] {
			mistakes.addf("%s is given twice", what)
		}
		names[e.name] = true
		p.checkDeclared(what, e.values, d.multi, mistakes)
		described := api.Example{Name: e.name}
		if d.multi {
			described.Value = slices.Clone(e.values)
		} else {
			described.Value = e.values[0]
		}
		p.input.Examples = append(p.input.Examples, described)
	}
}

// checkDeclared holds a default and examples to what is asked of clients.
func (p *plan[T]) checkDeclared(what string, values []T, multi bool, mistakes *mistakes) {
	add := func(_, message string) { mistakes.add(errors.New(what + ": " + message)) }
	list := reflect.ValueOf(values)
	for i := range values {
		switch v := list.Index(i); {
		case p.allowed != nil && !p.allowed[p.codec.Text(v)]:
			add("", notAllowed)
		case p.codec.CanWrite() && !p.sendable(v):
			mistakes.addf("%s: the value %v cannot be sent", what, values[i])
		default:
			checkAll(p.each, v, add)
		}
	}
	if multi {
		checkAll(p.whole, list, add)
	}
}

// sendable reports whether a request can have the value.
func (p *plan[T]) sendable(v reflect.Value) bool {
	return p.codec.Set(reflect.New(reflect.TypeFor[T]()).Elem(), p.codec.Text(v))
}

const notAllowed = "Field contains not available value(s)"

// convert reads text into dst, which is settable, and checks it. It is false when
// dst is not what was sent.
func (p *plan[T]) convert(dst reflect.Value, text string, report func(code, message string)) bool {
	switch {
	case p.allowed != nil && !p.allowed[text]:
		report("enum", notAllowed)
	case !p.codec.Set(dst, text):
		report("type", "Value has invalid type. Expected "+p.codec.Expected()+".")
	default:
		checkAll(p.each, dst, report)
		return true
	}
	return false
}

// checkAll asks the rules of v, and those behind "dive" of what v holds.
func checkAll(r *rules.Rules, v reflect.Value, report func(code, message string)) {
	if r == nil {
		return
	}
	r.Check(v, report)
	if elem := r.Elem(); elem != nil && v.Kind() == reflect.Slice {
		for i := range v.Len() {
			checkAll(elem, v.Index(i), report)
		}
	}
}
