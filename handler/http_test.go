package handler_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

func TestHTTP(t *testing.T) {
	type key struct{}
	var got *http.Request
	h := handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Own", "1")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s: %s", r.PathValue("id"), r.PathValue("path"), body)
	}))

	request := httptest.NewRequest(http.MethodPost, "/api/v1/users/7/a/b?x=1", strings.NewReader("hello"))
	request.Pattern = "POST /api/v1/users/{id}/{path...}" // the presenter sets it
	ctx := context.WithValue(t.Context(), key{}, "the context of the request")
	response, err := h.Handle(ctx, &api.Request{
		Request:    request,
		PathValues: api.PathValues{{Name: "id", Value: "7"}, {Name: "path", Value: "a/b"}},
	})
	require.NoError(t, err)
	require.Nil(t, got, "nothing runs before the answer is sent")
	require.Equal(t, 200, response.Status())

	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, request))

	require.Equal(t, answer{418, http.Header{"X-Own": {"1"}}, "7 a/b: hello"}, answer{w.Code, w.Header(), w.Body.String()})
	require.Equal(t, ctx, got.Context())
	require.Equal(t, "POST /api/v1/users/{id}/{path...}", got.Pattern)
	require.Equal(t, "/api/v1/users/7/a/b?x=1", got.RequestURI)
}

func TestHTTPBehindAnOuterServeMux(t *testing.T) {
	inner := handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.PathValue("tenant")+" "+r.PathValue("path")+" "+r.PathValue("id")+" "+r.Pattern)
	}))
	mux := http.NewServeMux()
	mux.HandleFunc("/{tenant}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		params := api.PathValues{{Name: "path", Value: "inner"}, {Name: "id", Value: "7"}}
		response, err := inner.Handle(r.Context(), &api.Request{Request: r, PathValues: params})
		if err == nil {
			err = response.Send(w, r)
		}
		if err != nil {
			t.Error(err)
		}
	})
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/acme/outer", nil))
	require.Equal(t, "acme inner 7 /{tenant}/{path...}", w.Body.String())
}

func TestHTTPServesFiles(t *testing.T) {
	files := fstest.MapFS{"docs/a.txt": {Data: []byte("text")}}
	h := handler.HTTP(http.StripPrefix("/api/v1/files", http.FileServerFS(files)))
	for path, want := range map[string]int{"/api/v1/files/docs/a.txt": 200, "/api/v1/files/b.txt": 404} {
		request := httptest.NewRequest(http.MethodGet, path, nil)
		response, err := h.Handle(t.Context(), &api.Request{Request: request})
		require.NoError(t, err)
		w := httptest.NewRecorder()
		require.NoError(t, response.Send(w, request))
		require.Equal(t, want, w.Code)
	}
}
