package openapi_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/openapi"
)

// TC-052
func TestTheDocumentHasItsOwnVersion(t *testing.T) {
	d := program{
		config:   sallyport.Config{BaseURL: "https://api.example.com:8443"},
		document: &openapi.Document{Title: "Shop", Description: "All of it"},
		register: func(d *sallyport.ApiDecider) {
			d.AddApi(api.POST("1", "test"), described(api.Description{Summary: "Try", Description: "More", Tags: []string{"a", "b", "a"}}), open)
			d.AddApi(api.GET("1", "test"), described(api.Description{Deprecated: true}), open)
			d.AddApi(api.GET("2", "other"), says, open)
		},
	}.read(t)
	require.Equal(t, "3.1.1", d.at("openapi"))                                           // FW-296
	d.requireJSON(t, `{"title":"Shop","version":"1","description":"All of it"}`, "info") // FW-296
	d.requireJSON(t, `[{"url":"https://api.example.com:8443/api"}]`, "servers")          // FW-297, FW-400
	require.Len(t, d.at("paths"), 2)                                                     // FW-295, FW-347
	require.Len(t, d.at("paths", "/v1/test"), 2)                                         // FW-298, FW-299
	post := doc(d.at("paths", "/v1/test", "post").(map[string]any))
	require.Equal(t, "Try", post.at("summary"))      // FW-300
	require.Equal(t, "More", post.at("description")) // FW-300
	post.requireJSON(t, `["a","b"]`, "tags")         // FW-300, FW-392
	require.Nil(t, post.at("deprecated"))
	get := doc(d.at("paths", "/v1/test", "get").(map[string]any))
	require.Equal(t, true, get.at("deprecated"))                                // FW-300, FW-392
	require.Equal(t, "GET v1/test", get.at("summary"))                          // every operation has one
	require.Equal(t, "getTest", get.at("operationId"))                          // FW-346
	require.Equal(t, "postTest", post.at("operationId"))                        // FW-346
	d.requireJSON(t, `["openapi"]`, "paths", "/v1/docs/openapi", "get", "tags") // FW-294
	require.Equal(t, "Open API", d.at("paths", "/v1/docs/openapi", "get", "summary"))
	d.requireJSON(t, `[{"name":"format","in":"query","description":"Response format",
		"schema":{"type":"string","enum":["json","yaml"],"default":"json"}}]`, "paths", "/v1/docs/openapi", "get", "parameters") // FW-293
	d.requireJSON(t, `{"description":"The OpenAPI document","content":{"application/json":{"schema":{"type":"object"}},"application/yaml":{"schema":{}}}}`,
		"paths", "/v1/docs/openapi", "get", "responses", "200") // TC-054
}

func TestTheServerIsRelativeWithoutAnAddress(t *testing.T) {
	program{}.read(t).requireJSON(t, `[{"url":"/api"}]`, "servers")
}

// peer-fw 73
func TestTheDocumentIsMadeOnce(t *testing.T) {
	presenter, err := program{}.build()
	require.NoError(t, err)
	first := get(presenter, "/api/v1/docs/openapi")
	etag := first.Header().Get("ETag")
	require.NotEmpty(t, etag)
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			again := get(presenter, "/api/v1/docs/openapi")
			if first.Body.String() != again.Body.String() || again.Header().Get("ETag") != etag { // FW-331, TC-228
				t.Error("another document")
			}
		})
	}
	wait.Wait()
	other, err := program{}.build()
	require.NoError(t, err)
	require.Equal(t, first.Body.String(), get(other, "/api/v1/docs/openapi").Body.String()) // FW-331

	r := httptest.NewRequest(http.MethodGet, "/api/v1/docs/openapi", nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, r)
	require.Equal(t, http.StatusNotModified, w.Code)
}

func TestYAML(t *testing.T) {
	presenter, err := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "no"), described(api.Description{Summary: "yes", Description: "on: 1\n- x\t", Tags: []string{"1.0", "null", "2026-12-01", "é", "~"}}), open)
	}}.build()
	require.NoError(t, err)
	w := get(presenter, "/api/v1/docs/openapi?format=yaml")              // FW-293
	require.Equal(t, "application/yaml", w.Header().Get("Content-Type")) // FW-345
	var fromYAML map[string]any
	require.NoError(t, yaml.Unmarshal(w.Body.Bytes(), &fromYAML))
	require.Equal(t, map[string]any(parse(t, get(presenter, "/api/v1/docs/openapi"))), floats(fromYAML))
	require.Contains(t, w.Body.String(), `"500":`)
	require.Equal(t, http.StatusBadRequest, get(presenter, "/api/v1/docs/openapi?format=xml").Code)
}

// floats makes the numbers what encoding/json makes of them.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = floats(v[name])
		}
		return v
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case int:
		return float64(v)
	}
	return v
}

