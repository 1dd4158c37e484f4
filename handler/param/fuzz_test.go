package param_test

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/handler/param"
)

// known are the codes that the parameters of the fuzz tests may answer with.
var known = map[string]bool{
	"required": true, "type": true, "enum": true, "repeated": true, "nested": true, "min": true, "syntax": true,
}

func FuzzQuery(f *testing.F) {
	for _, query := range []string{"", "n=1&n=2", "n=-0", "l[]=1&l[a]=2&l=3&l=4", "l[][]=1", "l[=1", "s=%ff&e=c", "e=a", "l[18446744073709551616]=1&l[1]=", "%zz", "a;b"} {
		f.Add(query)
	}
	n, s := param.Query[int8]("n").Validate("min=0"), param.Query[string]("s").Default("d")
	e, l := param.Query[string]("e").Allowed("a", "b"), param.Query[int]("l").Multi()
	f.Fuzz(func(t *testing.T, query string) {
		r := get("")
		r.URL.RawQuery = query
		faults, err := read(t, r, n, s, e, l)
		require.NoError(t, err)
		for _, fault := range faults {
			require.True(t, known[fault.Code], fault.Code)
		}
		sent, broken := url.ParseQuery(query)
		if broken != nil {
			require.Len(t, faults, 4)
			return
		}
		if number, ok := n.Lookup(r); ok {
			require.GreaterOrEqual(t, number, int8(0))
			want, err := strconv.ParseInt(sent.Get("n"), 10, 8)
			require.NoError(t, err)
			require.Equal(t, int8(want), number)
		}
		require.Contains(t, []string{"", "a", "b"}, e.Get(r))
		if _, ok := l.Lookup(r); ok {
			require.Len(t, l.Named(r), len(l.Get(r)))
		}
	})
}

func FuzzForm(f *testing.F) {
	const boundary = "b"
	f.Add("n=1&l[]=2", false)
	f.Add("n=%zz", false)
	f.Add("--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nx\r\n--b--\r\n", true)
	f.Add("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n\r\n--b--\r\n", true)
	n, l := param.Form[int]("n"), param.Form[string]("l").Multi()
	file, files := param.File("f"), param.File("g").Multi().MediaTypes("image/*")
	f.Fuzz(func(t *testing.T, body string, parts bool) {
		mediaType := formType
		if parts {
			mediaType = "multipart/form-data; boundary=" + boundary
		}
		r := withBody("PUT", mediaType, body)
		_, err := read(t, r, n, l, file, files)
		require.NoError(t, err)
		if r.MultipartForm != nil {
			t.Cleanup(func() { _ = r.MultipartForm.RemoveAll() })
		}
		if f := file.Get(r); f != nil {
			require.NotEmpty(t, f.Filename)
		}
		for _, f := range files.Get(r) {
			require.True(t, strings.HasPrefix(strings.ToLower(f.Header.Get("Content-Type")), "image/"))
		}
	})
}

func FuzzJSONParam(f *testing.F) {
	for _, body := range []string{"", "null", "{}", `{"name": "a", "age": 1e400}`, `{"name": "a", "tags": ["x", "x"]}`, `[`, `{"a": 1, "a": 2}`, `"\ud800"`, `9007199254740993`} {
		f.Add(body)
	}
	tree := param.JSON[any]("tree", `{"type": ["object", "array", "number"], "properties": {"tags": {"uniqueItems": true}}, "maximum": 9}`)
	typed := param.JSON[user]("user", "")
	f.Fuzz(func(t *testing.T, body string) {
		faults, err := read(t, jsonBody(body), tree)
		require.NoError(t, err)
		if len(faults) == 0 && body != "" {
			require.True(t, json.Valid([]byte(body)))
		}
		r := jsonBody(body)
		faults, err = read(t, r, typed)
		require.NoError(t, err)
		if u, ok := typed.Lookup(r); ok {
			require.Empty(t, faults)
			var want user
			require.NoError(t, json.Unmarshal([]byte(body), &want))
			require.Equal(t, want, u)
		}
		require.LessOrEqual(t, len(faults), 100)
	})
}
