package sallyport

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// redacting knows the usual names and those of an authorization.
func redacting() *redactor {
	inHeader := api.Scheme{In: "header", ParameterName: "X-Company"}
	inQuery := api.Scheme{In: "query", ParameterName: "Company_ID"}
	either := api.Scheme{Any: []api.Scheme{inHeader, {All: []api.Scheme{{In: "cookie", ParameterName: "note"}, inQuery}}}}
	return newRedactor([]*endpoint{{}, {scheme: either}})
}

func TestSecretsOfURIs(t *testing.T) {
	r := redacting()
	for uri, want := range map[string]string{
		"/api/v1/users":                             "/api/v1/users",
		"/api/v1/a%2Fb?":                            "/api/v1/a%2Fb",
		"/x?page=2&q=a+b%26":                        "/x?page=2&q=a+b%26",
		"/x?api_key=s":                              "/x?api_key=REDACTED", // FW-124
		"/x?a=1&token=s&b=2":                        "/x?a=1&token=REDACTED&b=2",
		"/x?token=s&token=t":                        "/x?token=REDACTED&token=REDACTED",
		"/x?TOKEN=s&Access-Token=s&apiKey=s":        "/x?TOKEN=REDACTED&Access-Token=REDACTED&apiKey=REDACTED",
		"/x?%74oken=s&+code+=s":                     "/x?%74oken=REDACTED&+code+=REDACTED",
		"/x?user[password]=s&key[]=s&a.secret=s":    "/x?user[password]=REDACTED&key[]=REDACTED&a.secret=REDACTED",
		"/x?token=a=b":                              "/x?token=REDACTED",
		"/x?token=&token":                           "/x?token=&token",
		"/x?page_token=3&tokens=4&keyword=5&codec=": "/x?page_token=3&tokens=4&keyword=5&codec=",
		"/x?companyId=s&company=t":                  "/x?companyId=REDACTED&company=t",
		"/x?a=1;token=s":                            "/x?REDACTED",
		"/x?a=%zz&token=s":                          "/x?REDACTED",
		"http://ann:s@host/x?a=1":                   "/x?a=1",
		"/x?note=in+a+cookie":                       "/x?note=in+a+cookie",
		"*":                                         "*",
	} {
		t.Run(uri, func(t *testing.T) {
			u, err := url.ParseRequestURI(uri)
			require.NoError(t, err)
			require.Equal(t, want, r.uri(u))
		})
	}
}

func TestSecretsOfHeaders(t *testing.T) { // FW-356
	r := redacting()
	require.Nil(t, r.header(nil))
	for _, name := range []string{
		"Authorization", "Proxy-Authorization", "X-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "Apikey", "Ocp-Apim-Subscription-Key",
		"X-Auth-Token", "X-Csrf-Token", "X-Access-Token", "Private-Token", "X-Amz-Security-Token", "X-Vault-Token", "X-Client-Secret",
		"X-Password", "X-Session-Id", "X-Hub-Signature-256", "Cf-Access-Jwt-Assertion", "Dpop", "Sec-Websocket-Protocol", "Idempotency-Key",
		"X-Company",
	} {
		require.Equal(t, http.Header{name: {"REDACTED", "REDACTED"}}, r.header(http.Header{name: {"s", "t"}}))
	}
	for _, name := range []string{
		"Accept", "User-Agent", "Content-Type", "Host", "Origin", "X-Forwarded-For", "X-Request-Id", "Traceparent", "Range", "If-None-Match", "Keep-Alive",
	} {
		h := http.Header{name: {"a?token=s", "b"}}
		require.Equal(t, h, r.header(h))
	}
	for url, want := range map[string]string{
		"https://a.example/x?page=2&token=s": "https://a.example/x?page=2&token=REDACTED",
		"/x?token=s":                         "/x?token=REDACTED",
		"https://a.example/x":                "https://a.example/x",
		"https://ann:s@a.example/":           "REDACTED",
		"https://a.example/#token=s":         "REDACTED",
		"https://a.example/?a=1;token=s":     "https://a.example/?REDACTED",
		"a:token=s":                          "REDACTED",
		"%zz":                                "REDACTED",
	} {
		for _, name := range []string{"Referer", "X-Original-Uri", "X-Original-Url", "X-Envoy-Original-Path"} {
			require.Equal(t, http.Header{name: {want}}, r.header(http.Header{name: {url}}))
		}
	}
}

// FuzzSecretsOfQueries: no secret stays, everything else does, and what was
// redacted stays as it is.
func FuzzSecretsOfQueries(f *testing.F) {
	for _, seed := range []string{"", "a=1&token=s", "%74oken=s&b", "user[password]=s", "a=1;b=2", "=&&=", "token=a=b", "%zz", "a=\n", "K\u212Aey=s"} {
		f.Add(seed)
	}
	r := redacting()
	f.Fuzz(func(t *testing.T, raw string) {
		clean := r.query(raw)
		require.Equal(t, clean, r.query(clean))
		sent, err := url.ParseQuery(raw)
		if err != nil {
			require.Equal(t, redacted, clean)
			return
		}
		logged, err := url.ParseQuery(clean)
		require.NoError(t, err)
		require.Len(t, logged, len(sent))
		for name, values := range sent {
			require.Len(t, logged[name], len(values))
			for i, value := range values {
				if value != "" && r.isSecretParam(url.QueryEscape(name)) {
					value = redacted
				}
				require.Equal(t, value, logged[name][i])
			}
		}
	})
}

// FuzzPlain: one line, of text, whatever was sent.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"", "a", "a\r\nb", "\x1b[2J", "\u202e\u2028\u0085", "\xff\x85", "é \u00a0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		require.Equal(t, -1, strings.IndexFunc(plain(s), isUnprintable))
		require.Equal(t, plain(s), plain(plain(s)))
		require.Equal(t, plain(s), strings.ToValidUTF8(plain(s), ""))
	})
}
