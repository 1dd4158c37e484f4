package schema_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/schema"
)

func compile(t testing.TB, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile([]byte(text))
	require.NoError(t, err)
	return s
}

func value(t testing.TB, text string) any {
	t.Helper()
	document, faults := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
	require.Empty(t, faults)
	return document.Any()
}

// check is what is wrong with the value, as it is told.
func check(t testing.TB, schemaText, text string) (told []string) {
	t.Helper()
	for _, v := range compile(t, schemaText).Check(value(t, text)) {
		told = append(told, v.Code+": "+schema.Prefixed(v.Pointer, v.Message))
	}
	return told
}

func TestCheck(t *testing.T) {
	const address = `{"type": "object", "required": ["street", "zip"], "additionalProperties": false,
		"properties": {"street": {"type": "string", "minLength": 1}, "zip": {"pattern": "^[0-9]+$"}}}`
	for name, row := range map[string]struct {
		schema string
		value  string
		want   []string
	}{
		"everything":               {`{}`, `{"a": [null]}`, nil},
		"true":                     {`true`, `1`, nil},
		"nothing":                  {`false`, `1`, []string{"false: is not allowed"}},
		"an object":                {`{"type": "object"}`, `{}`, nil},                                                  // FW-232
		"an object inside":         {`{"properties": {"a": {"type": "object"}}}`, `{"a": {}}`, nil},                    // FW-232
		"no object":                {`{"type": "object"}`, `[]`, []string{"type: must be an object"}},                  // FW-231, FW-241
		"no string":                {`{"type": "string"}`, `{"hello": "world"}`, []string{"type: must be a string"}},   // FW-229
		"null is checked":          {`{"type": "object"}`, `null`, []string{"type: must be an object"}},                // FW-231
		"zero is checked":          {`{"type": "string"}`, `0`, []string{"type: must be a string"}},                    // FW-231
		"false is checked":         {`{"type": "string"}`, `false`, []string{"type: must be a string"}},                // FW-231
		"the empty text, too":      {`{"minLength": 2}`, `""`, []string{"minLength: must have at least 2 characters"}}, // FW-231
		"several types":            {`{"type": ["array", "null", "integer", "boolean"]}`, `"1"`, []string{"type: must be null or a boolean or an integer or an array"}},
		"an integer with a point":  {`{"type": "integer"}`, `1.0`, nil},
		"no integer":               {`{"type": "integer"}`, `1.5`, []string{"type: must be an integer"}},
		"enum":                     {`{"properties": {"hello": {"enum": ["world", "europe"]}}}`, `{"hello": "asia"}`, []string{`enum: [Property hello] must be one of: "world", "europe"`}}, // FW-240, FW-241
		"enum of one":              {`{"enum": [null]}`, `1`, []string{"enum: must be null"}},
		"enum of a number":         {`{"enum": [1]}`, `1.0`, nil},
		"long enum":                {`{"enum": ["` + strings.Repeat("a", 300) + `", 1]}`, `2`, []string{"enum: must have an allowed value"}},
		"const":                    {`{"const": {"a": 1}}`, `{"a": 2}`, []string{`const: must be {"a":1}`}},
		"required":                 {address, `{}`, []string{"required: [Property street] the property street is required", "required: [Property zip] the property zip is required"}},                                                                                                                                                     // FW-229, FW-241
		"all violations":           {address, `{"street": "", "zip": "a", "b": 1, "a": 1}`, []string{"additionalProperties: [Property a] is not allowed", "additionalProperties: [Property b] is not allowed", "minLength: [Property street] must have at least 1 character", "pattern: [Property zip] must match the pattern ^[0-9]+$"}}, // FW-229
		"deep":                     {`{"properties": {"list": {"items": ` + address + `}}}`, `{"list": [{"street": "x", "zip": "1"}, {"street": 1, "zip": "1"}]}`, []string{"type: [Property list.1.street] must be a string"}},                                                                                                           // FW-240
		"names with marks":         {`{"additionalProperties": {"type": "null"}}`, `{"a/b~c": 1}`, []string{"type: [Property a/b~c] must be null"}},
		"bounds":                   {`{"minimum": 1.5, "exclusiveMaximum": 10}`, `1`, []string{"minimum: must be at least 1.5"}},
		"bounds, above":            {`{"maximum": 10, "exclusiveMaximum": 10}`, `11`, []string{"exclusiveMaximum: must be less than 10", "maximum: must be at most 10"}},
		"bounds, below":            {`{"exclusiveMinimum": 0.1}`, `0.1`, []string{"exclusiveMinimum: must be greater than 0.1"}},
		"exact bounds":             {`{"maximum": 9007199254740994}`, `9007199254740995`, []string{"maximum: must be at most 9007199254740994"}}, // FW-233, peer-fw 38
		"exact enum":               {`{"enum": [9007199254740993]}`, `9007199254740992`, []string{"enum: must be 9007199254740993"}},             // FW-233
		"multiple":                 {`{"multipleOf": 0.01}`, `0.015`, []string{"multipleOf: must be a multiple of 0.01"}},
		"multiple, exactly":        {`{"multipleOf": 0.01}`, `19.99`, nil},
		"lengths":                  {`{"minLength": 2, "maxLength": 3}`, `"ž😀é!"`, []string{"maxLength: must have at most 3 characters"}},
		"items":                    {`{"minItems": 2, "maxItems": 1}`, `[]`, []string{"minItems: must have at least 2 items"}},
		"more items":               {`{"maxItems": 1}`, `[1, 2]`, []string{"maxItems: must have at most 1 item"}},
		"properties":               {`{"minProperties": 1}`, `{}`, []string{"minProperties: must have at least 1 property"}},
		"more properties":          {`{"maxProperties": 0}`, `{"a": 1}`, []string{"maxProperties: must have at most 0 properties"}},
		"contains":                 {`{"contains": {"type": "null"}}`, `[1]`, []string{"contains: must have an item of the required form"}},
		"contains more":            {`{"contains": {"type": "null"}, "minContains": 2}`, `[null]`, []string{"minContains: must have at least 2 items of the required form"}},
		"contains less":            {`{"contains": {"type": "null"}, "maxContains": 1}`, `[null, null]`, []string{"maxContains: must have at most 1 item of the counted form"}},
		"not":                      {`{"not": {"type": "null"}}`, `null`, []string{"not: must not have the excluded form"}},
		"a format":                 {`{"format": "email"}`, `"a"`, []string{"format: must have the format email"}},
		"an unknown format":        {`{"format": "iban"}`, `"a"`, nil},
		"dependent":                {`{"dependentRequired": {"a": ["b"]}}`, `{"a": 1}`, []string{"dependentRequired: [Property b] the property b is required beside a"}},
		"unevaluated":              {`{"properties": {"a": true}, "unevaluatedProperties": false}`, `{"a": 1, "b": 2}`, []string{"unevaluatedProperties: [Property b] is not allowed"}},
		"items that are too many":  {`{"prefixItems": [true], "items": false}`, `[1, 2]`, []string{"items: [Property 1] is not allowed"}},
		"all of":                   {`{"allOf": [{"minimum": 2}, {"$ref": "#/$defs/big"}], "$defs": {"big": {"minimum": 3}}}`, `1`, []string{"minimum: must be at least 2", "minimum: must be at least 3"}},
		"if":                       {`{"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}`, `""`, []string{"minLength: must have at least 1 character"}},
		"any of":                   {`{"anyOf": [{"minimum": 2}, {"const": 0}]}`, `1`, []string{"anyOf: must fit one of the allowed forms"}},
		"null or":                  {`{"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}], "$defs": {"a": ` + address + `}}`, `{"street": "a"}`, []string{"required: [Property zip] the property zip is required"}},
		"neither null nor":         {`{"anyOf": [{"type": "null"}, {"type": "object"}]}`, `1`, []string{"anyOf: must fit one of the allowed forms"}},
		"one of":                   {`{"oneOf": [{"type": "null"}, {"type": "object"}]}`, `1`, []string{"oneOf: must fit one of the allowed forms"}},
		"one of, meant":            {`{"oneOf": [{"type": "null"}, {"minLength": 1}]}`, `""`, []string{"minLength: must have at least 1 character"}},
		"one of, two":              {`{"oneOf": [{"minimum": 1}, {"maximum": 3}]}`, `2`, []string{"oneOf: must fit only one of the allowed forms"}},
		"twice the same":           {`{"allOf": [{"type": "null"}, {"type": "null"}]}`, `1`, []string{"type: must be null"}},
		"a name":                   {`{"additionalProperties": {"additionalProperties": {"propertyNames": {"maxLength": 1}}}}`, `{"a": {"x": {"ab": 1}, "y": {"c": 1}}, "b": {"z": {"d": 1}}}`, []string{"propertyNames: [Property a.x.ab] has a name that is not allowed"}},
		"equal items":              {`{"uniqueItems": true}`, `[1, {"a": [1.50, "x"], "b": null}, {"b": null, "a": [1.5, "x"]}]`, []string{"uniqueItems: must not have equal items"}},
		"equal numbers":            {`{"uniqueItems": true}`, `[1, 1.0]`, []string{"uniqueItems: must not have equal items"}},
		"items of different types": {`{"uniqueItems": true}`, `[1, "1", true, "true", null, "null", [], {}, [1], [[1]], ["a", "b"], ["a\u0000b"], ["ab", ""], ["a", "b", ""], -1, 0, false, {"a": 1}, {"a": "1"}]`, nil},
		"a number without end":     {`{"type": "integer", "maximum": 1}`, `[1, {"a": 1e1000000}]`, []string{"number: [Property 1.a] must be a number of at most 400 digits"}},
		"a number of many digits":  {`{}`, strings.Repeat("1", 401), []string{"number: must be a number of at most 400 digits"}},
		"a small number":           {`{}`, `1e-401`, []string{"number: must be a number of at most 400 digits"}},
		"the longest numbers":      {`{"minimum": 0}`, `1e400`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, check(t, row.schema, row.value))
		})
	}
}

