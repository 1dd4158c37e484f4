package api_test

import (
	"encoding/xml"
	"errors"
	"html/template"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// answer is a response as it was sent.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

func sent(t *testing.T, response api.Response) answer {
	t.Helper()
	w := httptest.NewRecorder()
	require.NoError(t, response.Send(w, httptest.NewRequest(http.MethodGet, "/", nil)))
	require.Equal(t, response.Status(), w.Code)
	return answer{w.Code, w.Header(), w.Body.String()}
}

func content(mediaType string, length int) http.Header {
	return http.Header{"Content-Type": {mediaType}, "Content-Length": {strconv.Itoa(length)}}
}

func TestResponse(t *testing.T) {
	const (
		mediaJSON = "application/json; charset=utf-8"
		mediaText = "text/plain; charset=utf-8"
		mediaXML  = "text/xml; charset=utf-8"
	)
	type noList struct {
		List []int          `json:"list"`
		Map  map[string]int `json:"map"`
	}
	page := rendering{template.Must(template.New("").Parse("<p>{{.}}")), "<é>"}
	for name, row := range map[string]struct {
		response api.Response
		want     answer
	}{
		"JSON": { // FW-254, TC-117
			api.JSON(200, map[string]string{"asdasd": "asdsd"}),
			answer{200, content(mediaJSON, 18), `{"asdasd":"asdsd"}`},
		},
		"JSON is not escaped, its length is in bytes": { // FW-255, FW-256, TC-207
			api.JSON(201, "<a>/ž & 😀"),
			answer{201, content(mediaJSON, 15), `"<a>/ž & 😀"`},
		},
		"JSON of nil":        {api.JSON(200, nil), answer{200, content(mediaJSON, 4), "null"}},
		"JSON of a list":     {api.JSON(404, []int{1, 2}), answer{404, content(mediaJSON, 5), "[1,2]"}},
		"JSON, last status":  {api.JSON(999, 1), answer{999, content(mediaJSON, 1), "1"}},
		"JSON, 204":          {api.JSON(204, 1), answer{204, http.Header{}, ""}}, // FW-270
		"JSON, 205":          {api.JSON(205, 1), answer{205, http.Header{}, ""}},
		"JSON, 304":          {api.JSON(304, 1), answer{304, http.Header{}, ""}},                                                         // FW-270
		"own media type":     {api.JSONAs("application/problem+json", 400, 1), answer{400, content("application/problem+json", 1), "1"}}, // FW-253
		"no media type":      {api.JSONAs("", 200, 1), answer{200, content(mediaJSON, 1), "1"}},                                          // FW-253, TC-208
		"text":               {api.Text(200, "hello"), answer{200, content(mediaText, 5), "hello"}},                                      // FW-265, TC-118, TC-210
		"text is not markup": {api.Text(500, "<b>é"), answer{500, content(mediaText, 5), "<b>é"}},
		"JSON of nil lists":  {api.JSON(200, noList{}), answer{200, content(mediaJSON, 20), `{"list":[],"map":{}}`}},                                                               // peer-fw 37
		"XML as it is":       {api.XML(200, "<data>hello</data>"), answer{200, content(mediaXML, 18), "<data>hello</data>"}},                                                       // FW-262, FW-263, TC-119
		"XML as bytes":       {api.XML(201, []byte("<a>é</a>")), answer{201, content(mediaXML, 9), "<a>é</a>"}},                                                                    // FW-256, FW-262
		"XML of a value":     {api.XML(200, item{Name: "é&"}), answer{200, content(mediaXML, 72), "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<item><name>é&amp;</name></item>"}}, // FW-262
		"XML, 204":           {api.XML(204, "<a/>"), answer{204, http.Header{}, ""}},                                                                                               // FW-270
		"rendered":           {api.Render(200, "text/html", page.Execute), answer{200, content("text/html", 13), "<p>&lt;é&gt;"}},                                                  // FW-264
		"zero media types":   {api.TextResponse{Code: 200, Text: "a"}, answer{200, content(mediaText, 1), "a"}},
		"empty text":         {api.Text(200, ""), answer{200, content(mediaText, 0), ""}},
		"text, 204":          {api.Text(204, "hello"), answer{204, http.Header{}, ""}},
		"no content":         {api.NoContent(), answer{204, http.Header{}, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, row.want, sent(t, row.response))
			require.Equal(t, row.want, sent(t, row.response), "sent again")
		})
	}
}

type item struct {
	XMLName xml.Name `xml:"item"`
	Name    string   `xml:"name"`
}

type rendering struct {
	template *template.Template
	data     any
}

func (r rendering) Execute(w io.Writer) error { return r.template.Execute(w, r.data) }

func TestResponseToHeadHasNoBody(t *testing.T) {
	for _, response := range []api.Response{
		api.JSON(200, []int{1}), api.Text(404, "hello"), api.XML(200, "<a/>"), api.Redirect(0, "/a"),
		api.Render(200, "text/html", func(w io.Writer) error { _, err := io.WriteString(w, "<p>"); return err }),
	} {
		want := sent(t, response)
		require.NotEmpty(t, want.Body)
		want.Body = ""
		w := httptest.NewRecorder()
		require.NoError(t, response.Send(w, httptest.NewRequest(http.MethodHead, "/", nil)))
		require.Equal(t, want, answer{w.Code, w.Header(), w.Body.String()}) // FW-270
	}
}

