package output_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/output"
)

// answered is a response as the presenter has sent it.
func answered(t *testing.T, response api.Response) *api.Answer {
	t.Helper()
	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, httptest.NewRequest(http.MethodGet, "/", nil)))
	return &api.Answer{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
}

func raw(status int, contentType, body string) *api.Answer {
	h := http.Header{}
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
	return &api.Answer{Status: status, Header: h, Body: []byte(body)}
}

func partial(a *api.Answer) *api.Answer {
	a.Partial = true
	return a
}

const world = `{
	"type": "object",
	"required": ["hello"],
	"properties": {
		"hello": {"enum": ["world", "europe"]},
		"list": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}}
	}
}`

func TestCheck(t *testing.T) {
	hello := answered(t, api.JSON(200, map[string]string{"hello": "world"}))
	var (
		noMap  map[string]int
		noList []int
	)
	for name, row := range map[string]struct {
		output output.Output
		answer *api.Answer
		want   []string
	}{
		"an object":               {output.JSON(200, `{"type": "object"}`), hello, nil},                                                                                                           // FW-244, TC-071
		"a list is no object":     {output.JSON(200, `{"type": "object"}`), answered(t, api.JSON(200, []string{"hello", "world"})), []string{"must be an object"}},                                // FW-247, TC-072
		"an object is no string":  {output.JSON(200, `{"type": "string"}`), hello, []string{"must be a string"}},                                                                                  // FW-247, TC-073
		"outside of the enum":     {output.JSON(200, world), answered(t, api.JSON(200, map[string]string{"hello": "space"})), []string{`[Property hello] must be one of: "world", "europe"`}},     // FW-247, TC-074
		"further down":            {output.JSON(200, world), raw(200, "application/json", `{"hello":"world","list":[{"id":1},{"id":"2"}]}`), []string{"[Property list.1.id] must be an integer"}}, // FW-247
		"another status":          {output.JSON(200, `{"type": "object"}`), answered(t, api.JSON(404, map[string]string{"hello": "world"})), []string{"Response code doesn't match"}},             // FW-246, TC-075
		"text is no JSON":         {output.JSON(200, `{"type": "object"}`), answered(t, api.Text(200, "{}")), []string{"Response is not JSON: it is text/plain"}},                                 // FW-245, TC-076
		"nothing is no JSON":      {output.JSON(200, ""), raw(200, "", ""), []string{"Response is not JSON: it has no Content-Type"}},                                                             // FW-245
		"no type is no JSON":      {output.JSON(200, ""), raw(200, "a b", "{}"), []string{"Response is not JSON: its Content-Type cannot be read"}},                                               // FW-245
		"an empty map":            {output.JSON(200, `{"type": "object"}`), answered(t, api.JSON(200, map[string]int{})), nil},                                                                    // FW-248
		"a nil map":               {output.JSON(200, `{"type": "object"}`), answered(t, api.JSON(200, noMap)), nil},                                                                               // FW-248, peer-fw 37
		"a nil slice":             {output.JSON(200, `{"type": "array"}`), answered(t, api.JSON(200, noList)), nil},                                                                               // FW-248, peer-fw 37
		"any JSON":                {output.JSON(200, ""), raw(200, "application/json", "[1]"), nil},                                                                                               // FW-244
		"other JSON":              {output.JSON(200, ""), answered(t, api.JSONAs("application/hal+json", 200, 1)), nil},                                                                           // FW-244
		"a part of JSON":          {output.JSON(200, world), partial(raw(200, "application/json", `{"hel`)), nil},                                                                                 // FW-247
		"a part of text":          {output.JSON(200, world), partial(raw(200, "text/plain", `{"hel`)), []string{"Response is not JSON: it is text/plain"}},                                        // FW-245
		"a part, another status":  {output.JSON(200, world), partial(raw(201, "application/json", "")), []string{"Response code doesn't match"}},                                                  // FW-246
		"a redirect":              {output.Redirect(301), answered(t, api.Redirect(301, "/a")), nil},                                                                                              // FW-249
		"the usual redirect":      {output.Redirect(0), answered(t, api.Redirect(0, "/a")), nil},                                                                                                  // FW-249
		"another redirect":        {output.Redirect(301), answered(t, api.Redirect(302, "/a")), []string{"Response code doesn't match"}},                                                          // FW-249
		"no redirect":             {output.Redirect(302), answered(t, api.JSON(302, 1)), []string{"Response is not a redirect: it has no Location"}},                                              // FW-249
		"text":                    {output.Text(200), answered(t, api.Text(200, "hello")), nil},                                                                                                   // FW-250
		"JSON is no text":         {output.Text(200), hello, []string{"Response is not text: it is application/json"}},                                                                            // FW-250
		"XML":                     {output.XML(200), answered(t, api.XML(200, "<a/>")), nil},                                                                                                      // FW-250
		"other XML":               {output.XML(200), raw(200, "application/atom+xml", ""), nil},                                                                                                   // FW-250
		"JSON is no XML":          {output.XML(200), hello, []string{"Response is not XML: it is application/json"}},                                                                              // FW-250
		"raw":                     {output.Raw(200, "image/png"), raw(200, "image/png", "\x89"), nil},                                                                                             // FW-250
		"raw, parameters aside":   {output.Raw(200, "Text/CSV; header=present"), raw(200, "text/csv; charset=utf-8", "a"), nil},                                                                   // FW-250
		"raw, one of a kind":      {output.Raw(200, "image/*"), raw(200, "image/png", "\x89"), nil},                                                                                               // FW-250
		"raw, anything":           {output.Raw(200, "*/*"), hello, nil},                                                                                                                           // FW-250
		"raw, another kind":       {output.Raw(200, "image/*"), hello, []string{"Response is not image/*: it is application/json"}},                                                               // FW-250
		"raw, another":            {output.Raw(200, "image/png"), raw(200, "image/gif", ""), []string{"Response is not image/png: it is image/gif"}},                                              // FW-250
		"raw, another status":     {output.Raw(200, "image/png"), raw(201, "image/png", ""), []string{"Response code doesn't match"}},                                                             // FW-246
		"nothing":                 {output.Empty(204), answered(t, api.NoContent()), nil},                                                                                                         // FW-242
		"nothing, with a body":    {output.Empty(200), hello, []string{"Response is not empty"}},                                                                                                  // FW-242
		"nothing, piece by piece": {output.Empty(200), partial(raw(200, "", "")), []string{"Response is not empty"}},                                                                              // FW-242
		"not modified":            {output.JSON(200, world), raw(304, "", ""), nil},
		"not modified, others":    {output.Empty(204), raw(304, "", ""), nil},
		"not modified, a body":    {output.Empty(304), raw(304, "text/plain", "a"), []string{"Response is not empty"}},
		"a range":                 {output.Raw(200, "text/plain"), raw(206, "text/plain", "he"), nil},
		"a range of JSON":         {output.JSON(200, world), raw(206, "application/json", `{"hel`), nil},
		"several ranges":          {output.Raw(200, "text/plain"), raw(206, "multipart/byteranges; boundary=b", "--b"), nil},
		"a range, another kind":   {output.Raw(200, "text/plain"), raw(206, "image/png", "he"), []string{"Response is not text/plain: it is image/png"}},
		"a range of another one":  {output.Raw(201, "text/plain"), raw(206, "text/plain", "he"), []string{"Response code doesn't match"}},
		"a range of nothing":      {output.Empty(200), raw(206, "", ""), []string{"Response is not empty"}},
		"deep JSON":               {output.JSON(200, ""), raw(200, "application/json", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), nil},
		"no document":             {output.JSON(200, `{"type": "object"}`), raw(200, "application/json", `{} {}`), []string{"Response is not JSON: Syntax error"}}, // FW-247
		"two violations": {output.JSON(200, `{"type": "object", "required": ["a", "b"]}`), raw(200, "application/json", `{}`), []string{
			"[Property a] the property a is required", "[Property b] the property b is required"}}, // FW-247
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, row.output.Check(row.answer))
		})
	}
}

