package param_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

type user struct {
	Name string `json:"name"`
	Age  int64  `json:"age,omitempty"`
}

func jsonBody(body string) *api.Request { return withBody("POST", "application/json", body) }

// broken are faults of a body: place, code and message of each.
func broken(told ...[3]string) (r result) {
	for _, f := range told {
		r.Faults = append(r.Faults, api.FieldError{In: "body", Name: f[0], Code: f[1], Message: f[2]})
	}
	return r
}

func TestJSON(t *testing.T) {
	const object = `{"type": "object"}`
	const hello = `{"properties": {"hello": {"enum": ["world", "europe"]}, "n": {"type": "object", "required": ["x"]}}}`
	tree := param.JSON[any]
	missing := broken([3]string{"", "required", "missing data"})
	for name, row := range map[string]struct {
		param interface {
			api.Param
			Get(*api.Request) any
		}
		body string
		want result
	}{
		"optional, no body":    {tree("x", `{}`), "", value(nil)},                                                                     // FW-228, FW-403, TC-086
		"required, no body":    {tree("x", object).Required(), "", missing},                                                           // FW-226, TC-087
		"an empty object":      {tree("x", object).Required(), "{}", value(map[string]any{})},                                         // FW-232, TC-202
		"an object inside":     {tree("x", object), `{"a": {}, "b": []}`, value(map[string]any{"a": map[string]any{}, "b": []any{}})}, // FW-225, FW-232
		"a default":            {tree("x", object).Default("{}"), "", value(map[string]any{})},                                        // FW-230, TC-088
		"required, a default":  {tree("x", object).Required().Default("{}"), "", value(map[string]any{})},                             // FW-171
		"a default, but sent":  {tree("x", "").Default("{}"), "[]", value([]any{})},
		"null":                 {tree("x", object), "null", broken([3]string{"", "type", "must be an object"})}, // FW-231, peer-fw 44
		"null that is allowed": {tree("x", ""), "null", value(nil)},
		"zero":                 {tree("x", object), "0", broken([3]string{"", "type", "must be an object"})},                               // FW-231
		"false":                {tree("x", object), "false", broken([3]string{"", "type", "must be an object"})},                           // FW-231
		"an empty text":        {tree("x", object), `""`, broken([3]string{"", "type", "must be an object"})},                              // FW-231
		"an empty list":        {tree("x", object), "[]", broken([3]string{"", "type", "must be an object"})},                              // FW-231
		"an object, no text":   {tree("x", `{"type": "string"}`), `{"hello": "world"}`, broken([3]string{"", "type", "must be a string"})}, // FW-229
		"all violations": {tree("x", hello), `{"hello": "asia", "n": {}}`, broken( // FW-229, FW-240, FW-241
			[3]string{"/hello", "enum", `[Property hello] must be one of: "world", "europe"`},
			[3]string{"/n/x", "required", "[Property n.x] the property x is required"})},
		"large integers":  {tree("x", ""), `[9007199254740993, 1e2]`, value([]any{json.Number("9007199254740993"), json.Number("1e2")})}, // FW-233
		"no JSON":         {tree("x", ""), `{"a": }`, broken([3]string{"", "syntax", "Syntax error"})},                                   // FW-227, FW-402, TC-204
		"a word":          {tree("x", ""), `abc`, broken([3]string{"", "syntax", "Syntax error"})},                                       // FW-227, FW-402
		"only a space":    {tree("x", ""), ` `, broken([3]string{"", "syntax", "Syntax error"})},
		"two values":      {tree("x", ""), `{} x`, broken([3]string{"", "syntax", "Syntax error"})},                                              // peer-fw 31
		"a member twice":  {tree("x", ""), `{"a": 1, "a": 2}`, broken([3]string{"/a", "duplicate", "[Property a] Field occurs more than once"})}, // peer-fw 29
		"a name too long": {tree("x", `{"additionalProperties": {"additionalProperties": false}}`), `{"a": {"` + strings.Repeat("x", 300) + `": 1}}`, broken([3]string{"/a", "additionalProperties", "[Property a] is not allowed"})},
	} {
		t.Run(name, func(t *testing.T) {
			r := jsonBody(row.body)
			require.Equal(t, row.want, resultOf(t, r, row.param))
			require.Equal(t, row.want.Value, row.param.Get(r))
		})
	}
}

