package handler

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseTags(t *testing.T) {
	for _, row := range []struct {
		text string
		want tags
		err  string
	}{
		{``, tags{}, ""},
		{` query:"a"   validate:"min=1,max=\"2\"" x_y:"" `, tags{"query": "a", "validate": `min=1,max="2"`, "x_y": ""}, ""},
		{`query`, nil, `the struct tag is no list of key:"value"`},
		{`:"a"`, nil, `the struct tag is no list of key:"value"`},
		{`a b:"c"`, nil, `the struct tag is no list of key:"value"`},
		{`query:"a",enum:"1"`, nil, "the struct tag has no space behind query"},
		{`query:"a"enum:"1"`, nil, "the struct tag has no space behind query"},
		{`query:'a'`, nil, "the struct tag has no value in double quotes for query"},
		{"query:`a`", nil, "the struct tag has no value in double quotes for query"},
		{`query:"a`, nil, "the struct tag has no value in double quotes for query"},
		{`query:`, nil, "the struct tag has no value in double quotes for query"},
		{`query: "a"`, nil, "the struct tag has no value in double quotes for query"},
		{`query:"a" query:"b"`, nil, "the struct tag has query twice"},
	} {
		got, err := parseTags(row.text)
		require.Equal(t, row.want, got, row.text)
		if row.err == "" {
			require.NoError(t, err, row.text)
		} else {
			require.EqualError(t, err, row.err, row.text)
		}
	}
}

func TestNear(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"query", "query", true},
		{"querry", "query", true},
		{"qery", "query", true},
		{"quary", "query", true},
		{"form", "from", true},
		{"xquery", "query", true},
		{"queryx", "query", true},
		{"qwary", "query", false},
		{"qu", "query", false},
		{"enmu", "enum", true},
		{"nmue", "enum", false},
		{"", "a", true},
		{"ab", "cd", false},
	} {
		require.Equal(t, row.want, near(row.a, row.b), "%s %s", row.a, row.b)
		require.Equal(t, row.want, near(row.b, row.a), "%s %s", row.b, row.a)
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500": 500, "64KiB": 64 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30,
		"": 0, "0": 0, "-1": 0, "1MB": 0, "KiB": 0, "1 KiB": 0, "9223372036854775807GiB": 0, "9223372036854775808": 0,
	} {
		got, err := size(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want == 0, err != nil, text)
	}
}
