package api_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func accepting(accept ...string) *api.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	if accept != nil {
		r.Header["Accept"] = accept
	}
	return &api.Request{Request: r}
}

var notAcceptable = api.Error{Status: 406, Header: http.Header{"Vary": {"Accept"}}}

func TestNegotiate(t *testing.T) {
	const none = ""
	jsonXML := []string{"application/json", "text/xml"}
	html := []string{"text/html;level=3", "text/plain", "image/jpeg", "text/html;level=2", "text/html", "text/html;level=1"}
	// The example of RFC 9110, section 12.5.1, one media type at a time.
	const example = "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5"
	for name, row := range map[string]struct {
		accept []string
		offers []string
		want   string
	}{
		"no Accept":                    {nil, jsonXML, "application/json"},
		"an empty one":                 {[]string{""}, jsonXML, "application/json"},
		"commas alone":                 {[]string{" , ,"}, jsonXML, "application/json"},
		"anything":                     {[]string{"*/*"}, jsonXML, "application/json"},
		"the first of equals":          {[]string{"text/xml, application/json"}, jsonXML, "application/json"},
		"the only one":                 {[]string{"text/xml"}, jsonXML, "text/xml"},
		"none":                         {[]string{"image/png"}, jsonXML, none},
		"the better one":               {[]string{"application/json;q=0.5, text/xml;q=0.501"}, jsonXML, "text/xml"},
		"over several lines":           {[]string{"application/json;q=0.1", "text/xml"}, jsonXML, "text/xml"},
		"a kind":                       {[]string{"text/*"}, jsonXML, "text/xml"},
		"not wanted":                   {[]string{"application/json;q=0, */*"}, jsonXML, "text/xml"},
		"not wanted, at all":           {[]string{"*/*;q=0"}, jsonXML, none},
		"not wanted, by zeros":         {[]string{"*/*;q=0.000"}, jsonXML, none},
		"all but a kind":               {[]string{"*/*, text/*;q=0, application/json;q=0.001"}, jsonXML, "application/json"},
		"order does not matter":        {[]string{"*/*;q=0.9, application/json;q=0.1"}, jsonXML, "text/xml"},
		"letters do not matter":        {[]string{"TEXT/XML;Q=1, application/json;q=0.9"}, jsonXML, "text/xml"},
		"spaces do not matter":         {[]string{"\ttext/xml ; q=1 ,application/json;  q=0.9"}, jsonXML, "text/xml"},
		"an offer's own case":          {[]string{"text/xml"}, []string{"Text/XML; charset=utf-8"}, "Text/XML; charset=utf-8"},
		"a browser":                    {[]string{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"}, jsonXML, "application/json"},
		"parameters":                   {[]string{"text/html;level=1, text/html;level=2;q=0.4, text/html;q=0.7"}, html, "text/html;level=1"},
		"other parameters":             {[]string{"text/html;level=1"}, []string{"text/html", "text/html;level=2"}, none},
		"more offered parameters":      {[]string{"text/html"}, []string{"text/html;level=2"}, "text/html;level=2"},
		"a quoted parameter":           {[]string{`a/b;c="d,;\"e"`}, []string{`a/c`, `a/b;c="d,;\"e"`}, `a/b;c="d,;\"e"`},
		"behind the weight":            {[]string{"text/xml;q=1;ext=1, application/json;q=0.5"}, jsonXML, "text/xml"},
		"UTF-8":                        {[]string{"application/json;charset=UTF-8"}, jsonXML, "application/json"},
		"another charset":              {[]string{"application/json;charset=latin1"}, jsonXML, none},
		"another charset than offered": {[]string{"text/plain;charset=utf-8"}, []string{"text/plain;charset=latin1"}, none},
		"empty parameters":             {[]string{"text/xml;;q=1; , application/json;q=0.5"}, jsonXML, "text/xml"},
		"a parameter that is none":     {[]string{"application/json;a, application/json;(=1, application/json;a=(, text/xml;q=0.1"}, jsonXML, "text/xml"},
		"a weight that is no number":   {[]string{"application/json;q=0.x, text/xml;q=0.1"}, jsonXML, "text/xml"},
		"a charset":                    {[]string{"text/plain;charset=UTF-8"}, []string{"text/plain;charset=utf-8"}, "text/plain;charset=utf-8"},
		"one that has no sense":        {[]string{"json, text/xml"}, jsonXML, "text/xml"},
		"no sense at all":              {[]string{"json"}, jsonXML, "application/json"},
		"a range that is none":         {[]string{"*/json, text/xml"}, jsonXML, "text/xml"},
		"weights that are none":        {[]string{"application/json;q=2, application/json;q=1.001, application/json;q=.5, application/json;q=0.1234, application/json;q=, application/json;q=-1, application/json;q, text/xml;q=0.1"}, jsonXML, "text/xml"},
		"a quote without end":          {[]string{`application/json;a="b, text/xml`}, jsonXML, "application/json"},
		"example, flowed":              {[]string{example}, []string{"text/plain;format=flowed", "text/plain"}, "text/plain;format=flowed"},
		"example, plain":               {[]string{example}, []string{"text/html", "image/jpeg", "text/plain;format=fixed", "text/plain"}, "text/plain"},
		"example, jpeg":                {[]string{example}, []string{"text/html", "text/plain;format=fixed", "image/jpeg"}, "image/jpeg"},
		"example, fixed":               {[]string{example}, []string{"text/html", "text/plain;format=fixed"}, "text/plain;format=fixed"},
		"example, html":                {[]string{example}, []string{"text/html;level=3"}, "text/html;level=3"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := accepting(row.accept...).Negotiate(row.offers...)
			require.Equal(t, row.want, got)
			if row.want == none {
				require.Equal(t, notAcceptable, err)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestNegotiateNeedsOffers(t *testing.T) {
	for _, row := range []struct {
		offers []string
		want   string
	}{
		{nil, "api: negotiate the media type: there is no offer"},
		{[]string{"application/json", "json"}, `api: negotiate the media type: the offer "json" is none`},
		{[]string{"application/*"}, `api: negotiate the media type: the offer "application/*" is none`},
		{[]string{"*/*"}, `api: negotiate the media type: the offer "*/*" is none`},
	} {
		_, err := (&api.Request{}).Negotiate(row.offers...)
		require.EqualError(t, err, row.want)
	}
}

func TestChoose(t *testing.T) {
	offers := []api.Offer{
		{MediaType: "application/json", Response: func() api.Response { return api.JSON(200, 1) }},
		{MediaType: "text/xml", Response: func() api.Response {
			return api.WithHeader(api.XML(200, "<a/>"), http.Header{"Vary": {"Cookie"}})
		}},
		{MediaType: "text/plain"},
		{MediaType: "text/csv", Response: func() api.Response { return nil }},
	}
	response, err := api.Choose(accepting(), offers...)
	require.NoError(t, err)
	require.Equal(t, []string{"Accept"}, sent(t, response).Header["Vary"])
	require.Equal(t, "1", sent(t, response).Body)

	response, err = api.Choose(accepting("text/xml"), offers...)
	require.NoError(t, err)
	require.Equal(t, []string{"Cookie", "Accept"}, sent(t, response).Header["Vary"])
	require.Equal(t, "<a/>", sent(t, response).Body)

	_, err = api.Choose(accepting("image/png"), offers...)
	require.Equal(t, notAcceptable, err)
	_, err = api.Choose(accepting("text/plain"), offers...)
	require.EqualError(t, err, "api: choose a response: the offer has none")
	response, err = api.Choose(accepting("text/csv"), offers...)
	require.NoError(t, err)
	require.Nil(t, response, "no response stays none")
}

// Nothing in Accept panics, and what is picked was offered.
func FuzzNegotiate(f *testing.F) {
	for _, accept := range []string{"", "*/*", "text/*;q=0.5, text/xml", `a/b;c="d\"`, `a/b;c="`, "q=0", ";;", "text/xml;q=0.0001", "a/b;=;q=1"} {
		f.Add(accept)
	}
	offers := []string{"application/json", "text/xml;a=b"}
	f.Fuzz(func(t *testing.T, accept string) {
		got, err := accepting(accept).Negotiate(offers...)
		if err != nil {
			require.Equal(t, notAcceptable, err)
			return
		}
		require.True(t, slices.Contains(offers, got))
	})
}
