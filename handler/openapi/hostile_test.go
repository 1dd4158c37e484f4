package openapi_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestARestOfThePathIsNotLost(t *testing.T) {
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "f", "{path...}"), described(api.Description{Summary: "rest"}), open)
		d.AddApi(api.GET("1", "f", "{name}"), described(api.Description{Summary: "one"}), open)
	}}.read(t)
	require.Equal(t, "rest", d.at("paths", "/v1/f/{path}", "get", "summary"))
	require.Equal(t, "one", d.at("paths", "/v1/f/{name}", "get", "summary"))
}

func TestPathsAreEscaped(t *testing.T) {
	d := program{register: func(d *sallyport.ApiDecider) { d.AddApi(api.GET("1", "x", "a b?"), says, open) }}.read(t)
	require.Equal(t, []string{"/v1/docs/openapi", "/v1/x/a%20b%3F"}, names(d.at("paths")))
}

func TestSchemesOfOneNameAreApart(t *testing.T) {
	tokens := auth.StaticTokens{"t": "*"}
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "a"), says, auth.HeaderKey("X-Api-Key", tokens))
		d.AddApi(api.GET("1", "b"), says, auth.HeaderKey("X_Api_Key", tokens))
		d.AddApi(api.GET("1", "c"), says, auth.HeaderKey("X_Api_Key", tokens))
	}}.read(t)
	d.requireJSON(t, `[{"api_key__header__x_api_key":[]}]`, "paths", "/v1/a", "get", "security")
	for _, path := range []string{"/v1/b", "/v1/c"} {
		d.requireJSON(t, `[{"api_key__header__x_api_key_2":[]}]`, "paths", path, "get", "security")
	}
	require.Equal(t, "X_Api_Key", d.at("components", "securitySchemes", "api_key__header__x_api_key_2", "name"))
}

func TestAnAuthorizationWithTooManyWays(t *testing.T) {
	tokens := auth.StaticTokens{"t": "*"}
	var pairs []api.Authorization
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		pairs = append(pairs, auth.Any(auth.QueryKey(name, tokens), auth.QueryKey(name+"2", tokens)))
	}
	require.Contains(t, program{register: func(d *sallyport.ApiDecider) { d.AddApi(api.GET("1", "a"), says, auth.All(pairs...)) }}.mistakes(t),
		"an authorization can be met in more than 64 ways")
}

type color int

func (c color) String() string { return "red" }

// What a client sends is not what a log shows.
func TestValuesAreDescribedAsTheyAreSent(t *testing.T) {
	_, op := one(t, api.GET("1", "a"), api.Description{Params: []api.Param{
		param.Query[color]("c").Allowed(0, 1), param.Query[time.Month]("m").Default(time.May),
	}})
	op.requireJSON(t, `{"type":"integer","format":"int64","enum":[0,1]}`, "get", "parameters", 0, "schema")
	op.requireJSON(t, `{"type":"integer","format":"int64","default":5}`, "get", "parameters", 1, "schema")
}

type tree struct{}

func (tree) JSONSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"next":{"$ref":"#"},"leaf":{"$ref":"#/$defs/leaf"}},"$defs":{"leaf":{"type":"string"}}}`)
}

type treeErrors struct{ errorhandler.Default }

func (treeErrors) ErrorSchema(api.Kind) (string, api.Schema) {
	return "application/json", api.Schema{JSON: json.RawMessage(`{"$defs":{"cause":{"$ref":"#"}},"properties":{"cause":{"$ref":"#/$defs/cause"}}}`)}
}

type noErrors struct{ errorhandler.Default }

func (noErrors) ErrorSchema(api.Kind) (string, api.Schema) {
	return "application/json", api.Schema{JSON: json.RawMessage(`not JSON`)}
}

func TestReferencesLeadSomewhere(t *testing.T) {
	d := program{config: sallyport.Config{ErrorHandler: treeErrors{}}, register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "a"), handler.Typed(func(context.Context, struct{}) (tree, error) { return tree{}, nil }), open)
		d.AddApi(api.GET("1", "b"), handler.Typed(func(context.Context, struct{}) ([]tree, error) { return nil, nil }), open)
	}}.read(t)
	d.requireJSON(t, `{"$ref":"#/components/schemas/Tree"}`, "paths", "/v1/a", "get", "responses", "200", "content", "application/json", "schema")
	d.requireJSON(t, `{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Tree"},"leaf":{"$ref":"#/components/schemas/leaf"}}}`, "components", "schemas", "Tree")
	d.requireJSON(t, `{"properties":{"cause":{"$ref":"#/components/schemas/cause"}}}`, "components", "schemas", "Error")
	d.requireJSON(t, `{"$ref":"#/components/schemas/Error"}`, "components", "schemas", "cause")
	require.Contains(t, program{config: sallyport.Config{ErrorHandler: noErrors{}}}.mistakes(t), "the error handler: a JSON Schema: invalid character")
}

// Names that nobody has written are never in anybody's way.
func TestMadeNamesMakeWay(t *testing.T) {
	whole, op := one(t, api.GET("1", "a"), api.Description{Outputs: []api.Output{
		output.JSON(200, `{"type":"object","properties":{"a":{"$ref":"#"}}}`),
		output.JSON(200, `{"type":"array","items":{"$ref":"#"}}`),
		output.JSON(201, `{"$defs":{"日本":{"type":"string"},"中国":{"type":"null"},"":{}},"anyOf":[{"$ref":"#/$defs/日本"},{"$ref":"#/$defs/中国"}]}`),
	}})
	op.requireJSON(t, `{"oneOf":[{"$ref":"#/components/schemas/getAAnswer200"},{"$ref":"#/components/schemas/getAAnswer2002"}]}`,
		"get", "responses", "200", "content", "application/json", "schema")
	require.Subset(t, names(whole.at("components", "schemas")), []string{"__", "__2", "getAAnswer200", "getAAnswer2002", "Schema"})
}
