package param_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestList(t *testing.T) {
	const q = api.InQuery
	nested := fault(q, "nested", "Field contains nested values")
	type row struct {
		query string
		want  result
	}
	for name, test := range map[string]struct {
		param api.Param
		rows  []row
	}{
		"texts": {param.Query[string]("x").Multi(), []row{
			{"", value(nil)},                           // TC-093
			{"x=5", value(nil)},                        // FW-183, FW-205, TC-183
			{"x[]=5&x[]=6", value([]string{"5", "6"})}, // FW-182, TC-183
			{"x[a]=5", value([]string{"5"})},           // FW-182, TC-183
			{"x=5&x=6", value([]string{"5", "6"})},     // FW-182
			{"x[]=5", value([]string{"5"})},            // FW-206
			{"x[]=", value([]string{""})},              // FW-185
			{"x=9&x[]=5", value([]string{"5"})},        // FW-183
			{"x[10]=c&x[9]=b&x[b]=e&x[a]=d&x[]=2&x=0&x=1&x[-1]=_", value([]string{"0", "1", "2", "b", "c", "_", "d", "e"})},
			{"x[][]=a", nested},         // FW-186
			{"x[a][b]=a&x[]=1", nested}, // FW-186
			{"x[a]=1&x[a]=2", repeated(q)},
			{"x[=1&x[a=2&x[a]b=3&xx[]=4&X[]=5", value(nil)},
			{"x[]=%ff", wrongType(q, "string")},
		}},
		"required": {param.Query[string]("x").Multi().Required(), []row{
			{"", required(q)},             // TC-184
			{"x=5", required(q)},          // FW-183, FW-404, TC-184
			{"x[]=", value([]string{""})}, // FW-185, TC-184
		}},
		"with a default": {param.Query[string]("x").Multi().Required().Default("a", "b"), []row{
			{"", value([]string{"a", "b"})},
			{"x=5", value([]string{"a", "b"})}, // FW-183
			{"x[]=5", value([]string{"5"})},
		}},
		"with an empty default": {param.Query[string]("x").Multi().Default(), []row{{"", value([]string{})}}},
		"the default from before": {param.Query[string]("x").Default("d").Required().Multi(), []row{
			{"", value([]string{"d"})},
		}},
		"integers": {param.Query[int]("x").Multi(), []row{
			{"x[]=5&x[]=6", value([]int{5, 6})},            // FW-207
			{"x[]=5&x[]=a&x[]=b", wrongType(q, "integer")}, // FW-207, FW-211
			{"x[]=", value(nil)},                           // FW-201, FW-414
			{"x[]=&x[]=5&x[a]=", value([]int{5})},          // FW-414
		}},
		"dates": {param.Query[time.Time]("x").Multi().Format("date"), []row{
			{"x[]=2026-01-02", value([]time.Time{time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)})},
			{"x[]=2026-01-02T00:00:00Z", wrongType(q, "date")},
		}},
		"required integers": {param.Query[int]("x").Required().Multi(), []row{{"x[]=", required(q)}}}, // FW-202
		"allowed": {param.Query[string]("x").Multi().Allowed("a", "b"), []row{
			{"x[]=a&x[]=b", value([]string{"a", "b"})}, // FW-179, FW-397, TC-189
			{"x[]=a&x[]=z", notAllowed(q)},             // FW-179, FW-397, TC-189
			{"x[]=b", value([]string{"b"})},            // FW-397
			{"x=a", value(nil)},                        // TC-189
			{"x[][]=a", nested},                        // TC-189
			{"x[]=", notAllowed(q)},                    // FW-179
		}},
		"rules": {param.Query[int]("x").Validate("min=1").Multi().Validate("max=2,dive,ne=7"), []row{
			{"x[]=1&x[]=2", value([]int{1, 2})},
			{"x[]=0&x[]=0&x[]=0", result{Faults: append(fault(q, "min", "must be at least 1").Faults, fault(q, "max", "must have at most 2 items").Faults...)}},
			{"x[]=a&x[]=0&x[]=0", result{Faults: append(wrongType(q, "integer").Faults, fault(q, "min", "must be at least 1").Faults...)}},
			{"x[]=1&x[]=2&x[]=3", fault(q, "max", "must have at most 2 items")},
			{"x[]=7", fault(q, "ne", "must not be 7")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, row := range test.rows {
				require.Equal(t, row.want, resultOf(t, get(row.query), test.param), row.query)
			}
		})
	}
}

func TestListSources(t *testing.T) {
	for name, row := range map[string]struct {
		param   api.Param
		request *api.Request
		want    result
	}{
		"header":               {param.Header[string]("x").Multi(), withHeader("X", "a, b\t,,", " c"), value([]string{"a", "b", "c"})},
		"header of one":        {param.Header[int]("x").Multi(), withHeader("X", "1"), value([]int{1})},
		"header, wrong":        {param.Header[int]("x").Multi(), withHeader("X", "1,a"), wrongType(api.InHeader, "integer")},
		"header, empty":        {param.Header[string]("x").Multi().Required(), withHeader("X", " ,"), required(api.InHeader)},
		"header, missing":      {param.Header[string]("x").Multi(), &api.Request{}, value(nil)},
		"form by PUT":          {param.Form[string]("x").Multi().Allowed("a"), form("PUT", "x[]=a"), value([]string{"a"})},         // TC-196
		"form by PUT, one":     {param.Form[string]("x").Multi().Allowed("a"), form("PUT", "x=a"), value(nil)},                     // FW-216, TC-196
		"form by POST, none":   {param.Form[string]("x").Multi(), form("POST", ""), value(nil)},                                    // TC-095
		"multipart by PUT":     {param.Form[int]("x").Multi(), parts(t, "PUT", url.Values{"x[]": {"1", "2"}}), value([]int{1, 2})}, // FW-215
		"form, but not a list": {param.Form[int]("x").Multi(), form("POST", "x=1&x[][]=1"), fault(api.InForm, "nested", "Field contains nested values")},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, resultOf(t, row.request, row.param))
		})
	}
}

func TestNamed(t *testing.T) {
	ids := param.Query[int]("ids").Multi()
	for query, want := range map[string]map[string]int{
		"":                                  nil,
		"ids=1":                             nil,
		"ids[a]=5":                          {"a": 5}, // FW-182, TC-183
		"ids[]=5&ids[]=6":                   {"0": 5, "1": 6},
		"ids[0]=5&ids[]=6&ids[]=7&ids[b]=8": {"0": 5, "1": 6, "2": 7, "b": 8},
		"ids[a]=&ids[b]=1&ids[]=&ids[]=2":   {"0": 2, "b": 1},
	} {
		r := get(query)
		faults, err := read(t, r, ids)
		require.NoError(t, err)
		require.Empty(t, faults)
		require.Equal(t, want, ids.Named(r), query)
	}

	withDefault := param.Query[int]("ids").Multi().Default(7, 8)
	r := get("ids=1")
	_, err := read(t, r, withDefault)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"0": 7, "1": 8}, withDefault.Named(r))
	require.Equal(t, []int{7, 8}, withDefault.Get(r))

	r = get("")
	_, err = read(t, r, ids)
	require.NoError(t, err)
	values, ok := ids.Lookup(r)
	require.False(t, ok)
	require.Nil(t, values)
}
