package sallyport_test

import (
	"context"
	"crypto/tls"
	"html/template"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

func linked(c sallyport.Config) *program {
	p := newProgram(c)
	for _, e := range []api.EndpointIdentifier{
		api.GET("1", "article", "detail"), api.GET("1", "users"), api.GET("1", "users", "{id}"), api.GET("1.33-dev", "files", "{path...}"),
		api.NewEndpointIdentifier("OPTIONS", "1", "article", "detail"),
	} {
		p.AddApi(e, ok, open)
	}
	return p
}

func TestLinks(t *testing.T) {
	p := linked(sallyport.Config{BaseURL: "https://api.example.com:8443"}).build(t)
	const base = "https://api.example.com:8443/api"
	for name, row := range map[string]struct {
		endpoint api.EndpointIdentifier
		params   url.Values
		want     string // an URL or an error
	}{
		"action and query": {api.GET("1", "article", "detail"), url.Values{"page": {"2"}}, base + "/v1/article/detail?page=2"}, // FW-348, FW-400
		"no action":        {api.GET("1", "users"), nil, base + "/v1/users"},                                                   // FW-349
		"a variable":       {api.GET("1", "users", "{id}"), url.Values{"id": {"a/b ?č"}, "x": {"1", "&"}}, base + "/v1/users/a%2Fb%20%3F%C4%8D?x=1&x=%26"},
		"the rest":         {api.GET("1.33-dev", "files", "{path...}"), url.Values{"path": {"a b/c?"}}, base + "/v1.33-dev/files/a%20b/c%3F"},
		"no rest":          {api.GET("1.33-dev", "files", "{path...}"), url.Values{"path": {""}}, base + "/v1.33-dev/files/"},
		"not registered":   {api.GET("2", "users"), nil, "api: a link to GET v2/users, which is not registered"},
		"no value":         {api.GET("1", "users", "{id}"), nil, `api: a link to GET v1/users/{id}: the variable "id" needs one value`},
		"an empty value":   {api.GET("1", "users", "{id}"), url.Values{"id": {""}}, `api: a link to GET v1/users/{id}: the variable "id" needs one value`},
		"two values":       {api.GET("1", "users", "{id}"), url.Values{"id": {"1", "2"}}, `api: a link to GET v1/users/{id}: the variable "id" needs one value`},
		"dots":             {api.GET("1", "users", "{id}"), url.Values{"id": {".."}}, `api: a link to GET v1/users/{id}: the variable "id" has a segment of dots alone`},
		"dots in the rest": {api.GET("1.33-dev", "files", "{path...}"), url.Values{"path": {"a/../b"}}, `api: a link to GET v1.33-dev/files/{path...}: the variable "path" has a segment of dots alone`},
	} {
		t.Run(name, func(t *testing.T) {
			link, err := p.Link(row.endpoint, row.params)
			if err != nil {
				require.Empty(t, link)
				link = err.Error()
			}
			require.Equal(t, row.want, link)
		})
	}
}

func TestLinksAreServed(t *testing.T) {
	p := newProgram(sallyport.Config{BaseURL: "http://example.com"})
	p.AddApi(api.GET("1", "users", "{id}"), says, open).AddApi(api.GET("1", "files", "{path...}"), says, open)
	h := p.build(t)
	for _, value := range []string{"a", "a b", "a/b", "%2F", "a+b", "č", "?#", "a;b", ":", "..a"} {
		link, err := h.Link(api.GET("1", "users", "{id}"), url.Values{"id": {value}})
		require.NoError(t, err)
		require.Equal(t, "GET v1/users/{id} id="+value, body(t, get(h, link)), link)
		link, err = h.Link(api.GET("1", "files", "{path...}"), url.Values{"path": {"x/" + value}})
		require.NoError(t, err)
		require.Equal(t, "GET v1/files/{path...} path=x/"+value, body(t, get(h, link)), link)
	}
}

func TestLinksEscapeTheBasePath(t *testing.T) {
	p := linked(sallyport.Config{BaseURL: "https://api.example.com", BasePath: "/č>"}).build(t)
	link, err := p.Link(api.GET("1", "users"), nil)
	require.NoError(t, err)
	require.Equal(t, "https://api.example.com/%C4%8D%3E/v1/users", link)
	require.Equal(t, 200, get(p, link).StatusCode)
}

func TestALinkWithoutABase(t *testing.T) { // FW-275
	p := linked(sallyport.Config{}).build(t)
	_, err := p.Link(api.GET("1", "users"), nil)
	require.EqualError(t, err, "api: a link needs the base URL in the configuration")
}

// linking answers with the link that it makes to its own endpoint.
func linking(params url.Values) api.Handler {
	return handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		link, err := r.Link(api.EndpointIdentifier{}, params)
		if err != nil {
			return api.Text(http.StatusTeapot, err.Error()), nil
		}
		return api.Text(http.StatusOK, link), nil
	})
}

