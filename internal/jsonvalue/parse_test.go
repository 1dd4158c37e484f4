package jsonvalue_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

var syntax = []jsonvalue.Fault{{Code: "syntax", Message: "Syntax error"}}

func duplicate(pointers ...string) (faults []jsonvalue.Fault) {
	for _, p := range pointers {
		faults = append(faults, jsonvalue.Fault{Pointer: p, Code: "duplicate", Message: "Field occurs more than once"})
	}
	return faults
}

func TestParse(t *testing.T) {
	for _, row := range []struct {
		text   string
		value  any
		faults []jsonvalue.Fault
	}{
		{`{}`, map[string]any{}, nil}, // FW-232
		{`{"a":{},"b":[]}`, map[string]any{"a": map[string]any{}, "b": []any{}}, nil},                                             // FW-232
		{`9007199254740993`, json.Number("9007199254740993"), nil},                                                                // FW-233 peer-fw 38
		{`[-0,1.50,1E+2,0.1e-3]`, []any{json.Number("-0"), json.Number("1.50"), json.Number("1E+2"), json.Number("0.1e-3")}, nil}, // FW-233
		{" \t\r\n null \n", nil, nil}, // peer-fw 44
		{`[true,false,null]`, []any{true, false, nil}, nil},
		{`"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"`, "a\"\\/\b\f\n\r\té😀é", nil},
		{`{"a":1,"A":2}`, map[string]any{"a": json.Number("1"), "A": json.Number("2")}, nil},

		{``, nil, syntax},                          // FW-227 TC-204
		{`{`, nil, syntax},                         // FW-227 TC-204
		{`{"name":"x"} junk`, nil, syntax},         // peer-fw 31
		{`{} {}`, nil, syntax},                     // peer-fw 31
		{"{}\x00", nil, syntax},                    // peer-fw 31
		{`{"name":"` + "\xff" + `"}`, nil, syntax}, // peer-fw 46
		{"{\"\xc3\":1}", nil, syntax},              // peer-fw 46
		{`"\ud800"`, nil, syntax},
		{`"\ud800\u0041"`, nil, syntax},
		{`"\udc00\ud800"`, nil, syntax},
		{`"\u12g4"`, nil, syntax},
		{`"\u12`, nil, syntax},
		{`"\x41"`, nil, syntax},
		{"\"\n\"", nil, syntax},
		{`"`, nil, syntax},
		{"\ufeff{}", nil, syntax},
		{`[1,]`, nil, syntax},
		{`[,1]`, nil, syntax},
		{`[1 2]`, nil, syntax},
		{`{"a":1,}`, nil, syntax},
		{`{"a"}`, nil, syntax},
		{`{a:1}`, nil, syntax},
		{`{"a":1]`, nil, syntax},
		{`01`, nil, syntax}, {`+1`, nil, syntax}, {`.5`, nil, syntax}, {`5.`, nil, syntax}, {`1e`, nil, syntax}, {`-`, nil, syntax},
		{`NaN`, nil, syntax}, {`nul`, nil, syntax}, {`True`, nil, syntax}, {`'a'`, nil, syntax}, {`[1]//`, nil, syntax},

		{`{"role":"user","role":"admin"}`, nil, duplicate("/role")},                     // peer-fw 29
		{`{"role":1,"\u0072ole":2,"role":3}`, nil, duplicate("/role", "/role")},         // peer-fw 29
		{`[{"a/b":[{"x":1,"x":2}],"a/b":1}]`, nil, duplicate("/0/a~1b/0/x", "/0/a~1b")}, // peer-fw 29
		{`{"a":1,"a":2`, nil, syntax},                                                   // alone
		{`{"` + strings.Repeat("k", 300) + `":{"a":1,"a":2}}`, nil, duplicate("")},
	} {
		d, faults := jsonvalue.Parse([]byte(row.text), jsonvalue.Limits{})
		require.Equal(t, row.faults, faults, row.text)
		if row.faults != nil {
			require.Nil(t, d)
			continue
		}
		require.Equal(t, row.value, d.Any(), row.text)
		require.Equal(t, row.text, string(d.Bytes()))
	}
}

func TestParseDepth(t *testing.T) {
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	for _, row := range []struct {
		limit, depth int
		pointer      string
		message      string
	}{
		{0, 100, "", ""},
		{0, 101, strings.Repeat("/0", 100), "must not be nested deeper than 100 levels"},
		{2, 2, "", ""},
		{2, 3, "/0/0", "must not be nested deeper than 2 levels"},
	} {
		_, faults := jsonvalue.Parse(nested(row.depth), jsonvalue.Limits{Depth: row.limit})
		if row.message == "" {
			require.Nil(t, faults)
			continue
		}
		require.Equal(t, []jsonvalue.Fault{{row.pointer, "depth", row.message}}, faults)
	}
	_, faults := jsonvalue.Parse([]byte(strings.Repeat(`{"a":`, 1_000_000)), jsonvalue.Limits{})
	require.Equal(t, "depth", faults[0].Code)
}

// An object with many members is searched for duplicates in another way, and the
// faults that are told are bounded.
func TestParseManyMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"x":0`)
	for i := range 200 {
		b.WriteString(`,"m` + strconv.Itoa(i) + `":1`)
	}
	d, faults := jsonvalue.Parse([]byte(b.String()+`}`), jsonvalue.Limits{})
	require.Nil(t, faults)
	require.Len(t, d.Any(), 201)
	_, faults = jsonvalue.Parse([]byte(b.String()+`,"m7":2,"\u006d8":3}`), jsonvalue.Limits{})
	require.Equal(t, duplicate("/m7", "/m8"), faults) // peer-fw 29
	_, faults = jsonvalue.Parse([]byte(b.String()+strings.Repeat(`,"x":1`, 500)+`}`), jsonvalue.Limits{})
	require.Len(t, faults, 100)
}

// What is accepted is accepted by encoding/json with the same value, and what
// encoding/json refuses is refused.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-2.5e3,true,false,null,"x"],"b":{"c":"\ud83d\ude00"}}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", `[[[[]]]]`, `1 2`, ` `, `01`, `{"a":}`, "\ufeff1", `"\u0000"`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, faults := jsonvalue.Parse(data, jsonvalue.Limits{Depth: 1000})
		if faults != nil {
			require.Nil(t, d)
			return
		}
		require.True(t, json.Valid(data))
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		var want any
		require.NoError(t, decoder.Decode(&want))
		require.Equal(t, want, d.Any())
	})
}
