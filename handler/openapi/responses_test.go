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
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestOutputs(t *testing.T) {
	for name, tc := range map[string]struct {
		outputs []api.Output
		status  string
		want    string
	}{
		"JSON": {[]api.Output{output.JSON(200, `{"type":"object"}`).Description("It")}, "200", // FW-319, FW-320
			`{"description":"It","content":{"application/json":{"schema":{"type":"object"}}}}`},
		"without a description": {[]api.Output{output.JSON(201, "")}, "201", `{"description":"Created","content":{"application/json":{"schema":{}}}}`},
		"nothing said":          {nil, "2XX", `{"description":"Success"}`},
		"empty":                 {[]api.Output{output.Empty(204)}, "204", `{"description":"No Content"}`},
		"an example": {[]api.Output{output.JSON(200, "").Example(map[string]any{"a": false})}, "200", // FW-321, TC-225
			`{"description":"OK","content":{"application/json":{"schema":{},"example":{"a":false}}}}`},
		"two of one status": { // FW-323, FW-325, FW-409, TC-053
			[]api.Output{
				output.JSON(200, `{"type":"object"}`).NamedExample("o", map[string]any{}),
				output.JSON(200, `{"type":"string"}`).Description("Either").NamedExample("s", "x").NamedExample("o", "y"),
			}, "200",
			`{"description":"Either","content":{"application/json":{"schema":{"oneOf":[{"type":"object"},{"type":"string"}]},
				"examples":{"o":{"value":{}},"s":{"value":"x"},"o2":{"value":"y"}}}}}`},
		"equal ones of one status": {[]api.Output{output.JSON(200, `{"type":"object"}`), output.JSON(200, `{"type":"object"}`)}, "200",
			`{"description":"OK","content":{"application/json":{"schema":{"type":"object"}}}}`},
		"media types of one status": {[]api.Output{output.JSON(200, ""), output.Text(200), output.Raw(200, "image/png")}, "200",
			`{"description":"OK","content":{"application/json":{"schema":{}},"text/plain":{"schema":{"type":"string"}},"image/png":{"schema":{}}}}`},
		"joined to an answer of the program": { // FW-324, FW-333
			[]api.Output{output.JSON(500, `{"type":"null"}`).Description("Own")}, "500",
			`{"description":"Own","content":{"application/json":{"schema":{"type":"null"}},"application/problem+json":{"schema":{"$ref":"#/components/schemas/Error"}}}}`},
		"a redirect": {[]api.Output{output.Redirect(301).Description("The new place")}, "301", // FW-326
			`{"description":"The new place","headers":{"Location":{"description":"The new place","schema":{"type":"string","format":"uri-reference"}}}}`},
		"a redirect without a word": {[]api.Output{output.Redirect(0)}, "302", // FW-326
			`{"description":"Redirect","headers":{"Location":{"description":"Where it is","schema":{"type":"string","format":"uri-reference"}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, op := one(t, api.GET("1", "a"), api.Description{Outputs: tc.outputs})
			op.requireJSON(t, tc.want, "get", "responses", tc.status)
		})
	}
	// With one format, both stand under one media type.
	d := program{config: sallyport.Config{ErrorHandler: errorhandler.Default{}}, register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "a"), described(api.Description{Outputs: []api.Output{output.JSON(500, `{"type":"null"}`)}}), open)
	}}.read(t)
	d.requireJSON(t, `{"oneOf":[{"type":"null"},{"$ref":"#/components/schemas/Error"}]}`,
		"paths", "/v1/a", "get", "responses", "500", "content", "application/json", "schema") // FW-324
}

func TestTheAnswersOfTheProgram(t *testing.T) { // FW-314
	bearer := auth.Bearer(auth.StaticTokens{"t": "*"})
	for name, tc := range map[string]struct {
		description api.Description
		auth        api.Authorization
		want        []string
	}{
		"nothing to take":         {api.Description{}, open, []string{"2XX", "500"}},
		"a parameter":             {api.Description{Params: []api.Param{param.Query[int]("n")}}, open, []string{"2XX", "400", "500"}},
		"a body":                  {api.Description{Params: []api.Param{param.Raw("b")}}, open, []string{"2XX", "400", "413", "415", "500"}},
		"an authorization":        {api.Description{}, bearer, []string{"2XX", "401", "500"}},
		"failures of the handler": {api.Description{Failures: []int{404, 409, 500}}, open, []string{"2XX", "404", "409", "500"}},
		"scopes":                  {api.Description{}, auth.Any(auth.Scopes(bearer, "a"), bearer), []string{"2XX", "401", "403", "500"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, op := one(t, api.POST("1", "a"), tc.description, tc.auth)
			require.Equal(t, tc.want, names(op.at("post", "responses")))
			if status := op.at("post", "responses", "401", "description"); status != nil {
				require.Equal(t, "The credentials are missing or not valid", status) // FW-315
			}
		})
	}
}

type ownErrors struct{ errorhandler.Default }

func (ownErrors) ErrorSchema(api.Kind) (string, api.Schema) { return "text/plain", api.Schema{} }

type silent struct{ errorhandler.Default }

func (silent) ErrorSchema(api.Kind) (string, api.Schema) { return "", api.Schema{} }

// The bodies are those of the error handler in use.
func TestErrorBodies(t *testing.T) {
	register := func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "a"), described(api.Description{Params: []api.Param{param.Query[int]("n")}}), open, ratelimit.Policy{Limit: 1, Interval: time.Hour})
		d.Add(api.Api{Endpoint: api.GET("1", "own"), Handler: says, Authorization: open, ErrorHandler: ownErrors{}})
		d.Add(api.Api{Endpoint: api.GET("1", "silent"), Handler: says, Authorization: open, ErrorHandler: silent{}})
		d.Add(api.Api{Endpoint: api.GET("1", "default"), Handler: says, Authorization: open, ErrorHandler: errorhandler.Default{}})
	}
	d := program{register: register}.read(t)
	body := func(path, status string) any { return d.at("paths", path, "get", "responses", status, "content") }
	for status, want := range map[string]string{"400": "InputError", "429": "RateLimitError", "500": "Error"} { // FW-317
		require.Equal(t, map[string]any{"application/problem+json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/" + want}}}, body("/v1/a", status))
		kind := map[string]api.Kind{"400": api.KindInput, "429": api.KindRateLimit, "500": api.KindHandler}[status]
		_, schema := errorhandler.ProblemDetails{}.ErrorSchema(kind)
		d.requireJSON(t, string(schema.JSON), "components", "schemas", want) // FW-318
	}
	require.Equal(t, map[string]any{"text/plain": map[string]any{"schema": true}}, body("/v1/own", "500"))
	require.Nil(t, body("/v1/silent", "500"))
	require.Equal(t, map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error2"}}}, body("/v1/default", "500"))

	d = program{config: sallyport.Config{ErrorHandler: errorhandler.Default{}}, register: register}.read(t)
	require.Equal(t, map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}}, body("/v1/a", "400"))
}

func TestLimitedEndpoints(t *testing.T) { // FW-316
	tenant := ratelimit.KeyFunc(func(context.Context, *ratelimit.Context) (string, bool, error) { return "t", true, nil })
	d := program{
		config: sallyport.Config{RateLimits: []ratelimit.Policy{
			{Name: "perIp", Limit: 100, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 1000, Interval: 90 * time.Minute, Key: ratelimit.Keys(ratelimit.Identity, ratelimit.Endpoint),
				LimitFor: func(*ratelimit.Context) int64 { return 0 }, OnStorageFailure: ratelimit.FailClosed},
			{Name: "own", Limiter: ratelimit.CheckFunc(func(context.Context, *ratelimit.Context) (*ratelimit.Check, error) { return nil, nil })},
		}},
		register: func(d *sallyport.ApiDecider) {
			d.AddApi(api.GET("1", "a"), says, auth.Bearer(auth.StaticTokens{"t": "*"}), ratelimit.Named("perIp", "perUser", "own"))
			d.AddApi(api.GET("1", "b"), says, open, ratelimit.Policy{Algorithm: ratelimit.FixedWindow, Limit: 2, Interval: time.Hour, Key: tenant})
			d.AddApi(api.GET("1", "c"), says, open, ratelimit.Off)
		},
	}.read(t)
	a := doc(d.at("paths", "/v1/a", "get").(map[string]any))
	require.Equal(t, []string{"2XX", "401", "429", "500", "503"}, names(a.at("responses")))
	for _, status := range names(a.at("responses")) {
		want := []string{"RateLimit", "RateLimit-Policy"}
		if status == "429" {
			want = append(want, "Retry-After")
		}
		require.Equal(t, want, names(a.at("responses", status, "headers")), status)
	}
	require.Equal(t, "A rate limit is used up:\n"+
		" * `perIp`: 100 requests in 1m (sliding window), for each address\n"+
		" * `own`\n"+
		" * `perUser`: 1000 or what the caller is granted requests in 1h30m (token bucket), for each caller and endpoint", a.at("responses", "429", "description"))
	a.requireJSON(t, `[{"name":"perIp","algorithm":"slidingWindow","limit":100,"window":60,"keys":["ip"]},{"name":"own"},
		{"name":"perUser","algorithm":"tokenBucket","limit":1000,"window":5400,"perCaller":true,"keys":["identity","endpoint"]}]`, "x-rate-limits")
	require.Equal(t, "A rate limit is used up:\n * `GET.v1.b`: 2 requests in 1h (fixed window), for each key of the program and endpoint", d.at("paths", "/v1/b", "get", "responses", "429", "description"))
	require.Nil(t, d.at("paths", "/v1/c", "get", "responses", "429"))
	require.Nil(t, d.at("paths", "/v1/c", "get", "x-rate-limits"))
	require.Equal(t, []string{"RateLimit", "RateLimit-Policy", "Retry-After"}, names(d.at("components", "headers")))
	for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
		require.Equal(t, "string", d.at("components", "headers", name, "schema", "type"))
	}
	data, err := json.Marshal(d)
	require.NoError(t, err)
	require.NotContains(t, string(data), "null")
}
