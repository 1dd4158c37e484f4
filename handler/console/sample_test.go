package console

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/schema"
)

// checked requires that a sample fits its schema.
func checked(t *testing.T, text, value string) {
	t.Helper()
	compiled, err := schema.Compile([]byte(text))
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal([]byte(value), &v))
	require.Empty(t, compiled.Check(v), value)
}

func TestSample(t *testing.T) {
	const all = `"required":["a","b"],`
	for name, row := range map[string]struct{ schema, want string }{
		"members in their order": {`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":["integer","null"]}}}`, `{"z":"","a":0}`},
		"given values": {
			`{"required":["d"],"properties":{"a":{"const":1},"b":{"default":2},"c":{"examples":[3]},"d":{"enum":[4,5]}}}`,
			`{"a":1,"b":2,"c":3,"d":4}`,
		},
		"what is optional": {
			`{"required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"string","format":"email"},"c":{"type":"integer","default":7},"d":{"enum":[1]}}}`,
			`{"a":"","c":7}`,
		},
		"what is optional further inside": {`{"required":["a"],"properties":{"a":{"properties":{"b":{"type":"string"}}}}}`, `{"a":{}}`},
		"nothing that is required":        {`{"properties":{"a":{"type":"string","minLength":3},"b":{"type":"boolean"}}}`, `{"a":"tex","b":false}`},
		"too much together":               {`{"maxProperties":1,"properties":{"a":{"type":"string"},"b":{"type":"boolean"}}}`, `{}`},
		"members that nothing is said of": {`{"type":"object","required":["x"]}`, `{"x":""}`},
		"a reference":                     {`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"array","items":{"type":"boolean"}}}}`, `[false]`},
		"one of several":                  {`{"anyOf":[{"type":"object"},{"type":"null"}]}`, `{}`},
		"the second of several":           {`{"oneOf":[{"type":"null"},{"required":["a"],"properties":{"a":{"const":1}}}]}`, `{"a":1}`},
		"all of several":                  {`{"allOf":[{"required":["a"],"properties":{"a":{"type":"string"}}},{"required":["b"],"properties":{"a":{"minLength":2},"b":{"type":"null"}}}]}`, `{"a":"te","b":null}`},
		"dates":                           {`{` + all + `"properties":{"a":{"type":"string","format":"date"},"b":{"type":"string","format":"date-time"}}}`, `{"a":"2026-01-31","b":"2026-01-31T12:00:00Z"}`},
		"addresses":                       {`{` + all + `"properties":{"a":{"type":"string","format":"email"},"b":{"type":"string","format":"uri"}}}`, `{"a":"someone@example.com","b":"https://example.com/"}`},
		"names":                           {`{` + all + `"properties":{"a":{"type":"string","format":"uuid"},"b":{"type":"string","format":"ipv6"}}}`, `{"a":"123e4567-e89b-42d3-a456-426614174000","b":"2001:db8::1"}`},
		"lengths":                         {`{` + all + `"properties":{"a":{"type":"string","minLength":6},"b":{"type":"string","maxLength":0}}}`, `{"a":"textte","b":""}`},
		"patterns":                        {`{` + all + `"properties":{"a":{"type":"string","pattern":"^[A-Z]{3}-\\d+$"},"b":{"type":"string","pattern":"^(x|y)[0-9a-f]*$","minLength":4}}}`, `{"a":"AAA-1","b":"xaaa"}`},
		"bounds":                          {`{` + all + `"properties":{"a":{"type":"integer","minimum":3},"b":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1}}}`, `{"a":3,"b":0.5}`},
		"steps":                           {`{` + all + `"properties":{"a":{"type":"integer","exclusiveMinimum":10,"multipleOf":5},"b":{"type":"integer","maximum":-2}}}`, `{"a":15,"b":-2}`},
		"a bound of draft 4":              {`{"$schema":"http://json-schema.org/draft-04/schema#","required":["a"],"properties":{"a":{"type":"integer","minimum":2,"exclusiveMinimum":true}}}`, `{"a":3}`},
		"lists":                           {`{` + all + `"properties":{"a":{"type":"array","items":{"type":"integer"},"minItems":2,"uniqueItems":true},"b":{"type":"array","maxItems":0}}}`, `{"a":[0,1],"b":[]}`},
		"a tuple":                         {`{"type":"array","prefixItems":[{"const":1},{"type":"string"}],"items":false}`, `[1,""]`},
		"itself":                          {`{"properties":{"a":{"$ref":"#"},"b":{"type":"null"}}}`, `{"a":{},"b":null}`},
		"itself without an end":           {`{"required":["a"],"properties":{"a":{"$ref":"#"}}}`, ``},
		"a pattern that is not simple":    {`{"required":["a"],"properties":{"a":{"type":"string","pattern":"^a\\Bb$","minLength":9}}}`, ``},
		"an example that does not fit":    {`{"required":["a"],"properties":{"a":{"type":"string","examples":[1]}}}`, ``},
		"nothing fits":                    {`{"type":"object","required":["a"],"properties":{"a":false}}`, ``},
		"a reference elsewhere":           {`{"$ref":"https://example.com/schema"}`, ``},
		"no composite":                    {`{"type":"string"}`, ``},
		"anything":                        {`true`, ``},
		"none":                            {``, ``},
		"broken":                          {`{"properties":{"a":`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			got := sample(row.schema)
			if row.want == "" {
				require.Empty(t, got)
				return
			}
			require.JSONEq(t, row.want, got)
			checked(t, row.schema, got)
		})
	}
}

func FuzzSample(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"array","items":{"$ref":"#"}}}}`)
	f.Add(`{"allOf":[{"oneOf":[{"enum":[{}]}]}]}`)
	f.Add(`{"$ref":"#/","properties":null}`)
	f.Add(`{"type":"array","items":{"type":"string","pattern":"^((a*)*b){2,}$","minLength":5},"minItems":3,"uniqueItems":true}`)
	f.Add(`{"required":["a"],"properties":{"a":{"type":"number","exclusiveMinimum":1e300,"multipleOf":0.1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || len(text) > 1000 {
			return
		}
		if got := sample(text); got != "" {
			checked(t, text, got)
		}
	})
}
