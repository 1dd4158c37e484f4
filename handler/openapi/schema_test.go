package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
)

// schemaOf is a JSON Schema as it stands in a document.
func schemaOf(t *testing.T, text string) (whole doc, schema any) {
	t.Helper()
	whole, op := one(t, api.GET("1", "a"), api.Description{Outputs: []api.Output{output.JSON(200, text)}})
	return whole, op.at("get", "responses", "200", "content", "application/json", "schema")
}

// OpenAPI 3.1 has the type lists of JSON Schema, so nothing has to be translated.
func TestSchemasStayAsTheyAre(t *testing.T) {
	for _, text := range []string{
		`{"type":"object","properties":{"image":{"type":"string"}}}`,                         // TC-063
		`{"type":"object","properties":{"type":{"type":"string"}}}`,                          // TC-064, FW-335, FW-407
		`{"type":"object","properties":{"image":{"type":["string","null"]}}}`,                // TC-065, FW-334
		`{"type":"object","properties":{"image":{"type":["string","integer"]}}}`,             // TC-066, FW-334
		`{"type":"object","properties":{"image":{"type":["string","integer","null"]}}}`,      // TC-067, FW-334
		`{"type":"object","properties":{"type":{"type":["string","integer","null"]}}}`,       // TC-068, FW-335
		`{"type":["null"],"oneOf":[{"type":"null"}]}`,                                        // FW-336
		`{"type":"object","properties":{},"patternProperties":{},"additionalProperties":{}}`, // FW-337
		`{"$id":"https://example.com/s","$defs":{"a":{}},"$ref":"#/$defs/a"}`,                // a resource of its own
		`{"properties":{"$ref":{"const":{"$ref":"#/x"}}},"enum":[{"$ref":"#/$defs/a"}],"examples":[{"$ref":"#"}]}`,
		`{"$anchor":"here","items":{"$ref":"#here"},"minimum":0.10}`,
	} {
		_, schema := schemaOf(t, text)
		got, err := json.Marshal(schema)
		require.NoError(t, err)
		require.JSONEq(t, text, string(got))
	}
}

func TestDefinitionsMoveToTheComponents(t *testing.T) { // FW-329
	whole, schema := schemaOf(t, `{
		"definitions":{"A b":{"type":"array","items":{"$ref":"#/$defs/c"}},"x/y":true},"$defs":{"c":{"type":"string"}},
		"allOf":[{"$ref":"#/definitions/A%20b"},{"properties":{"y":{"$ref":"#/definitions/x~1y"},"z":{"$ref":"#/definitions/A b/items"}}}]}`)
	require.Equal(t, map[string]any{"allOf": []any{
		map[string]any{"$ref": "#/components/schemas/A_b"},
		map[string]any{"properties": map[string]any{
			"y": map[string]any{"$ref": "#/components/schemas/x_y"}, "z": map[string]any{"$ref": "#/components/schemas/A_b/items"}}},
	}}, schema)
	whole.requireJSON(t, `{"type":"array","items":{"$ref":"#/components/schemas/c"}}`, "components", "schemas", "A_b")
	whole.requireJSON(t, `true`, "components", "schemas", "x_y")
	whole.requireJSON(t, `{"type":"string"}`, "components", "schemas", "c")
}

func TestASchemaThatRefersToItselfIsAComponent(t *testing.T) {
	whole, schema := schemaOf(t, `{"type":"object","properties":{"next":{"$ref":"#"},"name":{"type":"string"},"alias":{"$ref":"#/properties/name"}}}`)
	require.Equal(t, map[string]any{"$ref": "#/components/schemas/getAAnswer200"}, schema)
	whole.requireJSON(t, `{"type":"object","properties":{"next":{"$ref":"#/components/schemas/getAAnswer200"},"name":{"type":"string"},
		"alias":{"$ref":"#/components/schemas/getAAnswer200/properties/name"}}}`, "components", "schemas", "getAAnswer200")
}

func TestDefinitionsOfOneName(t *testing.T) { // FW-330, FW-408, TC-217
	with := func(definition string) api.Handler {
		return described(api.Description{Params: []api.Param{param.JSON[any]("b", `{"$defs":{"A":`+definition+`},"$ref":"#/$defs/A"}`)}})
	}
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.POST("1", "a"), with(`{"type":"string"}`), open).AddApi(api.POST("1", "b"), with(`{"type":"string"}`), open)
	}}.read(t)
	d.requireJSON(t, `{"type":"string"}`, "components", "schemas", "A")
	text := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.POST("1", "a"), with(`{"type":"string"}`), open).AddApi(api.POST("1", "b"), with(`{"type":"null"}`), open)
	}}.mistakes(t)
	require.Contains(t, text, "openapi: POST v1/b: Definition with name A already exists. Rename it.")
	require.Contains(t, text, "helper_test.go:") // the registration of the document
	text = program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.POST("1", "a"), described(api.Description{Params: []api.Param{param.JSON[any]("b", `{"$defs":{"Error":{"type":"string"}},"$ref":"#/$defs/Error"}`)}}), open)
	}}.mistakes(t)
	require.Contains(t, text, `the definition "Error" is called like a body of errors: rename it`) // FW-332
}
