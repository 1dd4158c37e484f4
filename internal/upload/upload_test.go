package upload_test

import (
	"mime/multipart"
	"net/textproto"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/upload"
)

func TestCheck(t *testing.T) {
	file := func(size int64, contentType ...string) *multipart.FileHeader {
		return &multipart.FileHeader{Size: size, Header: textproto.MIMEHeader{"Content-Type": contentType}}
	}
	type told = [][2]string
	images := []string{"image/*", "text/plain"}
	const types = "Expected a file of the type image/*, text/plain"
	for name, row := range map[string]struct {
		rules upload.Rules
		files []*multipart.FileHeader
		want  told
	}{
		"no rules":             {upload.Rules{}, []*multipart.FileHeader{file(1<<40, "/")}, nil},
		"no file":              {upload.Rules{1, images}, nil, nil},
		"good ones":            {upload.Rules{2, images}, []*multipart.FileHeader{file(2, "image/png"), file(0, "Text/Plain; a=b")}, nil},
		"no type is text":      {upload.Rules{0, images}, []*multipart.FileHeader{file(2)}, nil},
		"one byte":             {upload.Rules{1, nil}, []*multipart.FileHeader{file(2)}, told{{"size", "Expected a file of at most 1 byte"}}},
		"bytes":                {upload.Rules{1025, nil}, []*multipart.FileHeader{file(1026)}, told{{"size", "Expected a file of at most 1025 bytes"}}},
		"KiB":                  {upload.Rules{1536 << 10, nil}, []*multipart.FileHeader{file(1 << 30)}, told{{"size", "Expected a file of at most 1536 KiB"}}},
		"MiB":                  {upload.Rules{5 << 20, nil}, []*multipart.FileHeader{file(1 << 30)}, told{{"size", "Expected a file of at most 5 MiB"}}},
		"GiB":                  {upload.Rules{2 << 30, nil}, []*multipart.FileHeader{file(3 << 30)}, told{{"size", "Expected a file of at most 2 GiB"}}},
		"another type":         {upload.Rules{0, images}, []*multipart.FileHeader{file(2, "image/")}, told{{"media_type", types}}},
		"both, each told once": {upload.Rules{1, images}, []*multipart.FileHeader{file(2), file(1, "a/b"), file(2, "a/b")}, told{{"size", "Expected a file of at most 1 byte"}, {"media_type", types}}},
	} {
		var got told
		row.rules.Check(row.files, func(code, message string) { got = append(got, [2]string{code, message}) })
		require.Equal(t, row.want, got, name)
	}
}
