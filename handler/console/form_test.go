package console_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestFieldsOfParameters(t *testing.T) {
	for name, row := range map[string]struct {
		params []api.Param
		prefix string
		want   []control
		omits  int
		labels []string
	}{
		"a query and a file": { // TC-077
			[]api.Param{param.Query[string]("mykey"), param.File("my_file")}, "",
			[]control{{Name: "query:mykey", Kind: "text"}, {Name: "file:my_file", Kind: "file"}}, // FW-370
			2, // FW-372
			[]string{"Mykey (string)", "My file (file)"}, // FW-373
		},
		"an example, several values and allowed values": { // TC-078
			[]api.Param{
				param.Form[string]("a").Required().Example("my example"),
				param.Form[string]("b").Multi(),
				param.Form[string]("c").Required().Allowed("x", "y"),
			}, "",
			[]control{
				{Name: "form:a", Kind: "text", Value: "my example"},                                            // FW-374
				{Name: "form:b", Kind: "text"}, {Name: "form:b", Kind: "text"}, {Name: "form:b", Kind: "text"}, // FW-371
				{Name: "form:b", Kind: "text"}, {Name: "form:b", Kind: "text"},
				{Name: "form:c", Kind: "select"}, // FW-370
			},
			3, // FW-372
			[]string{"A * (string)", "B (string)", "C * (string)"}, // FW-373
		},
		"JSON": { // TC-079
			[]api.Param{param.JSON[any]("body", `{"type": "object"}`).Example(`{"a": [1]}`)}, "",
			[]control{{Name: "json:body", Kind: "textarea", Value: "{\n    \"a\": [\n        1\n    ]\n}"}}, 1,
			[]string{"Body (json)"},
		},
		"raw": { // TC-080
			[]api.Param{param.Raw("post_raw").Example("\n a")}, "",
			[]control{{Name: "raw:post_raw", Kind: "textarea", Value: "\n a"}}, 1,
			[]string{"Post raw (raw)"},
		},
		"the example before the default": {
			[]api.Param{param.Query[int]("a").Default(1).Example(2), param.Query[int]("b").Default(3)}, "",
			[]control{{Name: "query:a", Kind: "text", Value: "2"}, {Name: "query:b", Kind: "text", Value: "3"}}, 2, // FW-374
			[]string{"A (integer)", "B (integer)"},
		},
		"the elements of a list, one by one": {
			[]api.Param{param.Query[int]("a").Multi().Default(1, 2, 3, 4, 5, 6)}, "",
			[]control{
				{Name: "query:a", Kind: "text", Value: "1"}, {Name: "query:a", Kind: "text", Value: "2"}, {Name: "query:a", Kind: "text", Value: "3"}, // FW-374
				{Name: "query:a", Kind: "text", Value: "4"}, {Name: "query:a", Kind: "text", Value: "5"}, {Name: "query:a", Kind: "text", Value: "6"},
			}, 1,
			[]string{"A (integer)"},
		},
		"values as they are sent": {
			[]api.Param{
				param.Header[time.Time]("X-Since").Format("date").Default(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)),
				param.Cookie[time.Duration]("age").Default(90 * time.Second),
				param.Query[bool]("dry").Default(false),
			}, "",
			[]control{
				{Name: "header:X-Since", Kind: "text", Value: "2026-01-02"}, {Name: "cookie:age", Kind: "text", Value: "1m30s"},
				{Name: "query:dry", Kind: "select"},
			}, 3,
			[]string{"Age (duration)", "Dry (boolean)", "X-Since (date)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			nodes := form(t, takes(row.params...), auth.None())
			var fields []control
			var omits int
			for _, source := range []string{"query:", "header:", "cookie:", "form:", "file:", "json:", "raw:"} {
				of, n := controls(nodes, source)
				fields, omits = append(fields, of...), omits+n
			}
			require.ElementsMatch(t, row.want, fields)
			require.Equal(t, row.omits, omits)
			blocks := where(nodes, hasClass("field"))
			var labels []string
			for i, n := range nodes {
				if n.Attr["data-name"] != "" {
					labels = append(labels, nodes[i+1].Text)
				}
			}
			require.NotEmpty(t, blocks)
			require.ElementsMatch(t, row.labels, labels)
		})
	}
}

func TestChoices(t *testing.T) {
	nodes := form(t, takes(param.Form[string]("role").Default("b").AllowedValues(
		param.Choice[string]{Value: "a", Description: "May do everything"}, param.Choice[string]{Value: "b"},
	)), auth.None())
	var options []node
	for i, n := range nodes {
		if n.Attr["name"] == "form:role" {
			options = nodes[i+1 : i+4]
		}
	}
	require.Equal(t, []string{"Choose…", "a – May do everything", "b"}, texts(options)) // FW-370
	require.Equal(t, map[string]string{"value": ""}, options[0].Attr)
	require.Equal(t, map[string]string{"value": "b", "selected": "selected"}, options[2].Attr) // FW-374
}