func TestResponseReadsBack(t *testing.T) {
	for _, row := range []struct{ response, want api.Response }{
		{api.JSON(201, "a"), api.JSONResponse{Code: 201, Value: "a", MediaType: "application/json; charset=utf-8"}},       // FW-261
		{api.JSONAs("", 201, "a"), api.JSONResponse{Code: 201, Value: "a", MediaType: "application/json; charset=utf-8"}}, // TC-208
		{api.JSONAs("application/hal+json", 200, 1), api.JSONResponse{Code: 200, Value: 1, MediaType: "application/hal+json"}},
		{api.Text(200, "a"), api.TextResponse{Code: 200, Text: "a", MediaType: "text/plain; charset=utf-8"}},
		{api.XML(200, "<a/>"), api.XMLResponse{Code: 200, Value: "<a/>", MediaType: "text/xml; charset=utf-8"}},
		{api.Redirect(301, "/a"), api.RedirectResponse{Code: 301, Location: "/a"}},
	} {
		require.Equal(t, row.want, row.response)
	}
}

type failingMarshaler struct{}

func (failingMarshaler) MarshalJSON() ([]byte, error) { return nil, errors.New("no plan") }

func TestResponseFailsBeforeItsFirstByte(t *testing.T) {
	for _, row := range []struct {
		response api.Response
		want     string
	}{
		{api.JSON(200, make(chan int)), "api: encode the response: json: unsupported type: chan int"},
		{api.JSON(200, map[string]any{"a": "ok", "b": math.NaN()}), "api: encode the response: json: unsupported value: NaN"},                                  // peer-fw 62
		{api.JSON(200, []any{1, failingMarshaler{}}), "api: encode the response: json: error calling MarshalJSON for type api_test.failingMarshaler: no plan"}, // peer-fw 62
		{api.JSON(0, 1), "api: 0 cannot be the status of a response"},
		{api.JSON(100, 1), "api: 100 cannot be the status of a response"},
		{api.JSON(199, 1), "api: 199 cannot be the status of a response"},
		{api.Text(1000, "hello"), "api: 1000 cannot be the status of a response"},
		{api.Text(-1, "hello"), "api: -1 cannot be the status of a response"},
		{api.XML(200, make(chan int)), "api: encode the response: xml: unsupported type: chan int"},
		{api.XML(200, nil), "api: encode the response: xml: there is nothing to write"},
		{api.XML(99, "<a/>"), "api: 99 cannot be the status of a response"},
		{api.JSONAs("text/html\r\nA: b", 200, 1), `api: "text/html\r\nA: b" cannot be the media type of a response`},
		{api.Render(200, "text/html", func(io.Writer) error { return errors.New("no page") }), "api: render the response: no page"}, // FW-264
		{api.Render(200, "text/html", nil), "api: render the response: there is no function"},
		{api.Render(200, "", func(io.Writer) error { return nil }), `api: "" cannot be the media type of a response`},
	} {
		w := &untouched{t: t}
		require.EqualError(t, row.response.Send(w, httptest.NewRequest(http.MethodGet, "/", nil)), row.want)
	}
}

// untouched is a writer of an answer that nobody may begin.
type untouched struct{ t *testing.T }

func (u *untouched) Header() http.Header { u.t.Error("header"); return http.Header{} }
func (u *untouched) WriteHeader(int)     { u.t.Error("status") }
func (u *untouched) Write(p []byte) (int, error) {
	u.t.Error("body")
	return len(p), nil
}

// brokenConnection takes the header and no body.
type brokenConnection struct{ http.ResponseWriter }

func (brokenConnection) Write([]byte) (int, error) { return 0, http.ErrHandlerTimeout }

func TestResponseReturnsTheErrorOfTheConnection(t *testing.T) {
	for _, response := range []api.Response{api.JSON(200, 1), api.Text(200, "hello")} {
		w := brokenConnection{httptest.NewRecorder()}
		require.ErrorIs(t, response.Send(w, httptest.NewRequest(http.MethodGet, "/", nil)), http.ErrHandlerTimeout)
	}
}

func TestResponseIsSentConcurrently(t *testing.T) {
	value := map[string]string{"text": strings.Repeat("x", 100)}
	for _, response := range []api.Response{api.JSON(200, value), api.Text(200, "hello"), api.NoContent(), api.XML(200, "<a/>"), api.Redirect(0, "/a"),
		api.WithHeader(api.JSON(200, value), http.Header{"Vary": {"Origin"}, "Set-Cookie": {"a=b"}}),
		api.Attachment("a.json", api.MaxAge(api.JSON(200, value), 0)),
	} {
		var (
			group     sync.WaitGroup
			recorders [8]*httptest.ResponseRecorder
			errs      [8]error
		)
		for i := range recorders {
			recorders[i] = httptest.NewRecorder()
			group.Go(func() { errs[i] = response.Send(recorders[i], nil) })
		}
		group.Wait()
		want := sent(t, response)
		for i, w := range recorders {
			require.NoError(t, errs[i])
			require.Equal(t, want, answer{w.Code, w.Header(), w.Body.String()})
		}
	}
}
