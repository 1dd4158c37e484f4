package schema

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// allocated is the memory that f takes, in bytes.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const expression = `{"$ref":"#/$defs/e","$defs":{"e":{"oneOf":[
	{"type":"object","properties":{"op":{"const":"not"},"arg":{"$ref":"#/$defs/e"}},"required":["op","arg"]},
	{"type":"object","properties":{"op":{"const":"neg"},"arg":{"$ref":"#/$defs/e"}},"required":["op","arg"]},
	{"type":"number"}]}}}`

// No value of a megabyte costs more than some fifty times its size.
func TestWrongValuesAreCheap(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	for name, row := range map[string]struct {
		schema, value string
		violations    int
		code          string // of the first
	}{
		"a long name": {
			`{"additionalProperties":{"items":{"type":"string"}}}`, `{"` + long + `":[` + strings.Repeat("1,", 20_000) + `1]}`, 1, "type",
		},
		"numbers under a long name": {`{}`, `{"` + long + `":[` + strings.Repeat("1e999,", 20_000) + `1]}`, 1, "number"},
		"alternatives for each element": {
			`{"items":{"anyOf":[{"type":"string"},{"type":"object"}]}}`, `[` + strings.Repeat("1,", 400_000) + `1]`, 50, "anyOf", // of two alternatives each
		},
		"a list of lists": {
			`{"items":{"items":{"items":{"type":"string"}}}}`,
			`[` + strings.Repeat(`[`+strings.Repeat(`[`+strings.Repeat("1,", 79)+`1],`, 79)+`[]],`, 79) + `[]]`, 100, "type",
		},
		"members":                        {`{"patternProperties":{"":{"type":"string"}}}`, manyMembers(50_000), 100, "type"},
		"unknown members":                {`{"additionalProperties":false}`, manyMembers(50_000), 100, "additionalProperties"},
		"names":                          {`{"propertyNames":{"maxLength":1}}`, manyMembers(50_000), 100, "propertyNames"},
		"contains":                       {`{"contains":{"type":"string"}}`, `[` + strings.Repeat("1,", 400_000) + `1]`, 1, "contains"},
		"a schema that doubles the work": {expression, strings.Repeat(`{"op":"not","arg":`, 90) + `"x"` + strings.Repeat("}", 90), 1, "oneOf"},
		"one that depends on the way": {
			strings.Replace(expression, "{", `{"$dynamicAnchor":"x","properties":{"y":{"$dynamicRef":"#x"}},`, 1),
			strings.Repeat(`{"op":"not","arg":`, 90) + `"x"` + strings.Repeat("}", 90), 1, "complexity",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Compile([]byte(row.schema))
			require.NoError(t, err)
			d, faults := jsonvalue.Parse([]byte(row.value), jsonvalue.Limits{})
			require.Empty(t, faults)
			v := d.Any()
			var found []Violation
			require.Less(t, allocated(func() { found = s.Check(v) }), uint64(200<<20))
			require.Len(t, found, row.violations)
			require.Equal(t, row.code, found[0].Code)
			for _, one := range found {
				require.LessOrEqual(t, len(one.Pointer), 1024)
			}
			require.Equal(t, found, s.Check(v), "the budget is for each check")
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":1,`, i)
	}
	return "{" + b.String() + `"x":1}`
}

func TestRecursiveSchemasOfGoodValues(t *testing.T) {
	s, err := Compile([]byte(expression))
	require.NoError(t, err)
	for _, depth := range []int{1, 12, 90} {
		d, _ := jsonvalue.Parse([]byte(strings.Repeat(`{"op":"not","arg":`, depth)+`1`+strings.Repeat("}", depth)), jsonvalue.Limits{})
		require.Empty(t, s.Check(d.Any()), depth)
	}
}

