package openapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/openapi"
)

var (
	open = auth.None()
	says = handler.AlwaysOk{}
	docs = api.GET("1", "docs", "openapi")
)

// described is a handler that says what it takes and answers.
func described(d api.Description) api.Handler { return handler.Describe(handler.Func(nothing), d) }

func nothing(context.Context, *api.Request) (api.Response, error) { return api.NoContent(), nil }

// doc is a document or a part of it.
type doc map[string]any

// at is the value that the names and indexes lead to; nil without it.
func (d doc) at(path ...any) any {
	var v any = map[string]any(d)
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// requireJSON compares a part of the document.
func (d doc) requireJSON(t *testing.T, want string, path ...any) {
	t.Helper()
	data, err := json.Marshal(d.at(path...))
	require.NoError(t, err)
	require.JSONEq(t, want, string(data), "%v", path)
}

// program is what a test describes.
type program struct {
	config   sallyport.Config
	document *openapi.Document
	register func(d *sallyport.ApiDecider)
}

func (p program) build() (*sallyport.Presenter, error) {
	if p.config.ErrorHandler == nil {
		p.config.ErrorHandler = errorhandler.ProblemDetails{}
	}
	decider := sallyport.NewApiDecider(p.config)
	if p.document == nil {
		p.document = &openapi.Document{}
	}
	if p.register != nil {
		p.register(decider)
	}
	decider.AddApi(docs, p.document, open)
	return sallyport.NewPresenter(decider)
}

// read is the document.
func (p program) read(t *testing.T) doc {
	t.Helper()
	presenter, err := p.build()
	require.NoError(t, err)
	return parse(t, get(presenter, "/api/v1/docs/openapi"))
}

// mistakes are those that are told at start.
func (p program) mistakes(t *testing.T) string {
	t.Helper()
	_, err := p.build()
	require.Error(t, err)
	return err.Error()
}

func get(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func parse(t *testing.T, w *httptest.ResponseRecorder) doc {
	t.Helper()
	require.Equal(t, http.StatusOK, w.Code, w.Body.String())
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	d := doc{}
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &d))
	return d
}

// one describes a single endpoint.
func one(t *testing.T, e api.EndpointIdentifier, d api.Description, auths ...api.Authorization) (whole, path doc) {
	t.Helper()
	a := open
	if len(auths) > 0 {
		a = auths[0]
	}
	whole = program{register: func(decider *sallyport.ApiDecider) { decider.AddApi(e, described(d), a) }}.read(t)
	path, ok := whole.at("paths", "/"+e.URL()).(map[string]any)
	require.True(t, ok)
	return whole, path
}
