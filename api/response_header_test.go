package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestWithHeader(t *testing.T) {
	for name, row := range map[string]struct {
		response api.Response
		want     answer
	}{
		"more fields": {
			api.WithHeader(api.NoContent(), http.Header{"etag": {`"1"`}, "Link": {"</a>", "</b>"}}),
			answer{204, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "Etag": {`"1"`}, "Link": {"</a>", "</b>"}}, ""},
		},
		"the last one wins": {
			api.WithHeader(api.WithHeader(api.NoContent(), http.Header{"A": {"1"}, "Before": {"2"}}), http.Header{"A": {"2"}}),
			answer{204, http.Header{"Before": {"2"}, "Vary": {"Origin, accept"}, "A": {"2"}}, ""},
		},
		"added": {
			api.WithHeader(api.WithHeader(api.NoContent(), http.Header{"Set-Cookie": {"a=1"}, "Vary": {"Cookie"}}),
				http.Header{"Set-Cookie": {"b=1", "c=1"}, "Vary": {"Accept", "cookie"}}),
			answer{204, http.Header{"Before": {"1"}, "Vary": {"Origin, accept", "Cookie"}, "Set-Cookie": {"a=1", "b=1", "c=1"}}, ""},
		},
		"a media type": {
			api.WithHeader(api.Text(200, "a,b"), http.Header{"Content-Type": {"text/csv"}, "Content-Length": {"7"}}),
			answer{200, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "Content-Type": {"text/csv"}, "Content-Length": {"3"}}, "a,b"},
		},
		"a media type inside": {
			api.WithHeader(api.WithHeader(api.JSON(200, 1), http.Header{"A": {"1"}}), http.Header{"content-type": {"application/hal+json"}}),
			answer{200, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "A": {"1"}, "Content-Type": {"application/hal+json"}, "Content-Length": {"1"}}, "1"},
		},
		"a media type of XML": {
			api.WithHeader(api.XML(200, "<a/>"), http.Header{"Content-Type": {"application/atom+xml"}}),
			answer{200, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "Content-Type": {"application/atom+xml"}, "Content-Length": {"4"}}, "<a/>"},
		},
		"a media type of what renders": {
			api.WithHeader(api.Render(200, "text/html", func(io.Writer) error { return nil }), http.Header{"Content-Type": {"text/plain"}}),
			answer{200, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "Content-Type": {"text/plain"}, "Content-Length": {"0"}}, ""},
		},
		"a media type of nothing": {
			api.WithHeader(api.NoContent(), http.Header{"Content-Type": {"text/csv"}}),
			answer{204, http.Header{"Before": {"1"}, "Vary": {"Origin, accept"}, "Content-Type": {"text/csv"}}, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			w.Header()["Before"] = []string{"1"}
			w.Header()["Vary"] = []string{"Origin, accept"}
			require.NoError(t, row.response.Send(w, nil))
			require.Equal(t, row.want, answer{w.Code, w.Header(), w.Body.String()})
			require.Equal(t, row.want.Status, row.response.Status())
		})
	}
}

func TestWithHeaderRefusesWhatHTTPCannotTransport(t *testing.T) {
	for _, row := range []struct {
		header http.Header
		want   string
	}{
		{http.Header{"A": {"b\r\nC: d"}}, `api: the header field A cannot have the value "b\r\nC: d"`},
		{http.Header{"A": {"b", "\x00"}}, `api: the header field A cannot have the value "\x00"`},
		{http.Header{"A b": {"c"}}, `api: "A b" cannot be the name of a header field`},
		{http.Header{"": {"c"}}, `api: "" cannot be the name of a header field`},
		{http.Header{"Content-Type": {"a/b\n"}}, `api: the header field Content-Type cannot have the value "a/b\n"`},
	} {
		response := api.WithHeader(api.WithHeader(api.Text(200, "hello"), row.header), http.Header{"Fine": {"1"}})
		require.EqualError(t, response.Send(&untouched{t: t}, nil), row.want)
	}
}

func TestWithHeaderKeepsWhatItGot(t *testing.T) {
	header := http.Header{"A": {"1"}}
	response := api.WithHeader(api.NoContent(), header)
	one, two := api.WithHeader(response, http.Header{"B": {"1"}}), api.WithHeader(response, http.Header{"C": {"1"}})
	header.Set("A", "2")
	require.Equal(t, http.Header{"A": {"1"}, "B": {"1"}}, sent(t, one).Header)
	require.Equal(t, http.Header{"A": {"1"}, "C": {"1"}}, sent(t, two).Header)

	inner, ok := response.(interface{ Unwrap() api.Response })
	require.True(t, ok)
	require.Equal(t, api.NoContent(), inner.Unwrap())
	require.Nil(t, api.WithHeader(nil, header), "no response stays none")
}