func TestSeveralOutputsShareAStatus(t *testing.T) {
	outputs := []api.Output{output.JSON(200, `{"type": "string"}`), output.JSON(200, world)} // FW-251: nothing else compiles
	a := answered(t, api.JSON(200, map[string]string{"hello": "world"}))
	var reasons [][]string
	for _, o := range outputs {
		reasons = append(reasons, o.Check(a))
	}
	require.Equal(t, [][]string{{"must be a string"}, nil}, reasons) // FW-242, FW-252, TC-126
}

func TestDescribe(t *testing.T) {
	base := output.JSON(200, `{"type": "object"}`).Description("a greeting").Example(1)
	for name, row := range map[string]struct {
		output output.Output
		want   api.OutputInfo
	}{
		"JSON": { // FW-243, FW-244
			base.NamedExample("two", 2),
			api.OutputInfo{
				Status: 200, MediaType: "application/json", Description: "a greeting",
				Schema:   api.Schema{JSON: json.RawMessage(`{"type": "object"}`)},
				Examples: []api.Example{{Value: 1}, {Name: "two", Value: 2}},
			},
		},
		"the same, with another example": { // FW-243
			base.NamedExample("three", 3),
			api.OutputInfo{
				Status: 200, MediaType: "application/json", Description: "a greeting",
				Schema:   api.Schema{JSON: json.RawMessage(`{"type": "object"}`)},
				Examples: []api.Example{{Value: 1}, {Name: "three", Value: 3}},
			},
		},
		"any JSON": {output.JSON(201, ""), api.OutputInfo{Status: 201, MediaType: "application/json"}},
		"text":     {output.Text(200), api.OutputInfo{Status: 200, MediaType: "text/plain"}},
		"XML":      {output.XML(200), api.OutputInfo{Status: 200, MediaType: "text/xml"}},
		"raw":      {output.Raw(200, "image/png"), api.OutputInfo{Status: 200, MediaType: "image/png"}},
		"redirect": {output.Redirect(0).Description("to the file"), api.OutputInfo{Status: 302, Description: "to the file", Location: true}}, // FW-243
		"empty":    {output.Empty(204), api.OutputInfo{Status: 204}},
	} {
		t.Run(name, func(t *testing.T) {
			info, err := row.output.Describe()
			require.NoError(t, err)
			require.Equal(t, row.want, info)
		})
	}
}

