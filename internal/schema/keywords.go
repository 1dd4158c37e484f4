package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// replaceKeywords puts our own in place of keywords of the module: those that
// look into an object or a list, so that nobody collects the faults of a million
// elements, see [members] and [items]; propertyNames, whose errors share the memory
// of their place with those of other members; and uniqueItems, whose hash a client
// can make collide. Every schema draws on the budget of the check.
func replaceKeywords(root *jsonschema.Schema, b *budget) {
	everySchema(reflect.ValueOf(root), map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) {
		own := []jsonschema.SchemaExt{b}
		if s.PropertyNames != nil {
			own = append(own, propertyNames{s.PropertyNames})
			s.PropertyNames = nil
		}
		if s.UniqueItems {
			own = append(own, uniqueItems{})
			s.UniqueItems = false
		}
		if m := membersOf(s, b); m != nil {
			own = append(own, m)
		}
		own = append(own, itemsOf(s, b)...)
		s.Extensions = append(own, s.Extensions...)
	})
}

// scoped reports whether what a schema says may depend on the way to it.
func scoped(root *jsonschema.Schema) (found bool) {
	everySchema(reflect.ValueOf(root), map[*jsonschema.Schema]bool{}, func(s *jsonschema.Schema) {
		found = found || s.DynamicRef != nil || s.RecursiveRef != nil
	})
	return found
}

var schemaType = reflect.TypeFor[*jsonschema.Schema]()

// everySchema calls do for each schema that v leads to, in whatever it is kept.
func everySchema(v reflect.Value, seen map[*jsonschema.Schema]bool, do func(*jsonschema.Schema)) {
	switch v.Kind() {
	case reflect.Interface:
		everySchema(v.Elem(), seen, do)
	case reflect.Slice:
		for i := range v.Len() {
			everySchema(v.Index(i), seen, do)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			everySchema(v.MapIndex(key), seen, do)
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Type() == schemaType {
			s, ok := v.Interface().(*jsonschema.Schema)
			if !ok || seen[s] {
				return
			}
			seen[s] = true
			fields(v.Elem(), seen, do)
			do(s)
		} else if v.Type() == reflect.TypeFor[*jsonschema.DynamicRef]() {
			fields(v.Elem(), seen, do)
		}
	}
}

func fields(v reflect.Value, seen map[*jsonschema.Schema]bool, do func(*jsonschema.Schema)) {
	for i := range v.NumField() {
		if v.Type().Field(i).IsExported() {
			everySchema(v.Field(i), seen, do)
		}
	}
}

type propertyNames struct{ schema *jsonschema.Schema }

func (p propertyNames) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, _ := v.(map[string]any)
	found := 0
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if p.schema.Validate(name) == nil {
			continue
		}
		ctx.AddError(&kind.PropertyNames{Property: name})
		if found++; found == maxViolations {
			return
		}
	}
}

type uniqueItems struct{}

func (uniqueItems) Validate(ctx *jsonschema.ValidatorContext, v any) {
	items, _ := v.([]any)
	if len(items) < 2 {
		return
	}
	seen := make(map[string]struct{}, len(items))
	var key []byte
	for i, item := range items {
		key = appendKey(key[:0], item)
		seen[string(key)] = struct{}{}
		if len(seen) == i {
			ctx.AddError(&kind.UniqueItems{})
			return
		}
	}
}

// appendKey appends a text that equal values have alone.
func appendKey(key []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		key = append(key, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key = appendKey(appendKey(key, name), v[name])
		}
		return append(key, '}')
	case []any:
		key = append(key, '[')
		for _, item := range v {
			key = appendKey(key, item)
		}
		return append(key, ']')
	case string:
		key = append(strconv.AppendInt(append(key, '"'), int64(len(v)), 10), ':')
		return append(key, v...)
	case json.Number:
		return append(appendNumber(key, v.String()), ' ')
	}
	if text := fmt.Sprint(v); v != nil && reflect.TypeOf(v).Kind() != reflect.Bool {
		return append(appendNumber(key, text), ' ')
	} else {
		return append(append(key, text...), ' ')
	}
}

func appendNumber(key []byte, text string) []byte {
	if number, ok := new(big.Rat).SetString(text); ok {
		return append(key, number.RatString()...)
	}
	return append(key, text...)
}

// loops reports whether a reference leads back to itself for a value of some kind.
func loops(s *jsonschema.Schema) bool {
	for _, v := range []any{nil, false, "", json.Number("0"), []any{}, map[string]any{}} {
		var failed *jsonschema.ValidationError
		if errors.As(s.Validate(v), &failed) && hasCycle(failed) {
			return true
		}
	}
	return false
}

func hasCycle(e *jsonschema.ValidationError) bool {
	_, cycle := e.ErrorKind.(*kind.RefCycle)
	return cycle || slices.ContainsFunc(e.Causes, hasCycle)
}
