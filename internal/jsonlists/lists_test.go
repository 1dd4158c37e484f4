package jsonlists_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonlists"
)

type ids []int

// own writes itself.
type own struct{ List []int }

func (own) MarshalJSON() ([]byte, error) { return []byte(`"own"`), nil }

type part struct {
	List   []string       `json:"list"`
	Map    map[string]ids `json:"map"`
	secret int
}

type page struct {
	IDs    ids             `json:"ids"`
	Omit   []int           `json:"omit,omitempty"`
	Zero   []int           `json:"zero,omitzero"`
	Struct part            `json:"struct,omitzero"`
	Skip   []int           `json:"-"`
	Dash   []int           `json:"-,"` //nolint:staticcheck // that is its name
	Bytes  []byte          `json:"bytes"`
	Raw    json.RawMessage `json:"raw"`
	Any    any             `json:"any"`
	Own    own             `json:"own"`
	Nil    *part           `json:"nil"`
	Parts  []part          `json:"parts"`
	Array  [1][]int        `json:"array"`
	Time   time.Time       `json:"time,omitzero"`
	hidden []int
}

type embedded struct {
	part
	X int
}

type ring struct {
	Next *ring
	List []int
}

func TestLists(t *testing.T) {
	loop := &ring{}
	loop.Next = loop
	for _, row := range []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{5, `5`},
		{[]int(nil), `[]`},          // peer-fw 37
		{map[string]int(nil), `{}`}, // peer-fw 37
		{[]byte(nil), `""`},         // peer-fw 37
		{(*page)(nil), `null`},
		{json.RawMessage(nil), `null`},
		{own{}, `"own"`},
		{[]any{nil, []int(nil), map[string]any{"a": []any(nil), "b": 1}}, `[null,[],{"a":[],"b":1}]`},                                                                    // peer-fw 37
		{&page{Parts: []part{{}}, Any: ids(nil)}, `{"ids":[],"-":[],"bytes":"","raw":null,"any":[],"own":"own","nil":null,"parts":[{"list":[],"map":{}}],"array":[[]]}`}, // peer-fw 37
		{page{Omit: []int{}, Zero: []int{}, Struct: part{secret: 1, Map: map[string]ids{"a": nil}}, IDs: ids{1}, Parts: []part{}},
			`{"ids":[1],"zero":[],"struct":{"list":[],"map":{"a":[]}},"-":[],"bytes":"","raw":null,"any":null,"own":"own","nil":null,"parts":[],"array":[[]]}`}, // peer-fw 37
		{embedded{X: 1}, `{"list":[],"map":{},"X":1}`}, // peer-fw 37
		{map[string][]int{"a": nil, "b": {1}}, `{"a":[],"b":[1]}`},
	} {
		before, err := json.Marshal(row.value)
		require.NoError(t, err)
		got, err := json.Marshal(jsonlists.Lists(row.value))
		require.NoError(t, err)
		require.Equal(t, row.want, string(got))
		after, err := json.Marshal(row.value)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "the value of the caller has changed")
	}
	require.Equal(t, ids{}, jsonlists.Lists(ids(nil)), "the type stays")
	require.Same(t, loop, jsonlists.Lists(loop))
}

// What is not shown stays, and what needs no change is shared.
func TestListsCopy(t *testing.T) {
	in := &page{hidden: []int{1}, Parts: []part{{List: []string{}, Map: map[string]ids{}, secret: 7}}}
	out, ok := jsonlists.Lists(in).(*page)
	require.True(t, ok)
	require.NotSame(t, in, out)
	require.Nil(t, in.IDs)
	require.Equal(t, []int{1}, out.hidden)
	require.Same(t, &in.Parts[0], &out.Parts[0])
	full := &part{List: []string{"a"}, Map: map[string]ids{}}
	require.Same(t, full, jsonlists.Lists(full))
	numbers := &struct{ A, B int }{1, 2}
	require.Zero(t, testing.AllocsPerRun(100, func() { jsonlists.Lists(numbers) }))
}

func BenchmarkLists(b *testing.B) {
	b.Run("no type for a list", func(b *testing.B) {
		v := &struct{ A, B int }{1, 2}
		b.ReportAllocs()
		for b.Loop() {
			jsonlists.Lists(v)
		}
	})
	b.Run("nothing to change", func(b *testing.B) {
		v := &part{List: []string{"a"}, Map: map[string]ids{}}
		b.ReportAllocs()
		for b.Loop() {
			jsonlists.Lists(v)
		}
	})
	b.Run("one to change", func(b *testing.B) {
		v := &part{}
		b.ReportAllocs()
		for b.Loop() {
			jsonlists.Lists(v)
		}
	})
}