func TestHandlersLinkToThemselves(t *testing.T) {
	for _, row := range []struct {
		baseURL string
		tls     *tls.ConnectionState
		host    string
		want    string
	}{
		{"", nil, "test", "http://test/api/v1/article/detail?page=2"},           // FW-274, TC-041, TC-046
		{"", nil, "test:8080", "http://test:8080/api/v1/article/detail?page=2"}, // FW-400
		{"", &tls.ConnectionState{}, "test", "https://test/api/v1/article/detail?page=2"},
		{"https://api.example.com", nil, "evil.example", "https://api.example.com/api/v1/article/detail?page=2"},
		{"", nil, "[2001:db8::1]:80", "http://[2001:db8::1]:80/api/v1/article/detail?page=2"},
		{"", nil, `test>; rel="evil"`, "api: a link needs the base URL in the configuration, or a request with a host"},
		{"", nil, "test/?a=", "api: a link needs the base URL in the configuration, or a request with a host"},
		{"", nil, "user:secret@test", "api: a link needs the base URL in the configuration, or a request with a host"},
		{"", nil, "", "api: a link needs the base URL in the configuration, or a request with a host"}, // FW-275, TC-039, TC-044
	} {
		p := newProgram(sallyport.Config{BaseURL: row.baseURL})
		p.AddApi(api.GET("1", "article", "detail"), linking(url.Values{"page": {"2"}}), open)
		r := httptest.NewRequest(http.MethodGet, "/api/v1/article/detail", nil)
		r.Host, r.TLS = row.host, row.tls
		w := httptest.NewRecorder()
		p.build(t).ServeHTTP(w, r)
		require.Equal(t, row.want, w.Body.String())
	}
}

// preflightLink is a handler of preflights that links to its endpoint.
type preflightLink struct{ api.Handler }

func (preflightLink) Preflight()            {}
func (p preflightLink) Unwrap() api.Handler { return p.Handler }

func TestPreflightHandlersLinkToTheirEndpoint(t *testing.T) {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.NewEndpointIdentifier("OPTIONS", "1", "article", "detail"), linking(url.Values{"page": {"2"}}), open) // TC-038, TC-041
	p.AddApi(api.GET("1", "users"), ok, open)
	p.EnableGlobalPreflight(preflightLink{linking(nil)})
	h := p.build(t)
	require.Equal(t, "http://example.com/api/v1/article/detail?page=2", body(t, send(h, request{method: "OPTIONS", path: "/api/v1/article/detail"})))
	require.Equal(t, "api: a link to OPTIONS v1/users, which is not registered", body(t, send(h, request{method: "OPTIONS", path: "/api/v1/users"})))
}

func TestALinkWithoutAPresenterOrAnEndpoint(t *testing.T) { // FW-276, TC-040, TC-045
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	_, err := r.Link(api.GET("1", "users"), nil)
	require.EqualError(t, err, "api: a link needs a presenter: none serves this request")
	r.SetProgram(api.NewProgram(api.Program{}))
	_, err = r.Link(api.EndpointIdentifier{}, nil)
	require.EqualError(t, err, "api: a link to the own endpoint: the request has none")
}

func TestTemplatesLink(t *testing.T) { // FW-350
	p := linked(sallyport.Config{BaseURL: "https://api.example.com"}).build(t)
	for text, want := range map[string]string{
		`<a href="{{apiLink "get" "1" "users" ""}}">`:                       `<a href="https://api.example.com/api/v1/users">`,
		`<a href="{{apiLink "GET" "1" "users" "{id}" "id" .ID "page" 2}}">`: `<a href="https://api.example.com/api/v1/users/%3c7%3e?page=2">`,
		`{{apiLink "GET" "1" "users" "" "page"}}`:                           "apiLink: write pairs of a name and a value behind the action",
		`{{apiLink "GET" "1" "users" "" 1 2}}`:                              "apiLink: write pairs of a name and a value behind the action",
		`{{apiLink "GET" "9" "users" ""}}`:                                  "api: a link to GET v9/users, which is not registered",
	} {
		var b strings.Builder
		err := template.Must(template.New("").Funcs(p.Funcs()).Parse(text)).Execute(&b, map[string]string{"ID": "<7>"})
		if err != nil {
			require.ErrorContains(t, err, want)
			continue
		}
		require.Equal(t, want, strings.ReplaceAll(b.String(), "%3C7%3E", "%3c7%3e"))
	}
}

func TestBaseURLMistakes(t *testing.T) {
	for _, base := range []string{"api.example.com", "ftp://example.com", "https://", "https://example.com/", "https://example.com/api", "https://user@example.com", "https://example.com?x", "%", `https://a>;rel="b"`, "https://ü.example"} {
		p := newProgram(sallyport.Config{BaseURL: base})
		_, err := sallyport.NewPresenter(p.ApiDecider)
		require.ErrorContains(t, err, "the base URL: scheme and host alone", base)
	}
}
