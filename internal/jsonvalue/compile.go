package jsonvalue

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// compiler makes plans, and collects all mistakes on the way.
type compiler struct {
	options  Options
	types    map[reflect.Type]*entry
	depth    int
	mistakes []error
}

// entry is a type without traits: made, or being made.
type entry struct {
	value value
	done  bool
}

// lazyPlan is that of a type inside itself.
type lazyPlan struct{ entry *entry }

func (p lazyPlan) bind(s *state, i uint32, dst reflect.Value) { p.entry.value.bind(s, i, dst) }

// traits are what the tags of a member say of its values.
type traits struct {
	rules  *rules.Rules
	enum   string
	format string
}

func newCompiler(o Options) *compiler {
	if o.TagName == "" {
		o.TagName = "json"
	}
	return &compiler{options: o, types: map[reflect.Type]*entry{}}
}

func (c *compiler) err() error { return errors.Join(c.mistakes...) }

// mistake is one of the program; at names its place, such as "User.Name".
func (c *compiler) mistake(at, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	if at != "" {
		err = fmt.Errorf("%s: %w", at, err)
	}
	c.mistakes = append(c.mistakes, err)
}

func typeName(t reflect.Type) string {
	if t.Name() != "" {
		return t.Name()
	}
	return t.String()
}

// value plans the values of a type.
func (c *compiler) value(t reflect.Type, tr traits, at string) value {
	if tr != (traits{}) {
		if c.depth++; c.depth > defaultDepth {
			c.mistake(at, "the type %v holds itself, so its elements have no tags", t)
			return value{plan: anyPlan{}}
		}
		defer func() { c.depth-- }()
		return c.make(t, tr, at)
	}
	e, ok := c.types[t]
	switch {
	case !ok:
		e = &entry{}
		c.types[t] = e
		e.value = c.make(t, tr, at)
		e.done = true
	case !e.done:
		return value{plan: lazyPlan{e}}
	}
	return e.value
}

var (
	rawType      = reflect.TypeFor[json.RawMessage]()
	numberType   = reflect.TypeFor[json.Number]()
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
	selfType     = reflect.TypeFor[json.Unmarshaler]()
	textType     = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (c *compiler) make(t reflect.Type, tr traits, at string) value {
	if elem, ok := rules.Optional(t); ok {
		return value{plan: &optionalPlan{elem: c.value(elem, tr, at)}}
	}
	switch {
	case t.Kind() == reflect.Pointer:
		elem := c.value(t.Elem(), tr, at)
		if valueType(t).Kind() == reflect.Pointer {
			c.mistake(at, "%v points to too many pointers", t)
		}
		r := elem.rules // "omitempty" asks for the pointer
		elem.rules = nil
		return value{plan: &pointerPlan{t: t.Elem(), elem: elem}, rules: r, sized: elem.sized}
	case isLeaf(t):
		return c.leaf(t, tr, at)
	}
	v := value{rules: tr.rules}
	inner := traits{rules: tr.rules.Elem(), enum: tr.enum, format: tr.format}
	switch t.Kind() {
	case reflect.Slice:
		v.sized = true
		v.plan = &slicePlan{t: t, empty: reflect.MakeSlice(t, 0, 0), rules: tr.rules, elem: c.value(t.Elem(), inner, at)}
	case reflect.Array:
		v.plan = &arrayPlan{length: t.Len(), elem: c.value(t.Elem(), inner, at)}
	case reflect.Map:
		v.sized = true
		p := &mapPlan{t: t, rules: tr.rules, keys: tr.rules.Keys(), elem: c.value(t.Elem(), inner, at)}
		if p.key = c.key(t.Key()); p.key == nil {
			c.mistake(at, "the names of an object are no %v", t.Key())
		}
		v.plan = p
	case reflect.Struct:
		if tr.enum != "" || tr.format != "" {
			c.mistake(at, "an object has no enum and no format")
		}
		p := &structPlan{}
		v.plan = p
		c.object(p, structFields(t), at)
	default:
		c.mistake(at, "JSON is not read as %v", t)
		v.plan = anyPlan{}
	}
	return v
}

// isLeaf tells the types whose plan does not look at types inside.
func isLeaf(t reflect.Type) bool {
	switch {
	case t == rawType, t == timeType, reflect.PointerTo(t).Implements(selfType), reflect.PointerTo(t).Implements(textType):
		return true
	}
	switch t.Kind() {
	case reflect.Slice:
		return t.Elem().Kind() == reflect.Uint8 && !isLeafMethod(t.Elem())
	case reflect.Interface:
		return t.NumMethod() == 0
	}
	return basic(t.Kind())
}

// isLeafMethod tells a type of elements that read themselves.
func isLeafMethod(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(selfType) || reflect.PointerTo(t).Implements(textType)
}

// leaf plans those types.
func (c *compiler) leaf(t reflect.Type, tr traits, at string) value {
	v := value{plan: leafPlan(t), rules: tr.rules}
	codec, err := textvalue.New(t, tr.format)
	if p, ok := v.plan.(textPlan); ok || tr.format != "" {
		if err != nil {
			c.mistake(at, "%w", err)
			return v
		}
		p.codec, p.number = codec, t == timeType && tr.format == "unix"
		v.plan = p
	}
	if p, ok := v.plan.(durationPlan); ok {
		p.text.codec = codec
		v.plan = p
	}
	if tr.enum == "" {
		return v
	}
	if err != nil {
		c.mistake(at, "enum: %w", err)
		return v
	}
	if v.enum, err = codec.Enum(tr.enum); err != nil {
		c.mistake(at, "%w", err)
	}
	return v
}

func leafPlan(t reflect.Type) plan {
	switch {
	case t == rawType:
		return rawPlan{}
	case t == numberType:
		return numberPlan{}
	case t == durationType:
		return durationPlan{}
	case t == timeType:
		return textPlan{}
	case reflect.PointerTo(t).Implements(selfType):
		return selfPlan{}
	case reflect.PointerTo(t).Implements(textType):
		return textPlan{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return boolPlan{}
	case reflect.String:
		return stringPlan{}
	case reflect.Slice:
		return bytesPlan{}
	case reflect.Interface:
		return anyPlan{}
	case reflect.Float32, reflect.Float64:
		return floatPlan{bits: t.Bits()}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return uintPlan{bits: t.Bits()}
	}
	return intPlan{bits: t.Bits()}
}

// key is the codec of the names of a map: texts, integers, and what reads itself.
func (c *compiler) key(t reflect.Type) *textvalue.Codec {
	switch t.Kind() {
	case reflect.Bool, reflect.Float32, reflect.Float64:
		if !reflect.PointerTo(t).Implements(textType) {
			return nil
		}
	}
	codec, err := textvalue.New(t, "")
	if err != nil {
		return nil
	}
	return codec
}