func TestDrafts(t *testing.T) { // FW-235
	for name, row := range map[string]struct {
		schema string
		value  string
		want   []string
	}{
		"draft 4": {
			`{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://example.com/", "maximum": 3, "exclusiveMaximum": true, "format": "email"}`,
			`3`, []string{"exclusiveMaximum: must be less than 3"},
		},
		"draft 4, lists": {
			`{"$schema": "http://json-schema.org/draft-04/schema#", "items": [{"type": "null"}], "additionalItems": false, "dependencies": {"a": ["b"]}}`,
			`[null, 1]`, []string{"additionalItems: must not have further items"},
		},
		"draft 4, dependencies": {
			`{"$schema": "http://json-schema.org/draft-04/schema#", "dependencies": {"a": ["b"]}}`,
			`{"a": 1}`, []string{"dependencies: [Property b] the property b is required beside a"},
		},
		"draft 6": {
			`{"$schema": "http://json-schema.org/draft-06/schema#", "const": 1}`,
			`2`, []string{"const: must be 1"},
		},
		"draft 7": {
			`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"format": "date"}}, "$ref": "#/definitions/a"}`,
			`"x"`, []string{"format: must have the format date"},
		},
		"2019-09": {
			`{"$schema": "https://json-schema.org/draft/2019-09/schema", "format": "date", "$recursiveAnchor": true, "items": {"$recursiveRef": "#"}}`,
			`["x"]`, []string{"format: [Property 0] must have the format date"},
		},
		"2020-12": {
			`{"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"type": "null"}], "format": "date"}`,
			`[1]`, []string{"type: [Property 0] must be null"},
		},
		"without a draft it is 2020-12": {
			`{"prefixItems": [{"type": "null"}], "items": {"format": "date"}}`,
			`[1, "x"]`, []string{"format: [Property 1] must have the format date", "type: [Property 0] must be null"},
		},
		"a schema of schemas": {
			`{"$ref": "http://json-schema.org/draft-07/schema#"}`,
			`{"minLength": -1}`, []string{"minimum: [Property minLength] must be at least 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.ElementsMatch(t, row.want, check(t, row.schema, row.value))
		})
	}
}