// What we put in place of the module's keywords decides as it does.
func TestOwnKeywordsAgreeWithTheModule(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "ab", "d"})
	leaf := rapid.SampledFrom([]string{`{}`, `true`, `false`, `{"type":"string"}`, `{"type":"integer"}`, `{"const":1}`, `{"minItems":1}`, `{"required":["a"]}`})
	var schemas func(depth int) *rapid.Generator[string]
	schemas = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(t *rapid.T) string {
			sub := func(label string) string { return schemas(depth-1).Draw(t, label) }
			keywords := map[string]string{
				"properties":            `{"` + rapid.SampledFrom([]string{"a", "b", "ab"}).Draw(t, "name") + `":` + sub("properties") + `,"d":` + sub("d") + `}`,
				"patternProperties":     `{"^a":` + sub("pattern") + `}`,
				"additionalProperties":  sub("additional"),
				"unevaluatedProperties": sub("unevaluated"),
				"propertyNames":         `{"maxLength":1}`,
				"items":                 sub("items"),
				"prefixItems":           `[` + sub("prefix") + `]`,
				"unevaluatedItems":      sub("unevaluated items"),
				"contains":              sub("contains"),
				"minContains":           rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, "min"),
				"maxContains":           rapid.SampledFrom([]string{"1", "2"}).Draw(t, "max"),
				"uniqueItems":           "true",
				"allOf":                 `[` + sub("all") + `,` + sub("all too") + `]`,
				"anyOf":                 `[` + sub("any") + `,` + sub("any too") + `]`,
				"oneOf":                 `[` + sub("one") + `,` + sub("one too") + `]`,
				"not":                   sub("not"),
				"if":                    sub("if"), "then": sub("then"), "else": sub("else"),
			}
			var b strings.Builder
			for i, keyword := range rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(keywords))), 1, 5, rapid.ID).Draw(t, "keywords") {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "%q:%s", keyword, keywords[keyword])
			}
			return "{" + b.String() + "}"
		})
	}
	var values func(depth int) *rapid.Generator[string]
	values = func(depth int) *rapid.Generator[string] {
		scalar := rapid.SampledFrom([]string{"1", "2", `"x"`, "null", "true", "1.5"})
		if depth == 0 {
			return scalar
		}
		return rapid.OneOf(scalar,
			rapid.Custom(func(t *rapid.T) string {
				return "[" + strings.Join(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "items"), ",") + "]"
			}),
			rapid.Custom(func(t *rapid.T) string {
				var members []string
				for _, name := range rapid.SliceOfNDistinct(names, 0, 3, rapid.ID).Draw(t, "names") {
					members = append(members, fmt.Sprintf("%q:%s", name, values(depth-1).Draw(t, name)))
				}
				return "{" + strings.Join(members, ",") + "}"
			}))
	}
	rapid.Check(t, func(t *rapid.T) {
		draft := rapid.SampledFrom([]string{"", `"$schema":"http://json-schema.org/draft-07/schema#",`}).Draw(t, "draft")
		text := strings.Replace(schemas(2).Draw(t, "schema"), "{", "{"+draft, 1)
		text = strings.Replace(text, ",}", "}", 1)
		value := values(2).Draw(t, "value")
		ours, err := Compile([]byte(text))
		module := jsonschema.NewCompiler()
		module.DefaultDraft(jsonschema.Draft2020)
		document, _ := jsonvalue.Parse([]byte(text), jsonvalue.Limits{})
		require.NoError(t, module.AddResource("schema:///", document.Any()))
		theirs, theirErr := module.Compile("schema:///")
		require.Equal(t, theirErr == nil, err == nil, "%s: %v, %v", text, theirErr, err)
		if err != nil {
			return
		}
		v, _ := jsonvalue.Parse([]byte(value), jsonvalue.Limits{})
		found := ours.Check(v.Any())
		require.Equal(t, theirs.Validate(v.Any()) == nil, len(found) == 0, "%s of %s", text, value)

		keeping, err := newChecker(document.Any())
		require.NoError(t, err)
		keeping.budget.reset(1 << 30)
		keeping.budget.keep = 1 << 30
		require.Equal(t, found, sorted(keeping.check(v.Any())), "with verdicts kept: %s of %s", text, value)
	})
}
