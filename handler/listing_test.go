package handler_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/param"
)

// askAt builds the program and asks it for a path.
func askAt(t *testing.T, d *sallyport.ApiDecider, path string) (status int, body string) {
	t.Helper()
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// ownParam is a parameter of one's own kind.
type ownParam struct{}

func (ownParam) Input() (api.Input, error)      { return api.Input{In: "moon", Name: "phase"}, nil }
func (ownParam) Read(*api.Request) (any, error) { return nil, nil }

func TestListing(t *testing.T) { // FW-286, FW-289, TC-035
	described := handler.Describe(handler.AlwaysOk{}, api.Description{
		Summary: "Change a user", Deprecated: true,
		Params: []api.Param{
			param.Path[int]("id"),
			param.Form[string]("role").Required().Multi().AllowedValues(
				param.Choice[string]{Value: "admin", Description: "May do everything"}, param.Choice[string]{Value: "user"},
			).Description("What he may do"),
			param.Query[bool]("dry").Default(false),
			ownParam{}, // FW-290
		},
	})
	d := sallyport.NewApiDecider(sallyport.Config{BaseURL: "https://api.example.com"})
	d.AddApi(api.GET("2", "other"), handler.AlwaysOk{}, auth.None())
	d.AddApi(api.POST("1", "users", "{id}"), described, auth.Bearer(auth.StaticTokens{"t": "*"}))
	d.AddApi(api.GET("1", "endpoints"), handler.Listing{}, auth.None())
	status, body := askAt(t, d, "/api/v1/endpoints")
	require.Equal(t, http.StatusOK, status)
	// FW-287, FW-288, FW-291, FW-292, FW-167
	require.JSONEq(t, `{"endpoints":[
		{"method":"POST","version":"1","package":"users","api_action":"{id}","authorization":"bearer",
		 "url":"https://api.example.com/api/v1/users/{id}","summary":"Change a user","deprecated":true,"params":[
			{"type":"path","key":"id","is_required":true,"value_type":"integer"},
			{"type":"form","key":"role","is_required":true,"multi":true,"value_type":"string","description":"What he may do",
			 "available_values":[{"value":"admin","description":"May do everything"},{"value":"user","description":"user"}]},
			{"type":"query","key":"dry","is_required":false,"value_type":"boolean","default":false},
			{"type":"moon","key":"phase","is_required":false}]},
		{"method":"GET","version":"1","package":"endpoints","api_action":null,"authorization":"none",
		 "url":"https://api.example.com/api/v1/endpoints","params":[]}]}`, body)
}

func TestListingShowsTheParametersOfEcho(t *testing.T) { // TC-036
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.POST("1", "comments", "list"), handler.Echo{}, auth.None())
	d.AddApi(api.GET("1", "endpoints"), handler.Listing{}, auth.None())
	_, body := askAt(t, d, "/api/v1/endpoints")
	require.JSONEq(t, `{"endpoints":[
		{"method":"POST","version":"1","package":"comments","api_action":"list","authorization":"none",
		 "url":"http://example.com/api/v1/comments/list","params":[
			{"type":"query","key":"status","is_required":true,"value_type":"string","available_values":[{"value":"ok"},{"value":"error"}]},
			{"type":"query","key":"message","is_required":false,"value_type":"string"}]},
		{"method":"GET","version":"1","package":"endpoints","api_action":null,"authorization":"none",
		 "url":"http://example.com/api/v1/endpoints","params":[]}]}`, body)
}

func TestListingWithoutAPresenter(t *testing.T) {
	require.Equal(t, `{"endpoints":[]}`, answerOf(t, handler.Listing{}).Body)
}

func TestEcho(t *testing.T) { // FW-280, TC-048
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.GET("1", "echo"), handler.Echo{}, auth.None())
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	for path, want := range map[string]string{
		"?status=error&message=Hello": `{"status":"error","params":{"message":"Hello","status":"error"}}`,
		"?status=ok":                  `{"status":"ok","params":{"message":null,"status":"ok"}}`,
		"?status=maybe":               `{"status":"error","message":"wrong input"}`,
		"":                            `{"status":"error","message":"wrong input"}`,
	} {
		w := httptest.NewRecorder()
		presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/echo"+path, nil))
		require.Equal(t, want, w.Body.String(), path)
	}
	d2 := handler.Echo{}.Unwrap().(api.Describer).Describe() // TC-047
	require.Empty(t, d2.Summary+d2.Description)
	require.Empty(t, d2.Tags)
	require.False(t, d2.Deprecated)
}
