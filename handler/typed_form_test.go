package handler_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type upload struct {
	Title  string                  `form:"title" validate:"required,max=5"`
	Count  int                     `form:"count" default:"1"`
	Tags   []string                `form:"tags"`
	Avatar *multipart.FileHeader   `file:"avatar" validate:"required" maxSize:"5" accept:"image/*,text/plain"`
	More   []*multipart.FileHeader `file:"more" maxSize:"1KiB" accept:"application/pdf"`
}

// multipartForm is a form of lines: "name=value", or "name:media type=content"
// for a file.
func multipartForm(t testing.TB, lines ...string) *api.Request {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		name, mediaType, file := strings.Cut(name, ":")
		header := textproto.MIMEHeader{"Content-Disposition": {fmt.Sprintf("form-data; name=%q", name)}}
		if file {
			header["Content-Disposition"][0] += `; filename="f"`
			if mediaType != "" {
				header["Content-Type"] = []string{mediaType}
			}
		}
		part, err := w.CreatePart(header)
		require.NoError(t, err)
		_, err = io.WriteString(part, value)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	r := &api.Request{Request: httptest.NewRequest(http.MethodPost, "/", &body)}
	r.Header.Set("Content-Type", w.FormDataContentType())
	return r
}

// contents are those of files.
func contents(t *testing.T, files ...*multipart.FileHeader) (all []string) {
	t.Helper()
	for _, file := range files {
		f, err := file.Open()
		require.NoError(t, err)
		data, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		all = append(all, string(data))
	}
	return all
}

func TestTypedForm(t *testing.T) {
	got, err := bound[upload](t, handler.TypedOptions{}, multipartForm(t, "title=Me", "count=", "tags=a", "tags[]=b", "x=1",
		"avatar:image/png=12345", "more:application/pdf=1", "more[]:Application/PDF=2"))
	require.NoError(t, err)
	require.Equal(t, "Me", got.Title)
	require.Equal(t, 1, got.Count)
	require.Equal(t, []string{"a", "b"}, got.Tags)
	require.Equal(t, []string{"12345"}, contents(t, got.Avatar))
	require.Equal(t, []string{"1", "2"}, contents(t, got.More...))

	for name, row := range map[string]struct {
		lines []string
		want  []api.FieldError
	}{
		"nothing": {nil, []api.FieldError{
			fault("form", "title", "required", "Field is required"),
			fault("form", "avatar", "required", "Field is required"),
		}},
		"wrong": {[]string{"title=abcdef", "count=x", "avatar:image/png=123456", "more:text/plain=1"}, []api.FieldError{
			fault("form", "title", "max", "must be at most 5 characters long"),
			fault("form", "count", "type", "Value has invalid type. Expected integer."),
			fault("form", "avatar", "size", "Expected a file of at most 5 bytes"),
			fault("form", "more", "media_type", "Expected a file of the type application/pdf"),
		}},
		"twice": {[]string{"title=a", "title=b", "avatar:image/png=1", "avatar:image/png=2"}, []api.FieldError{
			fault("form", "title", "repeated", "Field was sent more than once"),
			fault("form", "avatar", "repeated", "Field was sent more than once"),
		}},
		"a media type that cannot be read": {[]string{"title=a", "avatar:/=1"}, []api.FieldError{
			fault("form", "avatar", "media_type", "Expected a file of the type image/*, text/plain"),
		}},
		"a field instead of a file": {[]string{"title=a", "avatar=1"}, []api.FieldError{
			fault("form", "avatar", "required", "Field is required"),
		}},
	} {
		_, err := bound[upload](t, handler.TypedOptions{}, multipartForm(t, row.lines...))
		require.Equal(t, api.Invalid(row.want...), err, name)
	}
	_, err = bound[upload](t, handler.TypedOptions{}, multipartForm(t, "title=a", "avatar:=1")) // text/plain
	require.NoError(t, err)
}

func TestTypedFormURLEncoded(t *testing.T) {
	type in struct {
		Title string `form:"title" validate:"required"`
		IDs   []int  `form:"ids"`
		Page  int    `query:"page"`
	}
	const mediaType = "application/x-www-form-urlencoded"
	got, err := bound[in](t, handler.TypedOptions{}, post(mediaType, "title=a+b&ids[]=1&ids=2&page=7"))
	require.NoError(t, err)
	require.Equal(t, in{"a b", []int{2, 1}, 0}, got)

	_, err = bound[in](t, handler.TypedOptions{}, post("", ""))
	require.Equal(t, api.Invalid(fault("form", "title", "required", "Field is required")), err)

	r := post(mediaType, "title=%zz")
	r.URL.RawQuery = "page=x"
	_, err = bound[in](t, handler.TypedOptions{}, r)
	require.Equal(t, api.Invalid(
		fault("form", "", "syntax", "The form cannot be read"),
		fault("query", "page", "type", "Value has invalid type. Expected integer."),
	), err)

	_, err = bound[in](t, handler.TypedOptions{}, post(mediaTypeJSON, "{}"))
	e, _ := api.AsError(err)
	require.Equal(t, 415, e.Status)
}
