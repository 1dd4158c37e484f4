package jsonlists_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
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
}

type embedded struct {
	part
	X int
}

type embeddedPointer struct {
	*part
	X int
}

type namedPointer struct {
	*part `json:"part"`
}

// pointerOwn writes itself where encoding/json has a pointer to it.
type pointerOwn struct{ L []int }

func (*pointerOwn) MarshalJSON() ([]byte, error) { return []byte(`"own"`), nil }

type owner struct {
	P pointerOwn
	Q []int
}

type ring struct {
	Next *ring
	List []int
}

// written is v as encoding/json writes it, without the escapes for HTML.
func written(t require.TestingT, v any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(v))
	return strings.TrimSpace(text.String())
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
		{embedded{X: 1}, `{"list":[],"map":{},"X":1}`},                       // peer-fw 37
		{embeddedPointer{part: &part{}, X: 1}, `{"list":[],"map":{},"X":1}`}, // peer-fw 37
		{embeddedPointer{X: 1}, `{"X":1}`},
		{namedPointer{part: &part{}}, `{"part":{"list":[],"map":{}}}`},
		{namedPointer{}, `{"part":null}`},
		{owner{}, `{"P":{"L":[]},"Q":[]}`}, // no pointer, so no method
		{&owner{}, `{"P":"own","Q":[]}`},
		{[]owner{{}}, `[{"P":"own","Q":[]}]`},
		{map[string]owner{"a": {}}, `{"a":{"P":{"L":[]},"Q":[]}}`},
		{[]pointerOwn{{}}, `["own"]`},
		{struct {
			N int     `json:",string"`
			S string  `json:"s<,string"`
			P *int    `json:"p,string"`
			F float64 `json:"f,string,omitempty"`
			L []int
		}{N: 5, S: `<a"b>`}, `{"N":"5","s<":"\"<a\\\"b>\"","p":null,"L":[]}`},
		{map[string][]int{"a": nil, "b": {1}}, `{"a":[],"b":[1]}`},
	} {
		before, err := json.Marshal(row.value)
		require.NoError(t, err)
		require.Equal(t, row.want, written(t, jsonlists.Lists(row.value)))
		after, err := json.Marshal(row.value)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), "the value of the caller has changed")
	}
	require.Equal(t, ids{}, jsonlists.Lists(ids(nil)), "the type stays")
	require.Same(t, loop, jsonlists.Lists(loop))
}

// What needs no change is shared.
func TestListsShare(t *testing.T) {
	full := &part{List: []string{"a"}, Map: map[string]ids{}}
	require.Same(t, full, jsonlists.Lists(full))
	numbers := &struct{ A, B int }{1, 2}
	require.Zero(t, testing.AllocsPerRun(100, func() { jsonlists.Lists(numbers) }))
	list := []any{[]int(nil), full}
	changed, ok := jsonlists.Lists(list).([]any)
	require.True(t, ok)
	shared, ok := changed[1].(*any)
	require.True(t, ok)
	require.Same(t, &list[1], shared)
}

// counter guards what encoding/json does not read.
type counter struct {
	mu    sync.Mutex
	n     int
	Inner struct {
		hidden int
		Shown  int
	}
	List []string
	Full []string
}

// No field is read that encoding/json does not read. The race detector tells.
func TestListsReadNothingElse(t *testing.T) {
	c := &counter{Full: []string{"a"}}
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				c.mu.Lock()
				c.n++
				c.Inner.hidden++
				c.mu.Unlock()
			}
		}
	})
	for range 200 {
		text, err := json.Marshal(jsonlists.Lists([]*counter{c}))
		require.NoError(t, err)
		require.JSONEq(t, `[{"Inner":{"Shown":0},"List":[],"Full":["a"]}]`, string(text))
	}
	close(stop)
	group.Wait()
}

func BenchmarkLists(b *testing.B) {
	b.Run("a thousand to change", func(b *testing.B) {
		v := make([]part, 1000)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = json.Marshal(jsonlists.Lists(v))
		}
	})
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