func TestMistakes(t *testing.T) { // FW-236
	const elsewhere = " is neither in the schema nor one of the drafts 4 to 2020-12, and nothing is loaded"
	for name, row := range map[string]struct{ schema, want string }{
		"no JSON":          {`{"type": object}`, "schema: Syntax error"},
		"nothing":          {``, "schema: Syntax error"},
		"a member twice":   {`{"type": "object", "type": "array"}`, "schema: [Property type] Field occurs more than once"},
		"of another host":  {`{"$ref": "https://example.com/a.json"}`, `schema: "https://example.com/a.json"` + elsewhere},
		"of a file":        {`{"$ref": "file:///etc/passwd"}`, `schema: "file:///etc/passwd"` + elsewhere},
		"of another text":  {`{"items": {"$ref": "other.json#/a"}}`, `schema: "other.json"` + elsewhere},
		"draft 3":          {`{"$schema": "http://json-schema.org/draft-03/schema#"}`, `schema: "http://json-schema.org/draft-03/schema"` + elsewhere},
		"a loop":           {`{"$ref": "#"}`, "schema: a $ref leads back to itself"},
		"a loop inside":    {`{"type": "object", "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#"}}}`, "schema: a $ref leads back to itself"},
		"a number too big": {`{"minimum": 1e1000000}`, "schema: [Property minimum] must be a number of at most 400 digits"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.Compile([]byte(row.schema))
			require.EqualError(t, err, row.want)
		})
	}
	for name, text := range map[string]string{
		"no type":         `{"type": "objekt"}`,
		"no schema":       `[]`,
		"a lost pointer":  `{"$ref": "#/$defs/a"}`,
		"a bad pattern":   `{"pattern": "("}`,
		"a look ahead":    `{"pattern": "a(?!b)"}`,
		"not of draft 4":  `{"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMaximum": 3}`,
		"a negative size": `{"minLength": -1}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := schema.Compile([]byte(text))
			require.ErrorContains(t, err, "schema: ")
		})
	}
}

// A pattern takes time in proportion to the text, whatever it is.
func TestPatternsAreLinear(t *testing.T) {
	s := compile(t, `{"pattern": "^(a+)+$"}`)
	require.Len(t, s.Check(strings.Repeat("a", 100_000)+"b"), 1)
}

// Items whose parts together are the same bytes are told apart without comparing
// all pairs.
func TestUniqueItemsOfAnAttacker(t *testing.T) {
	items := make([]any, 20_000)
	for i := range items {
		var item []any
		for _, part := range strings.SplitAfter(fmt.Sprintf("%015b", i), "1") {
			item = append(item, strings.ReplaceAll(part, "1", "\x04"))
		}
		items[i] = item
	}
	require.Empty(t, compile(t, `{"uniqueItems": true}`).Check(items))
}

func TestCheckIsConcurrent(t *testing.T) {
	s := compile(t, `{"items": {"type": "string", "uniqueItems": true}, "propertyNames": {"maxLength": 1}}`)
	v := value(t, `["a", 1, {"ab": 1}]`)
	want := s.Check(v)
	require.Len(t, want, 2)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 50 {
				if got := s.Check(v); len(got) != len(want) || got[0] != want[0] {
					t.Error("another result")
				}
			}
		})
	}
	group.Wait()
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{`{}`, `{"a": [1, 1.0], "bb": {"a": null}}`, `[1e400, -1, "a", [[]]]`, `1e999999999`, `"\u0000"`} {
		f.Add(text)
	}
	schemas := []*schema.Schema{
		compile(f, `{"$defs": {"tree": {"anyOf": [{"type": "null"}, {"additionalProperties": {"$ref": "#/$defs/tree"}, "propertyNames": {"maxLength": 1}, "items": {"$ref": "#/$defs/tree"}, "uniqueItems": true, "multipleOf": 0.5}]}}, "$ref": "#/$defs/tree"}`),
		compile(f, `{"type": ["object", "array"], "oneOf": [{"required": ["a"]}, {"minItems": 1}], "unevaluatedProperties": {"not": {"minimum": 0}}, "contains": {"const": 1}}`),
	}
	f.Fuzz(func(t *testing.T, text string) {
		document, faults := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
		if len(faults) > 0 {
			return
		}
		for _, s := range schemas {
			first, second := s.Check(document.Any()), s.Check(document.Any())
			require.Equal(t, first, second)
		}
	})
}
