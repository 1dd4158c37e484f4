package openapi

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// requireSame reads the YAML of a JSON text and compares.
func requireSame(t *testing.T, text string) {
	t.Helper()
	tree, err := jsontree.Parse([]byte(text))
	require.NoError(t, err)
	var fromYAML any
	written := appendYAML(nil, tree, 0)
	require.NoError(t, yaml.Unmarshal(written, &fromYAML), string(written))
	again, err := json.Marshal(fromYAML)
	require.NoError(t, err)
	require.JSONEq(t, text, string(again), string(written))
}

func TestYAMLSaysWhatJSONSays(t *testing.T) {
	for _, text := range []string{
		`{"a":{},"b":[],"c":{"d":[[1,[2]],{"e":{"f":null}}]},"200":true}`,
		`["\tAn API\nfor books","\n a","\n  x"," \n","<<","a\u2028 b","\u0085","\u007f","\ufeff","- x",": ","#","'","\"","\\","é","~"]`,
		`{"<<":1,"yes":"no","Y":"N","on":"1e3","0x1":"1_000","null":"null","":"","a b":"c: d","$ref":"#/a","=":"="}`,
		`[18446744073709551615,-9223372036854775808,0.10,1.5e10,true,false,null]`,
		`"word"`, `{}`, `[]`,
	} {
		requireSame(t, text)
	}
	require.Equal(t, "openapi: 3.1.1\npaths:\n  \"/a\":\n    get:\n      tags:\n        - a\n        - x: 1\n          z: []\n",
		string(appendYAML(nil, jsontree.Of("openapi", json.Number("3.1.1"), "paths", jsontree.Of("/a", jsontree.Of("get",
			jsontree.Of("tags", []any{"a", &jsontree.Object{Members: []jsontree.Member{{Name: "x", Value: json.Number("1")}, {Name: "z", Value: []any{}}}}})))), 0)))
}

func FuzzYAML(f *testing.F) {
	for _, seed := range []string{"a", "\n a", "<<", "\u2028 ", "1e3", "- ", "\ttab", "x: y", "\x7f"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		data, err := json.Marshal(map[string]any{"o": map[string]any{name: []any{value, map[string]any{name: value}}}})
		require.NoError(t, err)
		requireSame(t, string(data))
	})
}