func TestJSONOfAType(t *testing.T) {
	const adult = `{"properties": {"age": {"minimum": 18}}}`
	p := param.JSON[user]("x", adult).Required()
	for body, want := range map[string]result{
		`{"name": "Ann", "age": 9007199254740993}`: value(user{"Ann", 9007199254740993}), // FW-233
		`{"name": "Ann"}`:                          value(user{Name: "Ann"}),
		`{"name": 1, "age": 2}`:                    broken([3]string{"/age", "minimum", "[Property age] must be at least 18"}),
		`{"name": 1}`:                              broken([3]string{"/name", "type", "[Property name] Value has invalid type. Expected string."}),
		`{"name": "Ann", "admin": 1}`:              broken([3]string{"/admin", "unknown", "[Property admin] Field is unknown"}),
	} {
		require.Equal(t, want, resultOf(t, jsonBody(body), p), body)
	}

	pointer := param.JSON[*user]("x", "").Default(`{"name": "nobody"}`)
	r := jsonBody("")
	require.Equal(t, value(&user{Name: "nobody"}), resultOf(t, r, pointer))
	pointer.Get(r).Name = "changed" // it is the request's own
	require.Equal(t, value(&user{Name: "nobody"}), resultOf(t, jsonBody(""), pointer))

	optional := param.JSON[user]("x", "")
	r = jsonBody("")
	require.Equal(t, result{}, resultOf(t, r, optional)) // FW-228
	got, ok := optional.Lookup(r)
	require.False(t, ok)
	require.Zero(t, got)
}

func TestJSONMediaTypes(t *testing.T) { // FW-234, peer-fw 43
	accept := []string{"application/json"}
	unsupported := api.Error{Status: 415, Header: http.Header{"Accept": accept, "Accept-Post": accept}}
	for mediaType, ok := range map[string]bool{
		"application/json":                 true,
		"Application/JSON; charset=UTF-8":  true,
		"application/ld+json":              true,
		"text/plain":                       false,
		formType:                           false,
		"application/+json":                false,
		"application/json; charset=latin1": false,
		"":                                 false,
	} {
		_, err := read(t, withBody("POST", mediaType, "{}"), param.JSON[any]("x", ""))
		if ok {
			require.NoError(t, err, mediaType)
			continue
		}
		got, isError := api.AsError(err)
		require.True(t, isError, mediaType)
		got.Err = nil
		require.Equal(t, unsupported, got, mediaType)
	}
	for _, mediaType := range []string{"text/plain", formType, "application/json", ""} {
		require.Equal(t, value(map[string]any{}), resultOf(t, withBody("POST", mediaType, "{}"), param.JSON[any]("x", "").AnyMediaType()))
	}
}

// However much is wrong with a body, the answer is short.
func TestJSONFaultsAreBounded(t *testing.T) {
	p := param.JSON[any]("x", `{"items": {"type": "string"}}`)
	require.Len(t, resultOf(t, jsonBody("["+strings.Repeat("1,", 1000)+"1]"), p).Faults, 100)
}

func TestJSONInput(t *testing.T) {
	const object = `{"type": "object"}`
	for name, row := range map[string]struct {
		param api.Param
		want  api.Input
	}{
		"with a schema": {
			param.JSON[map[string]any]("x", object).Required().Description("A thing").Default(`{}`).Example(`{"a": 1}`).NamedExample("none", `{}`),
			api.Input{
				In: "json", Name: "x", Description: "A thing", Required: true, // FW-167
				Schema: api.Schema{JSON: json.RawMessage(object)}, Default: json.RawMessage(`{}`),
				Examples: []api.Example{{Name: "default", Value: json.RawMessage(`{"a": 1}`)}, {Name: "none", Value: json.RawMessage(`{}`)}},
			},
		},
		"of a type":   {param.JSON[user]("x", ""), api.Input{In: "json", Name: "x", Schema: api.Schema{Type: reflect.TypeFor[user]()}}},
		"of any type": {param.JSON[any]("x", "").AnyMediaType(), api.Input{In: "json", Name: "x", MediaTypes: []string{"*/*"}}},
	} {
		t.Run(name, func(t *testing.T) {
			input, err := row.param.Input()
			require.NoError(t, err)
			require.Equal(t, row.want, input)
		})
	}
}

func TestJSONMistakes(t *testing.T) {
	const x = `json parameter "x": `
	for name, row := range map[string]struct {
		param api.Param
		want  string
	}{
		"no name":                     {param.JSON[any]("", ""), `json parameter "": it has no name`},
		"a schema that is none":       {param.JSON[any]("x", `{`).Default("1"), x + "schema: Syntax error"},                                                        // FW-236
		"a default, no JSON":          {param.JSON[any]("x", "").Default("abc"), x + "default: Syntax error"},                                                      // FW-230
		"a default of the wrong type": {param.JSON[any]("x", `{"type": "string"}`).Default(`{"hello": "world"}`), x + "default: must be a string"},                 // FW-230, TC-089
		"a default that does not fit": {param.JSON[user]("x", "").Default(`{"name": 1}`), x + "default: [Property name] Value has invalid type. Expected string."}, // FW-230
		"an empty default":            {param.JSON[any]("x", "").Default(""), x + "default: Syntax error"},
		"an example that breaks":      {param.JSON[any]("x", `{"type": "string"}`).Example("1").NamedExample("default", `""`), x + `example "default": must be a string` + "\n" + x + `example "default" is given twice`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := row.param.Input()
			require.EqualError(t, err, row.want)
			_, err = row.param.Read(jsonBody("1"))
			require.EqualError(t, err, row.want)
		})
	}
	_, err := param.JSON[chan int]("x", "").Input()
	require.ErrorContains(t, err, x)
}
