package handler_test

import (
	"context"
	"net/http"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// toldOrCalled returns a call of a handler that holds what is true of every
// request: the function was called, or the client is told why not.
func toldOrCalled[In any](complete func(t *testing.T, in In)) func(t *testing.T, r *api.Request) {
	var got *In
	h := handler.TypedWith(handler.TypedOptions{RefuseUnknownQuery: true}, func(_ context.Context, in In) (struct{}, error) {
		got = &in
		return struct{}{}, nil
	})
	return func(t *testing.T, r *api.Request) {
		got = nil
		_, err := h.Handle(t.Context(), r)
		if err == nil {
			complete(t, *got)
			return
		}
		require.Nil(t, got)
		e, ok := api.AsError(err)
		require.True(t, ok, "%v", err)
		if e.Status == http.StatusUnsupportedMediaType {
			return
		}
		require.Equal(t, http.StatusBadRequest, e.Status)
		require.NotEmpty(t, e.Fields)
		require.LessOrEqual(t, len(e.Fields), 100)
		for _, f := range e.Fields {
			require.NotEmpty(t, f.In)
			require.NotEmpty(t, f.Code)
			require.NotEmpty(t, f.Message)
		}
	}
}

type fuzzedQuery struct {
	Page int           `query:"page" default:"1" validate:"min=1,max=9"`
	Name string        `query:"name" validate:"required,max=5"`
	Sort string        `query:"sort" enum:"asc,desc" default:"asc"`
	IDs  []int         `query:"ids" validate:"max=3,dive,min=1"`
	Opt  api.Opt[bool] `query:"opt"`
	Tag  *string       `header:"X-Tag"`
	List []uint8       `header:"X-List"`
}

func FuzzTypedQuery(f *testing.F) {
	f.Add("page=2&name=a&sort=desc&ids=1&ids[]=2&opt=1", "a", "1, 2,,")
	f.Add("name=%ff&page=&page=3", "", "256")
	f.Add("%zz;&&=&name=", "\xff", "\x00")
	f.Add("x=1&name=abcdef&ids=1&ids=2&ids=3&ids=4", " ", ",")
	call := toldOrCalled(func(t *testing.T, in fuzzedQuery) {
		require.True(t, in.Page >= 1 && in.Page <= 9)
		require.True(t, utf8.ValidString(in.Name) && utf8.RuneCountInString(in.Name) <= 5)
		require.True(t, in.Sort == "asc" || in.Sort == "desc")
		require.LessOrEqual(t, len(in.IDs), 3)
		for _, id := range in.IDs {
			require.Positive(t, id)
		}
		require.NotNil(t, in.Tag)
		require.False(t, in.Opt.Null)
	})
	f.Fuzz(func(t *testing.T, query, tag, list string) {
		r := get("/", http.Header{"X-Tag": {tag}, "X-List": {list}})
		r.URL.RawQuery = query
		call(t, r)
	})
}

type fuzzedJSON struct {
	ID    int            `json:"id" validate:"required,min=1"`
	Name  *string        `json:"name" validate:"max=5"`
	Items []fuzzedJSON   `json:"items" validate:"max=2"`
	Any   map[string]any `json:"any"`
	Page  int            `json:"page" default:"1" validate:"min=1"`
}

func (in *fuzzedJSON) complete() bool {
	for i := range in.Items {
		if !in.Items[i].complete() {
			return false
		}
	}
	return in.ID >= 1 && in.Page >= 1 && len(in.Items) <= 2 &&
		(in.Name == nil || utf8.ValidString(*in.Name) && utf8.RuneCountInString(*in.Name) <= 5)
}

func FuzzTypedJSON(f *testing.F) {
	f.Add(mediaTypeJSON, `{"id":1,"name":"Ann","items":[{"id":2,"page":3}],"any":{"a":[null,1e9]}}`)
	f.Add(mediaTypeJSON, `{"id":1,"id":2}`)
	f.Add(mediaTypeJSON, `null`)
	f.Add(mediaTypeJSON, "{\"id\":1,\"name\":\"\xff\"} x")
	f.Add("text/plain", `{}`)
	f.Add("application/json; charset", ``)
	call := toldOrCalled(func(t *testing.T, in fuzzedJSON) { require.True(t, in.complete()) })
	f.Fuzz(func(t *testing.T, contentType, body string) { call(t, post(contentType, body)) })
}

func FuzzTypedForm(f *testing.F) {
	f.Add("application/x-www-form-urlencoded", "title=a&tags=b&tags[]=c&count=3")
	f.Add("application/x-www-form-urlencoded", "title=%zz")
	f.Add("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na\r\n"+
		"--x\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"f\"\r\nContent-Type: image/png\r\n\r\n12345\r\n--x--\r\n")
	f.Add("multipart/form-data; boundary=x", "--x\r\n")
	f.Add("multipart/form-data", "")
	f.Add("application/json", "{}")
	call := toldOrCalled(func(t *testing.T, in upload) {
		require.True(t, utf8.ValidString(in.Title) && utf8.RuneCountInString(in.Title) <= 5)
		require.LessOrEqual(t, in.Avatar.Size, int64(5))
		for _, file := range in.More {
			require.LessOrEqual(t, file.Size, int64(1<<10))
		}
	})
	f.Fuzz(func(t *testing.T, contentType, body string) {
		r := post(contentType, body)
		call(t, r)
		if r.MultipartForm != nil {
			require.NoError(t, r.MultipartForm.RemoveAll())
		}
	})
}
