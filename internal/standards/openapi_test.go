package standards_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/openapi"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// OpenAPI 3.1 and 3.2. A flaw that the vectors describe is valid when the document
// of a program has it somewhere.
var documents = map[string]runner{
	"openapi/openapi/header object with name":             headerFlaw(func(h object) bool { return h["name"] != nil }),
	"openapi/openapi/header object with in":               headerFlaw(func(h object) bool { return h["in"] != nil }),
	"openapi/openapi/header style":                        headerFlaw(func(h object) bool { return h["style"] != nil && h["style"] != "simple" }),
	"openapi/openapi/header with schema and content":      headerFlaw(func(h object) bool { return (h["schema"] == nil) == (h["content"] == nil) }),
	"openapi/openapi/header content with two media types": headerFlaw(func(h object) bool { return h["content"] != nil && len(h.in("content")) != 1 }),

	"openapi/openapi/response header Content-Type documented": func(t *testing.T, _ json.RawMessage) any {
		described := handler.Describe(&openapi.Document{}, api.Description{Inputs: []api.Input{{In: api.InHeader, Name: "content-type"}}})
		if strings.Contains(openAPI(t, program{handler: described}), "content-type") {
			return answer{"effect": "written"}
		}
		return answer{"effect": "ignored"}
	},
	"openapi/openapi/status key": func(t *testing.T, _ json.RawMessage) any {
		yaml := send(t, limitedDocument().start(t), call{query: "format=yaml"}).body
		return answer{"valid": strings.Contains(yaml, " 429:"), "correct": yaml[strings.Index(yaml, `"429"`):][:len(`"429"`)]}
	},
	"openapi/openapi/range key": func(t *testing.T, _ json.RawMessage) any {
		return answer{"valid": strings.Contains(openAPI(t, program{handler: silent{&openapi.Document{}}}), `"2XX":`)}
	},
	"openapi/openapi/429 and 4XX both present": func(t *testing.T, _ json.RawMessage) any {
		responses := parse(t, openAPI(t, limitedDocument())).in("paths", "/v1/x", "get", "responses")
		for status := range responses {
			if strings.HasPrefix(status, "4") && status != "400" {
				return answer{"wins": status}
			}
		}
		return nil
	},
	"openapi/openapi/response without description": func(t *testing.T, _ json.RawMessage) any {
		next := program{handler: &openapi.Document{OpenAPI: "3.2.0"}}
		return answer{"valid": parse(t, openAPI(t, next))["openapi"] == "3.2.0"}
	},

	"openapi/openapi/bearer scheme": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Scheme map[string]any }](t, input)
		tokens := scheme{api.Scheme{Name: "bearer", Type: "http", BearerFormat: "JWT"}}
		written := parse(t, openAPI(t, program{handler: &openapi.Document{}, authorization: tokens})).in("components", "securitySchemes", "Bearer")
		return answer{"valid": deepEqual(t, in.Scheme, written)}
	},
	"openapi/openapi/api key scheme without in": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Scheme struct{ Type, Name string } }](t, input)
		_, err := program{authorization: scheme{api.Scheme{Name: "apikey", Type: in.Scheme.Type, ParameterName: in.Scheme.Name}}}.build()
		return answer{"valid": err == nil}
	},
	"openapi/openapi/two requirement objects":         meaning(auth.Any(bearerScheme, keyScheme), "bearer OR apiKey"),
	"openapi/openapi/optional auth":                   meaning(auth.Any(bearerScheme, auth.None()), "anonymous allowed"),
	"openapi/openapi/operation overrides global auth": meaning(auth.None(), "no auth required"),
}

// object is one of JSON.
type object map[string]any

func (o object) in(path ...string) object {
	for _, name := range path {
		inner, _ := o[name].(map[string]any)
		o = inner
	}
	return o
}

func parse(t *testing.T, text string) object { return decode[object](t, []byte(text)) }

// openAPI is the document of a program, as its only endpoint answers it.
func openAPI(t *testing.T, p program) string {
	t.Helper()
	sent := send(t, p.start(t), call{header: authorized})
	require.Equal(t, 200, sent.status, sent.body)
	return sent.body
}

func limitedDocument() program {
	return program{handler: &openapi.Document{}, limits: []ratelimit.Rule{ratelimit.Policy{Limit: 100, Interval: time.Hour}}}
}

// headerFlaw looks at every header of a document.
func headerFlaw(has func(h object) bool) runner {
	return func(t *testing.T, _ json.RawMessage) any {
		headers := parse(t, openAPI(t, limitedDocument())).in("components", "headers")
		require.NotEmpty(t, headers)
		for name := range headers {
			if has(headers.in(name)) {
				return answer{"valid": true}
			}
		}
		return answer{"valid": false}
	}
}

var (
	authorized   = map[string][]string{"Authorization": {"Bearer t"}}
	bearerScheme = scheme{api.Scheme{Name: "bearer", Type: "http"}}
	keyScheme    = scheme{api.Scheme{Name: "apiKey", Type: "apiKey", In: "query", ParameterName: "apiKey"}}
)

// scheme admits everybody, and says what it would ask for.
type scheme struct{ told api.Scheme }

func (scheme) Authorize(context.Context, *api.Request) (api.Identity, error) {
	return api.Identity{}, nil
}
func (s scheme) Scheme() api.Scheme { return s.told }

// silent is the document without its answers.
type silent struct{ inner *openapi.Document }

func (s silent) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return s.inner.Handle(ctx, r)
}
func (s silent) Unwrap() api.Handler { return s.inner }
func (s silent) Describe() api.Description {
	return api.Description{Params: s.inner.Describe().Params}
}

// meaning reads the security of an operation as the vectors word it, when it is the
// one of the vector.
func meaning(a api.Authorization, words string) runner {
	return func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Security []map[string]any }](t, input)
		written := parse(t, openAPI(t, program{handler: &openapi.Document{}, authorization: a})).in("paths", "/v1/x", "get")["security"]
		names := map[string]string{"Bearer": "bearer", "api_key__query__apikey": "apiKey"}
		security := []any{}
		list, _ := written.([]any)
		for _, requirement := range list {
			renamed := map[string]any{}
			for name, scopes := range requirement.(map[string]any) {
				renamed[names[name]] = scopes
			}
			security = append(security, renamed)
		}
		if !slices.Equal(sorted(t, in.Security), sorted(t, security)) { // one of them is enough, whatever their order
			return answer{"meaning": written}
		}
		return answer{"meaning": words}
	}
}

func sorted[T any](t *testing.T, list []T) (texts []string) {
	t.Helper()
	for _, v := range list {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}

func deepEqual(t *testing.T, a, b any) bool {
	t.Helper()
	one, err := json.Marshal(a)
	require.NoError(t, err)
	other, err := json.Marshal(b)
	require.NoError(t, err)
	return slices.Equal(one, other)
}
