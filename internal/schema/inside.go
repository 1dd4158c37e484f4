package schema

import (
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxViolations bounds what is told of one value. Whatever looks into a value
// stops there, so that a list of a million elements is not wrong a million times.
const maxViolations = 100

// budget bounds how often schemas are applied in one check. A schema that refers
// to itself in several alternatives doubles the work with each level of the value,
// so when half of the budget is used, what was found is kept and not found again.
type budget struct {
	left   int
	keep   int // below so much, verdicts are kept; 0: never
	kept   map[question]error
	scoped bool // a verdict depends on the way to its schema, as $dynamicRef makes it
}

// question is a schema and the object or the list that it is applied to.
type question struct {
	schema *jsonschema.Schema
	value  uintptr
	length int
}

func (b *budget) reset(left int) {
	b.left, b.keep, b.kept = left, left/2, nil
	if b.scoped {
		b.keep = 0
	}
}

// exhausted is the panic of a budget.
type exhausted struct{}

// Validate draws on the budget.
func (b *budget) Validate(*jsonschema.ValidatorContext, any) { b.draw() }

func (b *budget) draw() {
	if b.left--; b.left < 0 {
		panic(exhausted{})
	}
}

// apply is ctx.Validate, or what that has said before.
func (b *budget) apply(ctx *jsonschema.ValidatorContext, s *jsonschema.Schema, v any, token string) error {
	b.draw()
	if b.left >= b.keep {
		return ctx.Validate(s, v, []string{token})
	}
	q, ok := questionOf(s, v)
	if !ok {
		return ctx.Validate(s, v, []string{token})
	}
	if err, found := b.kept[q]; found {
		return err
	}
	err := ctx.Validate(s, v, []string{token})
	if failed, is := err.(*jsonschema.ValidationError); err == nil || is && failed.ErrorKind != nil { //nolint:errorlint // it is nothing else
		if b.kept == nil {
			b.kept = map[question]error{}
		}
		b.kept[q] = err // without a kind it is no more than a no
	}
	return err
}

// questionOf is false for a value that has no identity, which is no work either.
func questionOf(s *jsonschema.Schema, v any) (question, bool) {
	switch inner := v.(type) {
	case map[string]any:
		return question{s, reflect.ValueOf(inner).Pointer(), len(inner)}, len(inner) > 0
	case []any:
		return question{s, reflect.ValueOf(inner).Pointer(), len(inner)}, len(inner) > 0
	}
	return question{}, false
}

// inside applies schemas to the values inside of one, until enough is wrong.
type inside struct {
	budget *budget
	ctx    *jsonschema.ValidatorContext
	found  int
}

// apply reports whether to go on.
func (i *inside) apply(s *jsonschema.Schema, v any, token string) bool {
	if err := i.budget.apply(i.ctx, s, v, token); err != nil {
		i.ctx.AddErr(err)
		i.found += weight(err, maxViolations)
	}
	return i.found < maxViolations
}

// weight is about how many violations an error stands for, up to most. Errors that
// were kept may stand in it more than once.
func weight(err error, most int) int {
	e, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // it is nothing else
	if !ok || len(e.Causes) == 0 {
		return 1
	}
	sum := 0
	for _, cause := range e.Causes {
		if sum >= most {
			break
		}
		sum += weight(cause, most-sum)
	}
	return sum
}

// members is what properties, patternProperties and additionalProperties say.
type members struct {
	budget     *budget
	properties map[string]*jsonschema.Schema
	patterns   map[jsonschema.Regexp]*jsonschema.Schema
	additional any // nil, a bool or a schema
}

// membersOf takes the keywords out of the schema; nil: it has none.
func membersOf(s *jsonschema.Schema, b *budget) jsonschema.SchemaExt {
	if s.Properties == nil && s.PatternProperties == nil && s.AdditionalProperties == nil {
		return nil
	}
	m := members{b, s.Properties, s.PatternProperties, s.AdditionalProperties}
	s.Properties, s.PatternProperties, s.AdditionalProperties = nil, nil, nil
	return m
}

func (m members) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	in := inside{budget: m.budget, ctx: ctx}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		known, goOn := m.member(&in, name, object[name])
		switch {
		case !goOn:
			return
		case known:
			ctx.EvaluatedProp(name)
		case len(unknown) < maxViolations:
			unknown = append(unknown, name)
		}
	}
	if allowed, ok := m.additional.(bool); ok && !allowed && len(unknown) > 0 {
		ctx.AddError(&kind.AdditionalProperties{Properties: unknown})
	}
}

// member applies all that is said about one member. known is false when nothing
// is, but that further members may not be there.
func (m members) member(in *inside, name string, v any) (known, goOn bool) {
	if s, ok := m.properties[name]; ok {
		known = true
		if !in.apply(s, v, name) {
			return true, false
		}
	}
	for pattern, s := range m.patterns {
		if pattern.MatchString(name) {
			known = true
			if !in.apply(s, v, name) {
				return true, false
			}
		}
	}
	if known {
		return true, true
	}
	switch additional := m.additional.(type) {
	case *jsonschema.Schema:
		return true, in.apply(additional, v, name)
	case bool:
		return additional, true
	}
	return false, true
}

// items is what a keyword says about the elements of a list from one on.
type items struct {
	budget *budget
	schema *jsonschema.Schema
	from   int
}

// itemsOf takes the keywords about many elements out of the schema.
func itemsOf(s *jsonschema.Schema, b *budget) (own []jsonschema.SchemaExt) {
	if s.Items2020 != nil {
		own = append(own, items{b, s.Items2020, len(s.PrefixItems)})
		s.Items2020 = nil
	}
	switch before := s.Items.(type) {
	case *jsonschema.Schema:
		own = append(own, items{b, before, 0})
		s.Items, s.AdditionalItems = nil, nil // all elements are spoken of
	case []*jsonschema.Schema:
		if further, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
			own = append(own, items{b, further, len(before)})
			s.AdditionalItems = nil
		}
	}
	if s.Contains != nil {
		own = append(own, contains{b, s.Contains, s.MinContains, s.MaxContains, s.DraftVersion >= 2020})
		s.Contains, s.MinContains, s.MaxContains = nil, nil, nil
	}
	return own
}

func (i items) Validate(ctx *jsonschema.ValidatorContext, v any) {
	list, _ := v.([]any)
	in := inside{budget: i.budget, ctx: ctx}
	for index := i.from; index < len(list); index++ {
		if !in.apply(i.schema, list[index], strconv.Itoa(index)) {
			return
		}
	}
}

// contains counts the elements that fit.
type contains struct {
	budget    *budget
	schema    *jsonschema.Schema
	min, max  *int
	evaluates bool // elements that fit count as evaluated
}

func (c contains) Validate(ctx *jsonschema.ValidatorContext, v any) {
	list, ok := v.([]any)
	if !ok {
		return
	}
	matched := 0
	for i, item := range list {
		if c.budget.apply(ctx, c.schema, item, strconv.Itoa(i)) == nil {
			matched++
			if c.evaluates {
				ctx.EvaluatedItem(i)
			}
		}
	}
	switch {
	case c.min != nil && matched < *c.min:
		ctx.AddError(&kind.MinContains{Want: *c.min})
	case c.min == nil && matched == 0:
		ctx.AddError(&kind.Contains{})
	}
	if c.max != nil && matched > *c.max {
		ctx.AddError(&kind.MaxContains{Want: *c.max})
	}
}