func TestDescribeTellsMistakes(t *testing.T) {
	for _, row := range []struct {
		output output.Output
		want   string
	}{
		{output.Output{}, "output: the zero Output is none: make one with a function of the package"},
		{output.JSON(99, ""), "output: 99 cannot be the status of an answer"},
		{output.Text(0), "output: 0 cannot be the status of an answer"},
		{output.XML(1000), "output: 1000 cannot be the status of an answer"},
		{output.Redirect(200), "output: 200 cannot be the status of a redirect"},
		{output.Redirect(304), "output: 304 cannot be the status of a redirect"},
		{output.JSON(204, ""), "output: an answer with the status 204 has no body: it is output.Empty"},
		{output.Raw(200, ""), `output: "" is no media type`},
		{output.Raw(200, "png"), `output: "png" is no media type`},
		{output.Raw(200, "*/png"), `output: "*/png" is no media type`},
		{output.Text(200).Example(1).NamedExample("a", 1).Example(2), `output: two examples have the name ""`},
		{
			output.JSON(99, "").NamedExample("a", 1).NamedExample("a", 2),
			"output: 99 cannot be the status of an answer\noutput: two examples have the name \"a\"",
		},
	} {
		_, err := row.output.Describe()
		require.EqualError(t, err, row.want)
	}
	_, err := output.JSON(200, `{"type": 7}`).Describe()
	require.ErrorContains(t, err, "schema: ")
	require.Nil(t, output.JSON(200, `{"type": 7}`).Check(raw(200, "application/json", "1")), "it is told at the start")
}