// peer-fw 71
func TestADocumentForEachVersionAndForAll(t *testing.T) {
	document, all := &openapi.Document{}, &openapi.Document{AllVersions: true, Version: "2026"}
	decider := sallyport.NewApiDecider(sallyport.Config{Versions: map[string]api.Lifecycle{"1": {
		Deprecated: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Sunset: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
	}}})
	decider.AddApi(api.GET("1", "users"), says, open).CarryOver(api.GET("1", "users"), "2")
	decider.AddApi(api.GET("1", "dev1", "x"), says, open)
	decider.AddApi(api.GET("1", "openapi"), document, open).AddApi(api.GET("2", "openapi"), document, open).AddApi(api.GET("2", "all"), all, open)
	presenter, err := sallyport.NewPresenter(decider)
	require.NoError(t, err)
	one, two := parse(t, get(presenter, "/api/v1/openapi")), parse(t, get(presenter, "/api/v2/openapi"))
	require.Equal(t, []string{"/v1/dev1/x", "/v1/openapi", "/v1/users"}, names(one.at("paths"))) // FW-343
	require.Equal(t, []string{"/v2/all", "/v2/openapi", "/v2/users"}, names(two.at("paths")))
	require.Equal(t, true, one.at("paths", "/v1/users", "get", "deprecated"))
	require.Equal(t, "2027-01-01T00:00:00Z", one.at("paths", "/v1/users", "get", "x-sunset"))
	require.Equal(t, "2", two.at("info", "version"))
	both := parse(t, get(presenter, "/api/v2/all"))
	require.Len(t, both.at("paths"), 6)
	require.Equal(t, "2026", both.at("info", "version"))
	require.Equal(t, "getUsersV1", both.at("paths", "/v1/users", "get", "operationId"))
	require.Equal(t, "getUsersV2", both.at("paths", "/v2/users", "get", "operationId"))
}

func TestPathsThatDifferInNamesAreOne(t *testing.T) {
	d := program{register: func(d *sallyport.ApiDecider) {
		d.AddApi(api.GET("1", "users", "{id}", "files", "{path...}"), says, open)
		d.AddApi(api.PUT("1", "users", "{user}", "files", "{rest...}"), says, open)
		d.AddApi(api.GET("1", "users", "id"), says, open)
		d.AddApi(api.GET("1", "users-id"), says, open)
	}}.read(t)
	require.Equal(t, []string{"/v1/docs/openapi", "/v1/users-id", "/v1/users/id", "/v1/users/{id}/files/{path}"}, names(d.at("paths")))
	for _, method := range []string{"get", "put"} {
		d.requireJSON(t, `[{"name":"id","in":"path","required":true,"schema":{"type":"string"}},{"name":"path","in":"path","required":true,"schema":{"type":"string"}}]`,
			"paths", "/v1/users/{id}/files/{path}", method, "parameters") // FW-346
	}
	require.Equal(t, "getUsersId", d.at("paths", "/v1/users/id", "get", "operationId"))
	require.Equal(t, "getUsersId2", d.at("paths", "/v1/users-id", "get", "operationId"))
}

func TestMethodsThatOpenAPIHasNoPlaceFor(t *testing.T) {
	for version, want := range map[string][]string{
		"":      {"x-purge", "x-query"},
		"3.2.0": {"additionalOperations", "query"},
	} {
		d := program{document: &openapi.Document{OpenAPI: version}, register: func(d *sallyport.ApiDecider) {
			d.AddApi(api.NewEndpointIdentifier("PURGE", "1", "a", ""), says, open).AddApi(api.NewEndpointIdentifier("QUERY", "1", "a", ""), says, open)
		}}.read(t)
		require.Equal(t, want, names(d.at("paths", "/v1/a")))
		if version != "" {
			require.Equal(t, version, d.at("openapi"))
			require.Equal(t, "purgeA", d.at("paths", "/v1/a", "additionalOperations", "PURGE", "operationId"))
		}
	}
}

// FW-338, TC-226
func TestExtraIsLaidOverTheDocument(t *testing.T) {
	d := program{document: &openapi.Document{Title: "T", Extra: map[string]any{
		"info":    map[string]any{"title": "Own", "contact": map[string]any{"name": "Ada"}},
		"servers": []any{map[string]any{"url": "https://own.example"}},
	}}}.read(t)
	d.requireJSON(t, `{"title":"Own","version":"1","contact":{"name":"Ada"}}`, "info")
	d.requireJSON(t, `[{"url":"https://own.example"}]`, "servers")
}

func TestMistakesAreToldAtStart(t *testing.T) {
	text := program{document: &openapi.Document{OpenAPI: "3.0.3", Endpoints: []string{"GET  users", ""}, Extra: map[string]any{"x": func() {}}}}.mistakes(t)
	for _, want := range []string{
		`openapi: OpenAPI "3.0.3": write 3.1.1 or 3.2.0`, `the filter "GET  users": write methods`, `the filter "": write methods`,
		"the Extra: json: unsupported type: func()",
	} {
		require.Contains(t, text, want)
	}
	d := &openapi.Document{}
	_, err := d.Handle(t.Context(), &api.Request{})
	require.EqualError(t, err, "openapi: the program was not shown to the document")
}
