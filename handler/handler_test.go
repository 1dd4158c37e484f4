package handler_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// answer is a response as it was sent.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// answerOf lets h handle a request without values and sends its answer.
func answerOf(t *testing.T, h api.Handler) answer {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	response, err := h.Handle(t.Context(), &api.Request{Request: request})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, request))
	require.Equal(t, response.Status(), w.Code)
	return answer{w.Code, w.Header(), w.Body.String()}
}

func TestBuiltin(t *testing.T) {
	const mediaJSON = "application/json; charset=utf-8"
	for name, row := range map[string]struct {
		handler api.Handler
		want    answer
	}{
		"AlwaysOk": { // FW-278
			handler.AlwaysOk{},
			answer{200, http.Header{"Content-Type": {mediaJSON}, "Content-Length": {"15"}}, `{"status":"ok"}`},
		},
		"Default": { // FW-279, TC-042
			handler.Default{},
			answer{404, http.Header{"Content-Type": {mediaJSON}, "Content-Length": {"51"}}, `{"status":"error","message":"Unknown api endpoint"}`},
		},
		"CorsPreflight": { // FW-281, TC-037
			handler.CorsPreflight{},
			answer{204, http.Header{}, ""},
		},
		"CorsPreflight with a body": { // FW-281
			handler.CorsPreflight{WithBody: true},
			answer{200, http.Header{"Content-Type": {mediaJSON}, "Content-Length": {"2"}}, `[]`},
		},
		"CorsPreflight with header fields": { // FW-283
			handler.CorsPreflight{Header: http.Header{"X-One": {"1"}, "x-list": {"a", "b"}}},
			answer{204, http.Header{"X-One": {"1"}, "X-List": {"a", "b"}}, ""},
		},
		"Func": {
			handler.Func(func(context.Context, *api.Request) (api.Response, error) { return api.NoContent(), nil }),
			answer{204, http.Header{}, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, answerOf(t, row.handler))
		})
	}
}

func TestOnlyPreflightIsMarked(t *testing.T) { // FW-285
	for _, row := range []struct {
		handler any
		marked  bool
	}{
		{handler.CorsPreflight{}, true},
		{handler.AlwaysOk{}, false},
		{handler.Default{}, false},
		{handler.Func(nil), false},
	} {
		_, marked := row.handler.(api.PreflightHandler)
		require.Equal(t, row.marked, marked, "%T", row.handler)
	}
}

func TestCorsPreflightReplacesFieldsAndKeepsItsOwn(t *testing.T) {
	h := handler.CorsPreflight{Header: http.Header{"Access-Control-Max-Age": {"600"}}}
	response, err := h.Handle(t.Context(), &api.Request{})
	require.NoError(t, err)

	for range 2 {
		w := httptest.NewRecorder()
		w.Header().Set("Access-Control-Allow-Methods", "GET")
		w.Header().Set("Access-Control-Max-Age", "5")
		require.NoError(t, response.Send(w, nil))
		w.Header()["Access-Control-Max-Age"][0] = "changed by a middleware"
		require.Equal(t, answer{204, http.Header{
			"Access-Control-Allow-Methods": {"GET"},
			"Access-Control-Max-Age":       {"600"},
		}, ""}, answer{w.Code, w.Result().Header, w.Body.String()})
	}
	require.Equal(t, http.Header{"Access-Control-Max-Age": {"600"}}, h.Header)
}

func TestCorsPreflightKeepsVary(t *testing.T) {
	response, err := handler.CorsPreflight{Header: http.Header{"Vary": {"X-Tenant"}}}.Handle(t.Context(), &api.Request{})
	require.NoError(t, err)
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Origin")
	require.NoError(t, response.Send(w, nil))
	require.Equal(t, http.Header{"Vary": {"Origin", "X-Tenant"}}, w.Header())
}

func TestFunc(t *testing.T) {
	type key struct{}
	ctx, request, failed := context.WithValue(t.Context(), key{}, 1), &api.Request{ID: "r1"}, errors.New("failed")
	response, err := handler.Func(func(gotCtx context.Context, r *api.Request) (api.Response, error) {
		require.Equal(t, ctx, gotCtx)
		require.Same(t, request, r)
		return nil, failed
	}).Handle(ctx, request)
	require.Nil(t, response)
	require.Equal(t, failed, err)
}

// faulty is a handler with a mistake, of net/http and of ours.
type faulty struct{ handler.AlwaysOk }

func (faulty) ServeHTTP(http.ResponseWriter, *http.Request) {}
func (faulty) Validate() error                              { return errors.New("no folder") }

func TestValidate(t *testing.T) {
	for _, row := range []struct {
		handler api.Handler
		want    string // "": nothing is wrong
	}{
		{handler.Func(func(context.Context, *api.Request) (api.Response, error) { return nil, nil }), ""},
		{handler.Func(nil), "handler.Func: the function is nil"},
		{handler.HTTP(http.NotFoundHandler()), ""},
		{handler.HTTP(nil), "handler.HTTP: the handler is nil"},
		{handler.HTTP(http.HandlerFunc(nil)), "handler.HTTP: the handler: it is a nil http.HandlerFunc"},
		{handler.HTTP((*http.ServeMux)(nil)), "handler.HTTP: the handler: it is a nil *http.ServeMux"},
		{handler.HTTP(faulty{}), "handler.HTTP: the handler: no folder"},
		{handler.Lazy(func() (api.Handler, error) { return nil, nil }, handler.LazyInfo{}), ""},
		{handler.Lazy(nil, handler.LazyInfo{}), "handler.Lazy: the function is nil"},
	} {
		err := row.handler.(interface{ Validate() error }).Validate()
		if row.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, row.want)
		}
	}
}
