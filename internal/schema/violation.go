package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/sallyport-go/sallyport/internal/jsonpointer"
)

// violations adds those that an error of the module stands for, up to as many as
// are told.
func violations(e *jsonschema.ValidationError, all []Violation) []Violation {
	if len(all) >= maxViolations {
		return all
	}
	add := func(code, message string, member ...string) {
		at := append(slices.Clip(e.InstanceLocation), member...)
		all = append(all, Violation{jsonpointer.Bounded(at...), code, message})
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			all = violations(cause, all)
		}
	case *kind.AnyOf:
		if form := meant(e); form != nil {
			return violations(form, all)
		}
		add("anyOf", "must fit one of the allowed forms")
	case *kind.OneOf:
		if form := meant(e); form != nil {
			return violations(form, all)
		}
		if len(k.Subschemas) == 0 {
			add("oneOf", "must fit one of the allowed forms")
		} else {
			add("oneOf", "must fit only one of the allowed forms")
		}
	case *kind.Required:
		for _, name := range k.Missing {
			add("required", "the property "+name+" is required", name)
		}
	case *kind.Dependency:
		for _, name := range k.Missing {
			add("dependencies", "the property "+name+" is required beside "+k.Prop, name)
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			add("dependentRequired", "the property "+name+" is required beside "+k.Prop, name)
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add("additionalProperties", "is not allowed", name)
		}
	case *kind.PropertyNames:
		add("propertyNames", "has a name that is not allowed", k.Property)
	case *kind.FalseSchema:
		add(keywordOf(e.SchemaURL), "is not allowed")
	default:
		add(describe(e.ErrorKind))
	}
	return all
}

// meant is the one of several forms that a value of this type can be meant for,
// or nil. A form that nothing but the type rules out is not, as in "null or ...".
func meant(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	var forms []*jsonschema.ValidationError
	for _, form := range e.Causes {
		inner := form
		for _, ok := inner.ErrorKind.(*kind.Reference); ok && len(inner.Causes) == 1; _, ok = inner.ErrorKind.(*kind.Reference) {
			inner = inner.Causes[0]
		}
		_, ofType := inner.ErrorKind.(*kind.Type)
		if !ofType || len(inner.InstanceLocation) != len(e.InstanceLocation) {
			forms = append(forms, form)
		}
	}
	if len(forms) != 1 {
		return nil
	}
	return forms[0]
}

// keywordOf is the keyword that has the schema false.
func keywordOf(schemaURL string) string {
	for _, keyword := range []string{"unevaluatedProperties", "unevaluatedItems", "items", "contains"} {
		if strings.HasSuffix(schemaURL, "/"+keyword) {
			return keyword
		}
	}
	return "false"
}

// describe is the keyword, and what it demands, of an error about one value.
func describe(k jsonschema.ErrorKind) (code, message string) {
	switch k := k.(type) {
	case *kind.Type:
		return "type", "must be " + typeWords(k.Want)
	case *kind.Enum:
		return "enum", oneOf(k.Want)
	case *kind.Const:
		return "const", oneOf([]any{k.Want})
	case *kind.Format:
		return "format", "must have the format " + k.Want
	case *kind.Pattern:
		return "pattern", "must match the pattern " + k.Want
	case *kind.Not:
		return "not", "must not have the excluded form"
	case *kind.MinProperties:
		return "minProperties", "must have at least " + count(k.Want, "property", "properties")
	case *kind.MaxProperties:
		return "maxProperties", "must have at most " + count(k.Want, "property", "properties")
	case *kind.MinItems:
		return "minItems", "must have at least " + count(k.Want, "item", "items")
	case *kind.MaxItems:
		return "maxItems", "must have at most " + count(k.Want, "item", "items")
	case *kind.AdditionalItems:
		return "additionalItems", "must not have further items"
	case *kind.UniqueItems:
		return "uniqueItems", "must not have equal items"
	case *kind.Contains:
		return "contains", "must have an item of the required form"
	case *kind.MinContains:
		return "minContains", "must have at least " + count(k.Want, "item", "items") + " of the required form"
	case *kind.MaxContains:
		return "maxContains", "must have at most " + count(k.Want, "item", "items") + " of the counted form"
	case *kind.MinLength:
		return "minLength", "must have at least " + count(k.Want, "character", "characters")
	case *kind.MaxLength:
		return "maxLength", "must have at most " + count(k.Want, "character", "characters")
	case *kind.Minimum:
		return "minimum", "must be at least " + decimal(k.Want)
	case *kind.Maximum:
		return "maximum", "must be at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "exclusiveMinimum", "must be greater than " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "exclusiveMaximum", "must be less than " + decimal(k.Want)
	case *kind.MultipleOf:
		return "multipleOf", "must be a multiple of " + decimal(k.Want)
	}
	return "schema", "does not fit the schema"
}

func typeWords(types []string) string {
	words := make([]string, len(types))
	for i, name := range types {
		switch name {
		case "null":
			words[i] = "null"
		case "array", "integer", "object":
			words[i] = "an " + name
		default:
			words[i] = "a " + name
		}
	}
	return strings.Join(words, " or ")
}

// maxList is the length to which the values of a schema are told.
const maxList = 300

func oneOf(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			return "must have an allowed value"
		}
		texts[i] = string(text)
	}
	list := strings.Join(texts, ", ")
	switch {
	case len(list) > maxList:
		return "must have an allowed value"
	case len(values) == 1:
		return "must be " + list
	}
	return "must be one of: " + list
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// decimal is the number with all its digits.
func decimal(number *big.Rat) string {
	digits, _ := number.FloatPrec()
	return number.FloatString(digits)
}
