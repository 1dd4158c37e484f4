package handler_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type benchmarked struct {
	ID    int      `path:"id" json:"-"`
	Page  int      `query:"page" json:"-" default:"1" validate:"min=1"`
	Limit int      `query:"limit" json:"-" default:"20" validate:"min=1,max=100"`
	Name  string   `json:"name" validate:"required,min=1,max=80"`
	Age   int      `json:"age" validate:"min=0,max=150"`
	Tags  []string `json:"tags" validate:"max=8"`
}

// byHand does the same with encoding/json and strconv.
func byHand(_ context.Context, r *api.Request) (api.Response, error) {
	in := benchmarked{Page: 1, Limit: 20}
	var err error
	if in.ID, err = strconv.Atoi(r.PathValue("id")); err != nil {
		return nil, err
	}
	query := r.URL.Query()
	if text := query.Get("page"); text != "" {
		if in.Page, err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	if text := query.Get("limit"); text != "" {
		if in.Limit, err = strconv.Atoi(text); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err = decoder.Decode(&in); err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(in.Name); in.Page < 1 || in.Limit < 1 || in.Limit > 100 || n < 1 || n > 80 ||
		in.Age < 0 || in.Age > 150 || len(in.Tags) > 8 {
		return nil, api.Invalid()
	}
	return api.NoContent(), nil
}

func BenchmarkTyped(b *testing.B) {
	body := []byte(`{"name":"Ann Example","age":42,"tags":["one","two","three"]}`)
	for _, row := range []struct {
		name    string
		handler api.Handler
	}{
		{"typed", handler.Typed(func(context.Context, benchmarked) (struct{}, error) { return struct{}{}, nil })},
		{"by hand", handler.Func(byHand)},
	} {
		b.Run(row.name, func(b *testing.B) {
			request := httptest.NewRequest(http.MethodPost, "/users/7?page=2&limit=50", http.NoBody)
			request.Header.Set("Content-Type", "application/json")
			path := api.PathValues{{Name: "id", Value: "7"}}
			reader := bytes.NewReader(nil)
			request.Body = io.NopCloser(reader)
			sent := request.Body
			request.ContentLength = int64(len(body))
			b.ReportAllocs()
			for b.Loop() {
				reader.Reset(body)
				request.Body = sent
				r := &api.Request{Request: request, PathValues: path}
				if _, err := row.handler.Handle(context.Background(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
