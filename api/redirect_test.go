package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestRedirect(t *testing.T) {
	page := func(location, body string) http.Header {
		h := content("text/html; charset=utf-8", len(body))
		h.Set("Location", location)
		return h
	}
	const found = "<a href=\"/a\">Found</a>\n"
	for name, row := range map[string]struct {
		method   string
		response api.Response
		want     answer
	}{
		"default":             {"GET", api.Redirect(0, "/a"), answer{302, page("/a", found), found}},                                                                                                                                                             // FW-267, TC-211
		"permanent":           {"GET", api.Redirect(301, "/a"), answer{301, page("/a", "<a href=\"/a\">Moved Permanently</a>\n"), "<a href=\"/a\">Moved Permanently</a>\n"}},                                                                                     // FW-267, TC-211
		"302":                 {"", api.Redirect(302, "/a"), answer{302, page("/a", found), found}},                                                                                                                                                              // FW-267
		"303":                 {"POST", api.Redirect(303, "/a"), answer{303, http.Header{"Location": {"/a"}, "Content-Length": {"0"}}, ""}},                                                                                                                      // FW-267
		"307":                 {"PUT", api.Redirect(307, "/a"), answer{307, http.Header{"Location": {"/a"}, "Content-Length": {"0"}}, ""}},                                                                                                                       // FW-267
		"308":                 {"DELETE", api.Redirect(308, "https://example.com"), answer{308, http.Header{"Location": {"https://example.com"}, "Content-Length": {"0"}}, ""}},                                                                                  // FW-267
		"HEAD":                {"HEAD", api.Redirect(0, "/a"), answer{302, page("/a", found), ""}},                                                                                                                                                               // FW-267, FW-270
		"the link is escaped": {"GET", api.Redirect(0, `/a?b="><script>&c='`), answer{302, page(`/a?b="><script>&c='`, "<a href=\"/a?b=&#34;&gt;&lt;script&gt;&amp;c=&#39;\">Found</a>\n"), "<a href=\"/a?b=&#34;&gt;&lt;script&gt;&amp;c=&#39;\">Found</a>\n"}}, // FW-267
		"beyond ASCII":        {"POST", api.Redirect(0, "/é b%20c"), answer{302, http.Header{"Location": {"/%C3%A9%20b%20c"}, "Content-Length": {"0"}}, ""}},                                                                                                     // FW-267
		"no script":           {"GET", api.Redirect(0, "javascript:alert(1)"), answer{302, http.Header{"Location": {"javascript:alert(1)"}, "Content-Length": {"0"}}, ""}},                                                                                       // FW-267
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Method = row.method
			for range 2 {
				w := httptest.NewRecorder()
				require.NoError(t, row.response.Send(w, r))
				require.Equal(t, row.want, answer{w.Code, w.Header(), w.Body.String()})
				require.Equal(t, w.Code, row.response.Status())
			}
		})
	}
}

func TestRedirectRefuses(t *testing.T) {
	const characters = "api: the location is empty or has characters that no URL has"
	for _, row := range []struct {
		response api.Response
		want     string
	}{
		{api.Redirect(200, "/a"), "api: 200 cannot be the status of a redirect"}, // FW-268
		{api.Redirect(300, "/a"), "api: 300 cannot be the status of a redirect"}, // FW-268
		{api.Redirect(304, "/a"), "api: 304 cannot be the status of a redirect"}, // FW-268
		{api.Redirect(404, "/a"), "api: 404 cannot be the status of a redirect"}, // FW-268
		{api.Redirect(-1, "/a"), "api: -1 cannot be the status of a redirect"},   // FW-268
		{api.Redirect(0, ""), characters},
		{api.Redirect(0, "/a\r\nSet-Cookie: b=c"), characters},
		{api.Redirect(0, "/a\x00"), characters},
		{api.Redirect(0, "/a\tb"), characters},
		{api.Redirect(0, " /a"), characters},
		{api.Redirect(0, "http://[::1/?key=secret"), "api: the location is no URL: missing ']' in host"},
		{api.Redirect(0, "/a%zz"), `api: the location is no URL: invalid URL escape "%zz"`},
	} {
		require.EqualError(t, row.response.Send(&untouched{t: t}, nil), row.want)
	}
}