func TestBodyHasSchemaAndExamples(t *testing.T) {
	nodes := form(t, takes(param.JSON[any]("body", `{"type":"object","properties":{"b":{"type":"string"},"a":{"enum":[7]}}}`).
		Required().NamedExample("one", `{"b":"x"}`).NamedExample("two", `{"a":7}`).Description("What it is")), auth.None())
	examples := where(nodes, hasClass("example"))
	require.Equal(t, []string{"Example: one", "Example: two", "Example: from the schema"}, texts(examples)) // FW-375
	require.Equal(t, "{\n    \"a\": 7\n}", examples[1].Attr["data-value"])
	require.Equal(t, "{\n    \"b\": \"\",\n    \"a\": 7\n}", examples[2].Attr["data-value"])
	schema := where(nodes, hasClass("schema"))
	require.Len(t, schema, 1)
	require.Equal(t, "details", schema[0].Tag)                       // FW-375
	require.Contains(t, schema[0].Text, `"b": { "type": "string" }`) // FW-375
	area := where(nodes, func(n node) bool { return n.Attr["name"] == "json:body" })[0]
	require.Equal(t, "10", area.Attr["rows"]) // FW-370
	require.Equal(t, "application/json", area.Attr["data-media-type"])
	require.Equal(t, examples[0].Attr["data-for"], area.Attr["id"])
	require.Contains(t, texts(where(nodes, hasClass("hint"))), "What it is")
}

type order struct {
	Product string   `json:"product"`
	Count   int      `json:"count"`
	Notes   []string `json:"notes"`
}

func TestSchemaOfAGoType(t *testing.T) {
	nodes := form(t, takes(param.JSON[order]("order", "")), auth.None())
	require.Contains(t, where(nodes, hasClass("schema"))[0].Text, `"product"`)
	require.Equal(t, "{\n    \"product\": \"\",\n    \"count\": 0,\n    \"notes\": [\n        \"\"\n    ]\n}",
		where(nodes, hasClass("example"))[0].Attr["data-value"])
}

func TestCommonFields(t *testing.T) { // FW-367, FW-369
	nodes := form(t, handler.AlwaysOk{}, auth.None())
	fields, _ := controls(nodes, "common:")
	require.Equal(t, []control{
		{Name: "common:headers", Kind: "textarea"}, {Name: "common:timeout", Kind: "number", Value: "30"}, {Name: "common:credentials", Kind: "checkbox"},
	}, fields)
	require.Equal(t, "POST /api/v1/things", where(nodes, func(n node) bool { return n.Tag == "h2" })[0].Text) // FW-367
	f := where(nodes, func(n node) bool { return n.Attr["id"] == "form" })[0]
	require.Equal(t, "POST v1/things", f.Attr["data-endpoint"])
	require.Equal(t, "v1/things", f.Attr["data-path"])
	send := where(nodes, func(n node) bool { return n.Attr["id"] == "send" })[0]
	require.Equal(t, "submit", send.Attr["type"]) // FW-367
}

func TestVariablesThatTheHandlerDoesNotDeclare(t *testing.T) {
	d := decider()
	d.AddApi(api.GET("1", "files", "{owner}", "{path...}"), takes(param.Path[int]("owner")), auth.None())
	fields, _ := controls(formOf(t, build(t, &console.Console{}, d), "GET v1/files/{owner}/{path...}"), "path:")
	require.Equal(t, []control{{Name: "path:path", Kind: "text"}, {Name: "path:owner", Kind: "text"}}, fields)
}

func TestDescription(t *testing.T) {
	d := decider()
	d.Add(api.Api{
		Endpoint: api.GET("1", "things"), Authorization: auth.None(),
		RateLimits: []ratelimit.Rule{
			ratelimit.Policy{Name: "perIp", Limit: 10, Interval: time.Minute},
			ratelimit.Policy{Name: "b", Limit: 5, Interval: 2 * time.Second, Algorithm: ratelimit.TokenBucket, Key: ratelimit.Endpoint},
		},
		Handler: handler.Describe(handler.AlwaysOk{}, api.Description{
			Summary: "Things", Description: "First.\n\nSecond.", Tags: []string{"one", "two"},
		}),
		Deprecated: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	nodes := formOf(t, build(t, &console.Console{}, d), "GET v1/things")
	head := where(nodes, hasClass("head"))[0].Text
	require.Equal(t, "GET /api/v1/things Things one two Deprecated since 2026-01-01. It may cease to answer on 2027-01-01. First. Second. "+
		"perIp 10/60s per address and endpoint sliding window b 5/2s per endpoint token bucket", head)
	require.JSONEq(t, `[{"name":"perIp","algorithm":"sliding window","key":"per address and endpoint"},
		{"name":"b","algorithm":"token bucket","key":"per endpoint"}]`,
		where(nodes, func(n node) bool { return n.Attr["id"] == "form" })[0].Attr["data-policies"])
}
