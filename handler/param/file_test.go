package param_test

import (
	"io"
	"mime/multipart"
	"net/url"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

// upload is a file as a handler finds it.
type upload struct{ Name, MediaType, Content string }

func opened(t *testing.T, file *multipart.FileHeader) upload {
	t.Helper()
	f, err := file.Open()
	require.NoError(t, err)
	defer f.Close()
	content, err := io.ReadAll(f)
	require.NoError(t, err)
	require.Len(t, content, int(file.Size))
	return upload{file.Filename, file.Header.Get("Content-Type"), string(content)}
}

func TestFile(t *testing.T) {
	var (
		hello = part{"x", "a.txt", "text/plain", "hello"}
		empty = part{"x", "empty.txt", "text/plain", ""}
		none  = part{"x", "", "application/octet-stream", ""} // what a browser sends for a field without a file
		plain = param.File("x")
		must  = param.File("x").Required()
		bound = param.File("x").MaxSize(5)
		image = param.File("x").MediaTypes("image/*", "Text/CSV", "application/*+json")
		open  = param.File("x").MediaTypes("*/*")
	)
	wrongMedia := fault(api.InForm, "media_type", "Expected a file of the type image/*, text/csv, application/*+json")
	for name, row := range map[string]struct {
		param   *param.Upload
		request *api.Request
		want    any // upload, result or nil
	}{
		"sent":                  {must, parts(t, "POST", nil, hello), upload{"a.txt", "text/plain", "hello"}}, // FW-218, TC-096
		"sent by PUT":           {must, parts(t, "PUT", nil, hello), upload{"a.txt", "text/plain", "hello"}},  // FW-215
		"empty":                 {must, parts(t, "POST", nil, empty), upload{"empty.txt", "text/plain", ""}},
		"missing":               {plain, parts(t, "POST", nil, part{"y", "a.txt", "text/plain", "hello"}), nil},
		"missing, but required": {must, parts(t, "POST", nil), required(api.InForm)},       // TC-091
		"no body":               {must, get(""), required(api.InForm)},                     // TC-091
		"no file chosen":        {plain, parts(t, "POST", nil, none), nil},                 // FW-220, FW-410
		"required, none chosen": {must, parts(t, "POST", nil, none), required(api.InForm)}, // FW-220, FW-410
		"a field":               {must, parts(t, "POST", url.Values{"x": {"hello"}}), required(api.InForm)},
		"a field of a form":     {must, form("POST", "x=hello"), required(api.InForm)},
		"two":                   {plain, parts(t, "POST", nil, hello, empty), repeated(api.InForm)},
		"a list":                {plain, parts(t, "POST", nil, part{"x[]", "a.txt", "text/plain", "hello"}), nil},                                                        // FW-184
		"just short enough":     {bound, parts(t, "POST", nil, hello), upload{"a.txt", "text/plain", "hello"}},                                                           // FW-222
		"too long":              {bound, parts(t, "POST", nil, part{"x", "a", "text/plain", "hello!"}), fault(api.InForm, "size", "Expected a file of at most 5 bytes")}, // FW-222
		"a media type":          {image, parts(t, "POST", nil, part{"x", "a", "IMAGE/png; a=b", "1"}), upload{"a", "IMAGE/png; a=b", "1"}},                               // FW-222
		"another one":           {image, parts(t, "POST", nil, part{"x", "a", "text/csv", "1"}), upload{"a", "text/csv", "1"}},
		"one with a suffix":     {image, parts(t, "POST", nil, part{"x", "a", "application/ld+json", "1"}), upload{"a", "application/ld+json", "1"}},
		"a foreign media type":  {image, parts(t, "POST", nil, hello), wrongMedia}, // FW-222
		"half a media type":     {image, parts(t, "POST", nil, part{"x", "a", "image/", "1"}), wrongMedia},
		"no media type":         {image, parts(t, "POST", nil, part{"x", "a", "", "1"}), wrongMedia},
		"none is plain text":    {param.File("x").MediaTypes("text/plain"), parts(t, "POST", nil, part{"x", "a", "", "1"}), upload{"a", "", "1"}},
		"every media type":      {open, parts(t, "POST", nil, part{"x", "a", "", "1"}), upload{"a", "", "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := resultOf(t, row.request, row.param)
			file := row.param.Get
			switch want := row.want.(type) {
			case upload:
				require.Empty(t, got.Faults)
				require.Equal(t, want, opened(t, file(row.request)))
			case result:
				require.Equal(t, want, got)
				require.Nil(t, file(row.request))
			default:
				require.Equal(t, result{}, got)
				require.Nil(t, file(row.request))
			}
		})
	}
}

func TestFiles(t *testing.T) {
	const media = "text/plain"
	files := param.File("x").Multi()
	a, b, c := upload{"a", media, "1"}, upload{"b", media, "22"}, upload{"c", media, "333"}
	for name, row := range map[string]struct {
		param   *param.Uploads
		request *api.Request
		want    []upload
		faults  result
	}{
		"two":           {files, parts(t, "POST", nil, part{"x[]", "a", media, "1"}, part{"x[]", "b", media, "22"}), []upload{a, b}, result{}}, // FW-219, FW-398, TC-097
		"a single one":  {files, parts(t, "POST", nil, part{"x", "a", media, "1"}), []upload{a}, result{}},                                     // FW-221, TC-201
		"one in a list": {files, parts(t, "POST", nil, part{"x[]", "a", media, "1"}), []upload{a}, result{}},                                   // FW-221
		"repeated":      {files, parts(t, "PUT", nil, part{"x", "a", media, "1"}, part{"x", "b", media, "22"}), []upload{a, b}, result{}},      // FW-398
		"named": {files, parts(t, "POST", nil,
			part{"x[1]", "c", media, "333"}, part{"x[0]", "b", media, "22"}, part{"x", "a", media, "1"}, part{"xy", "d", media, ""}), []upload{a, b, c}, result{}},
		"none":        {files, parts(t, "POST", nil), nil, result{}},
		"none chosen": {param.File("x").Required().Multi(), parts(t, "POST", nil, part{"x[]", "", media, ""}), nil, required(api.InForm)}, // FW-220
		"one chosen":  {files, parts(t, "POST", nil, part{"x[]", "", media, ""}, part{"x[]", "a", media, "1"}), []upload{a}, result{}},    // FW-410
		"nested":      {files, parts(t, "POST", nil, part{"x[][]", "a", media, ""}), nil, fault(api.InForm, "nested", "Field contains nested values")},
		"too long":    {param.File("x").Multi().MaxSize(1), parts(t, "POST", nil, part{"x[]", "a", media, "1"}, part{"x[]", "b", media, "22"}), nil, fault(api.InForm, "size", "Expected a file of at most 1 byte")}, // FW-222
	} {
		t.Run(name, func(t *testing.T) {
			got := resultOf(t, row.request, row.param)
			require.Equal(t, row.faults.Faults, got.Faults)
			var opens []upload
			for _, file := range row.param.Get(row.request) {
				opens = append(opens, opened(t, file))
			}
			require.Equal(t, row.want, opens)
		})
	}
}

func TestFileInput(t *testing.T) {
	input, err := param.File("x").Required().Description("A picture").MaxSize(1 << 20).MediaTypes("image/*").Input()
	require.NoError(t, err)
	require.Equal(t, api.Input{In: "file", Name: "x", Description: "A picture", Required: true, MediaTypes: []string{"image/*"}, MaxSize: 1 << 20}, input) // FW-167
	input, err = param.File("x").Multi().Required().Description("Pictures").Input()
	require.NoError(t, err)
	require.Equal(t, api.Input{In: "file", Name: "x", Description: "Pictures", Required: true, Multi: true}, input)
}

// A body is one value, so that several cannot even be declared.
func TestBodiesHaveNoMulti(t *testing.T) {
	_, found := reflect.TypeFor[*param.RawBody]().MethodByName("Multi")
	require.False(t, found) // FW-223, TC-104
	_, found = reflect.TypeFor[*param.JSONBody[any]]().MethodByName("Multi")
	require.False(t, found) // FW-225, TC-103
	_, found = reflect.TypeFor[*param.Upload]().MethodByName("Multi")
	require.True(t, found)
}
