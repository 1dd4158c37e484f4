package param_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

func TestRaw(t *testing.T) {
	post := func(body string) *api.Request { return withBody("POST", "text/plain", body) }
	missing := result{Faults: []api.FieldError{{In: "body", Code: "required", Message: "Field is required"}}}
	for name, row := range map[string]struct {
		param   *param.RawBody
		request *api.Request
		want    result
	}{
		"sent":                     {param.Raw("x"), post("a\x00\xff"), value([]byte("a\x00\xff"))},                // FW-223
		"not sent":                 {param.Raw("x"), post(""), value(nil)},                                         // TC-101
		"zero":                     {param.Raw("x").Default([]byte("d")), post("0"), value([]byte("0"))},           // FW-224, TC-198
		"the default":              {param.Raw("x").Default([]byte("d")), post(""), value([]byte("d"))},            // FW-223, TC-198
		"required":                 {param.Raw("x").Required(), post("abc"), value([]byte("abc"))},                 // TC-199
		"required, not sent":       {param.Raw("x").Required(), post(""), missing},                                 // TC-199
		"required, with a default": {param.Raw("x").Required().Default([]byte("d")), post(""), value([]byte("d"))}, // FW-171
		"no media type":            {param.Raw("x"), withBody("PUT", "", "a"), value([]byte("a"))},
		"its media type":           {param.Raw("x").MediaTypes("Text/*"), post("a"), value([]byte("a"))},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, resultOf(t, row.request, row.param))
			data, ok := row.param.Lookup(row.request)
			require.Equal(t, row.want.Value != nil, ok)
			require.Equal(t, data, row.param.Get(row.request))
		})
	}

	_, err := read(t, post("a"), param.Raw("x").MediaTypes("text/csv"))
	require.Equal(t, api.Error{Status: 415, Header: http.Header{"Accept": {"text/csv"}, "Accept-Post": {"text/csv"}}}, err)
}

func TestRawDefaultIsNotShared(t *testing.T) {
	raw := param.Raw("x").Default([]byte("d"))
	r := get("")
	_, err := read(t, r, raw)
	require.NoError(t, err)
	raw.Get(r)[0] = '!'
	require.Equal(t, value([]byte("d")), resultOf(t, get(""), raw))
}

func TestRawInput(t *testing.T) {
	input, err := param.Raw("x").Required().Description("Lines").Default([]byte("a")).MediaTypes("text/csv").Example("a,b").NamedExample("one", "a").Input()
	require.NoError(t, err)
	require.Equal(t, api.Input{
		In: "raw", Name: "x", Description: "Lines", Required: true, MediaTypes: []string{"text/csv"}, Default: "a", // FW-167
		Examples: []api.Example{{Name: "default", Value: "a,b"}, {Name: "one", Value: "a"}},
	}, input)
}
