package console

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSample(t *testing.T) {
	for name, row := range map[string]struct{ schema, want string }{
		"members in their order": {`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":["integer","null"]}}}`, `{"z":"","a":0}`},
		"given values":           {`{"properties":{"a":{"const":1},"b":{"default":2},"c":{"examples":[3]},"d":{"enum":[4,5]}}}`, `{"a":1,"b":2,"c":3,"d":4}`},
		"a reference":            {`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"array","items":{"type":"boolean"}}}}`, `[false]`},
		"one of several":         {`{"anyOf":[{"type":"object"},{"type":"null"}]}`, `{}`},
		"formats":                {`{"properties":{"a":{"type":"string","format":"date"},"b":{"type":"integer","minimum":3}}}`, `{"a":"2026-01-31","b":3}`},
		"itself":                 {`{"properties":{"a":{"$ref":"#"},"b":{"type":"null"}}}`, `{"a":{"a":{"a":{},"b":null},"b":null},"b":null}`},
		"a reference elsewhere":  {`{"$ref":"https://example.com/schema"}`, ``},
		"no composite":           {`{"type":"string"}`, ``},
		"anything":               {`true`, ``},
		"none":                   {``, ``},
		"broken":                 {`{"properties":{"a":`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			got := sample(row.schema)
			if row.want == "" {
				require.Empty(t, got)
				return
			}
			require.JSONEq(t, row.want, got)
		})
	}
}

func FuzzSample(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"array","items":{"$ref":"#"}}}}`)
	f.Add(`{"allOf":[{"oneOf":[{"enum":[{}]}]}]}`)
	f.Add(`{"$ref":"#/","properties":null}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !json.Valid([]byte(schema)) || len(schema) > 1000 {
			return
		}
		if got := sample(schema); got != "" {
			require.True(t, json.Valid([]byte(got)), got)
		}
	})
}
