package jsonvalue_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// large is much larger than what can stand for it in a text.
type large struct {
	A, B, C, D, E, F, G, H, I, J string
	K, L, M, N, O, P, Q, R, S, T time.Time
}

// What a text costs is in proportion to the text, not to the types that it claims.
func TestBindIsCheap(t *testing.T) {
	long := strings.Repeat("a", 100_000)
	many := func(element string, n int) string { return "[" + strings.Repeat(element+",", n) + element + "]" }
	atMost10 := jsonvalue.Fault{"/items", "max", "must have at most 10 items"}
	type limited struct {
		Items []large `json:"items" validate:"max=10"`
	}
	for name, row := range map[string]struct {
		of     any
		text   string
		faults int
		first  jsonvalue.Fault
	}{
		"a list that is too long":           {limited{}, `{"items":` + many("0", 500_000) + `}`, 100, atMost10},
		"a list that is right but too long": {limited{}, `{"items":` + many("{}", 300_000) + `}`, 1, atMost10},
		"too long behind a pointer": {struct {
			Items *[]large `json:"items" validate:"max=10"`
		}{}, `{"items":` + many("{}", 300_000) + `}`, 1, atMost10},
		"too long an optional one": {struct {
			Items opt[[]large] `json:"items" validate:"max=10"`
		}{}, `{"items":` + many("{}", 300_000) + `}`, 1, atMost10},
		"too many members": {struct {
			Items map[string]large `json:"items" validate:"max=10"`
		}{}, `{"items":` + manyMembers("{}", 50_000) + `}`, 1, atMost10},
		"lists that are too long": {struct {
			Items [][]large `json:"items" validate:"dive,max=10"`
		}{}, `{"items":` + many(many("{}", 20), 10_000) + `}`, 100, jsonvalue.Fault{"/items/0", "max", "must have at most 10 items"}},
		"elements of another type":  {[]large{}, many("0", 500_000), 100, wrong("/0", "object")},
		"members of another type":   {map[string]large{}, manyMembers("0", 50_000), 100, wrong("/m0", "object")},
		"unknown members":           {large{}, manyMembers("0", 50_000), 100, unknown("/m0")},
		"a list under a long name":  {map[string][]int{}, `{"` + long + `":` + many(`""`, 20_000) + `}`, 100, wrong("", "integer")},
		"under an escaped name":     {map[string][]int{}, `{"\u0061` + long + `":` + many(`""`, 20_000) + `}`, 100, wrong("", "integer")},
		"missing under a long name": {map[string]tree{}, `{"` + long + `":{}}`, 1, required("")},
	} {
		t.Run(name, func(t *testing.T) {
			d, faults := jsonvalue.Parse([]byte(row.text), jsonvalue.Limits{})
			require.Empty(t, faults)
			b, err := jsonvalue.NewBinder(reflect.TypeOf(row.of), jsonvalue.Options{})
			require.NoError(t, err)
			dst := reflect.New(reflect.TypeOf(row.of)).Elem()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			faults = b.Bind(d, dst)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
			require.Len(t, faults, row.faults)
			require.Equal(t, row.first, faults[0])
		})
	}
}

func manyMembers(value string, n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		fmt.Fprintf(&b, `"m%d":%s,`, i, value)
	}
	return b.String() + `"end":` + value + `}`
}

// A list that grows step by step is whole in the end.
func TestLongLists(t *testing.T) {
	for _, n := range []int{1, 127, 128, 129, 1024, 1025, 20_000} {
		text := strings.Repeat(`{"name":"a"},`, n)
		got, faults := bound(t, []tree{}, jsonvalue.Options{}, "["+strings.TrimSuffix(text, ",")+"]")
		require.Nil(t, faults)
		list, ok := got.([]tree)
		require.True(t, ok)
		require.Len(t, list, n)
		for i := range list {
			require.Equal(t, "a", list[i].Name)
		}
	}
}

// Nothing that is wrong hides something else that is.
func TestAllFaultsAtOnce(t *testing.T) {
	type input struct {
		Items  []int          `json:"items" validate:"max=1,dive,min=5"`
		Point  *[]int         `json:"point" validate:"omitempty,len=1,dive,min=5"`
		Map    map[string]int `json:"map" validate:"min=2,dive,min=5"`
		Once   []int          `json:"once" validate:"unique,dive,min=5"`
		Exact  []int          `json:"exact" validate:"eq=2,ne=1"`
		Low    int            `json:"low"`
		Middle int            `json:"middle" validate:"gtfield=Low,ltfield=High"`
		High   int            `json:"high" validate:"max=10"`
		Other  opt[int]       `json:"other" validate:"nefield=Low"`
	}
	at := func(pointer string) jsonvalue.Fault { return jsonvalue.Fault{pointer, "min", "must be at least 5"} }
	for _, row := range []struct {
		text string
		want []jsonvalue.Fault
	}{
		{`{"items":[1,2]}`, []jsonvalue.Fault{{"/items", "max", "must have at most 1 item"}, at("/items/0"), at("/items/1")}},
		{`{"items":[1,5]}`, []jsonvalue.Fault{{"/items", "max", "must have at most 1 item"}, at("/items/0")}},
		{`{"items":[5]}`, nil},
		{`{"point":[]}`, []jsonvalue.Fault{{"/point", "len", "must have exactly 1 item"}}},
		{`{"point":null}`, nil},
		{`{"point":[1,2]}`, []jsonvalue.Fault{{"/point", "len", "must have exactly 1 item"}, at("/point/0"), at("/point/1")}},
		{`{"map":{"a":1}}`, []jsonvalue.Fault{{"/map", "min", "must have at least 2 items"}, at("/map/a")}},
		{`{"once":[1,1]}`, []jsonvalue.Fault{at("/once/0"), at("/once/1")}}, // they may not be what was meant
		{`{"once":[5,5]}`, []jsonvalue.Fault{{"/once", "unique", "must have no two equal items"}}},
		{`{"exact":[5]}`, []jsonvalue.Fault{{"/exact", "eq", "must have exactly 2 items"}, {"/exact", "ne", "must not have 1 item"}}},
		{`{"exact":[5,5]}`, nil},
		{`{"items":[1],"low":3,"middle":3,"high":2}`, []jsonvalue.Fault{
			at("/items/0"), {"/middle", "gtfield", "must be greater than low"}, {"/middle", "ltfield", "must be less than high"},
		}},
		{`{"low":3,"middle":3,"high":20}`, []jsonvalue.Fault{
			{"/high", "max", "must be at most 10"}, {"/middle", "gtfield", "must be greater than low"},
		}},
		{`{"low":"3","middle":3,"high":2,"other":3}`, []jsonvalue.Fault{wrong("/low", "integer"), {"/middle", "ltfield", "must be less than high"}}},
		{`{"low":3,"middle":"3","high":2,"other":3,"more":1}`, []jsonvalue.Fault{
			wrong("/middle", "integer"), unknown("/more"), {"/other", "nefield", "must differ from low"},
		}},
	} {
		_, faults := bound(t, input{}, jsonvalue.Options{}, row.text)
		require.Equal(t, row.want, faults, row.text)
	}
}
