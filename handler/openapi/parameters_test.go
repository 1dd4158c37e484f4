package openapi_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestParameters(t *testing.T) { // FW-301
	day := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		param api.Param
		want  string
	}{
		"a text": {param.Query[string]("q").Required().Description("Q"),
			`{"name":"q","in":"query","required":true,"description":"Q","schema":{"type":"string"}}`},
		"an integer": {param.Query[int32]("n").Default(0), // FW-303, FW-307
			`{"name":"n","in":"query","schema":{"type":"integer","format":"int32","default":0}}`},
		"rules": {param.Query[int]("n").Validate("min=1,max=9"),
			`{"name":"n","in":"query","schema":{"type":"integer","format":"int64","minimum":1,"maximum":9}}`},
		"a boolean": {param.Cookie[bool]("b").Default(false), // FW-301, FW-303, FW-307, FW-405
			`{"name":"b","in":"cookie","schema":{"type":"boolean","default":false}}`},
		"a float": {param.Header[float64]("X-F"), // FW-303
			`{"name":"X-F","in":"header","schema":{"type":"number","format":"double"}}`},
		"a time": {param.Query[time.Time]("t").Format("date").Default(day),
			`{"name":"t","in":"query","schema":{"type":"string","format":"date","default":"2026-12-01"}}`},
		"seconds": {param.Query[time.Time]("t").Format("unix").Default(day),
			`{"name":"t","in":"query","schema":{"type":"integer","default":1796083200}}`},
		"a layout": {param.Query[time.Time]("t").Format("15:04").Default(day),
			`{"name":"t","in":"query","schema":{"type":"string","default":"00:00"}}`},
		"an instant": {param.Query[time.Time]("t").Default(day),
			`{"name":"t","in":"query","schema":{"type":"string","format":"date-time","default":"2026-12-01T00:00:00Z"}}`},
		"a duration": {param.Query[time.Duration]("d").Default(time.Minute).Validate("max=1h"),
			`{"name":"d","in":"query","schema":{"type":"string","default":"1m0s"}}`},
		"an address": {param.Query[netip.Addr]("a").Default(netip.IPv6Loopback()),
			`{"name":"a","in":"query","schema":{"type":"string","format":"ip","default":"::1"}}`},
		"allowed values": {param.Query[string]("q").Description("Q").AllowedValues(param.Choice[string]{Value: "a", Description: "Alpha"}, param.Choice[string]{Value: "b", Description: "Beta"}), // FW-304
			"{\"name\":\"q\",\"in\":\"query\",\"description\":\"Q\\n * `a` - Alpha\\n * `b` - Beta\",\"schema\":{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}}"},
		"allowed numbers": {param.Query[int]("n").Allowed(0, 1), // FW-304
			`{"name":"n","in":"query","schema":{"type":"integer","format":"int64","enum":[0,1]}}`},
		"several": {param.Query[string]("m").Multi().Allowed("x", "y").Default("x"), // FW-302, FW-305
			`{"name":"m[]","in":"query","schema":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["x"]}}`},
		"rules of several": {param.Query[int]("n").Validate("min=1").Multi().Validate("max=2,unique,dive,max=9"),
			`{"name":"n[]","in":"query","schema":{"type":"array","items":{"type":"integer","format":"int64","maximum":9,"minimum":1},"maxItems":2,"uniqueItems":true}}`},
		"several in a header": {param.Header[int]("X-N").Multi(), // FW-302
			`{"name":"X-N","in":"header","schema":{"type":"array","items":{"type":"integer","format":"int64"}}}`},
		"an example": {param.Query[string]("q").Default("d").Example(""), // FW-306, FW-307, TC-225
			`{"name":"q","in":"query","schema":{"type":"string","default":"d"},"example":""}`},
		"several examples": {param.Query[int]("n").NamedExample("none", 0).NamedExample("one", 1), // FW-322, TC-225
			`{"name":"n","in":"query","schema":{"type":"integer","format":"int64"},"examples":{"none":{"value":0},"one":{"value":1}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, op := one(t, api.GET("1", "a"), api.Description{Params: []api.Param{tc.param}})
			op.requireJSON(t, "["+tc.want+"]", "get", "parameters")
		})
	}
}

func TestParametersThatOpenAPIIgnores(t *testing.T) {
	_, op := one(t, api.GET("1", "a"), api.Description{Inputs: []api.Input{
		{In: api.InHeader, Name: "accept"}, {In: api.InHeader, Name: "Authorization"}, {In: api.InHeader, Name: "X-Own", Type: "number"},
		{In: api.InQuery, Name: "x", Schema: api.Schema{JSON: json.RawMessage(`{"type":"string","pattern":"^a"}`)}},
		{In: api.InQuery, Name: "odd", Type: "color"},
	}})
	op.requireJSON(t, `[{"name":"X-Own","in":"header","schema":{"type":"number"}},
		{"name":"x","in":"query","schema":{"type":"string","pattern":"^a"}},
		{"name":"odd","in":"query","schema":{"type":"string"}}]`, "get", "parameters")
}

type findBooks struct {
	Shelf int      `path:"shelf" description:"Which"`
	Sort  string   `query:"sort" enum:"title,price" default:"title"`
	Tags  []string `query:"tags" validate:"max=3,dive,min=2" example:"go,net"`
	Page  *int     `query:"page" validate:"min=1"`
}

// The tags of a typed input say the same.
func TestParametersOfTypedInputs(t *testing.T) {
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "shelves", "{shelf}"), handler.Typed(func(context.Context, findBooks) (struct{}, error) { return struct{}{}, nil }), open)
	}}.read(t)
	d.requireJSON(t, `[
		{"name":"shelf","in":"path","required":true,"description":"Which","schema":{"type":"integer","format":"int64"}},
		{"name":"sort","in":"query","schema":{"type":"string","enum":["title","price"],"default":"title"}},
		{"name":"tags[]","in":"query","schema":{"type":"array","items":{"type":"string","minLength":2},"maxItems":3},"example":["go","net"]},
		{"name":"page","in":"query","schema":{"type":"integer","format":"int64","minimum":1}}
	]`, "paths", "/v1/shelves/{shelf}", "get", "parameters")
	require.Equal(t, "204", names(d.at("paths", "/v1/shelves/{shelf}", "get", "responses"))[0])
}
