package errorhandler_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// blank is a problem of the type about:blank.
func blank(title, status, detail, more string) string {
	return `{"type":"about:blank","title":"` + title + `","status":` + status + `,"detail":"` + detail +
		`","instance":"/api/v1/users/7"` + more + `}`
}

func TestProblemDetails(t *testing.T) {
	const debug = `,"debug":"pq: password authentication failed"`
	for _, row := range []struct {
		kind   api.Kind
		status int
		body   string
		debug  string // the body in debug mode; "": the same
	}{
		{api.KindNotFound, 404, blank("Not Found", "404", "Unknown api endpoint", ""), ""}, // PD-004
		{api.KindMethodNotAllowed, 405, blank("Method Not Allowed", "405", "Method not allowed", ""), ""},
		{api.KindNotAcceptable, 406, blank("Not Acceptable", "406", "Not acceptable", ""), ""},
		{api.KindTooLarge, 413, blank("Content Too Large", "413", "The request body is too large", ""), ""},
		{api.KindURITooLong, 414, `{"type":"about:blank","title":"URI Too Long","status":414,"detail":"The address of the request is too long"}`, ""}, // it is not sent back
		{api.KindUnsupportedMedia, 415, blank("Unsupported Media Type", "415", "Unsupported media type", ""), ""},
		{ // RL-200, VR-057, VR-058
			api.KindRateLimit, 429,
			`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests",` +
				`"status":429,"detail":"Too many requests. Retry after 3600 seconds.","instance":"/api/v1/users/7",` +
				`"limit":1000,"retryAfter":3600,"policy":"daily","violated-policies":["perIp","daily"]}`,
			"",
		},
		{
			api.KindUnavailable, 503, blank("Service Unavailable", "503", "Service unavailable", ""),
			blank("Service Unavailable", "503", "Service unavailable", debug),
		},
		{api.KindUnauthorized, 401, blank("Unauthorized", "401", "Incorrect username or password", ""), ""},
		{api.KindForbidden, 403, blank("Forbidden", "403", "Forbidden", ""), ""},
		{
			api.KindAuthorizationFailed, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
		{ // PD-011, with the status of this framework
			api.KindInput, 400, blank("Bad Request", "400", "wrong input", `,"errors":[`+
				`{"detail":"is no number","in":"query","name":"page"},`+
				`{"detail":"stands twice","in":"query","name":"page"},`+
				`{"detail":"is too long","in":"path","name":"id"},`+
				`{"detail":"must be a positive integer","pointer":"#/age"},`+
				`{"detail":"must be green or red","pointer":"#/profile/color"},`+
				`{"detail":"is no JSON","pointer":"#"}]`), "",
		},
		{
			api.KindHandler, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
		{
			api.KindOutput, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
		{api.KindCanceled, 499, blank("Client Closed Request", "499", "Client closed request", ""), ""},
		{
			api.KindTimeout, 503, blank("Service Unavailable", "503", "The request took too long", ""),
			blank("Service Unavailable", "503", "The request took too long", debug),
		},
		{
			api.KindPanic, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
		{
			0, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
		{
			255, 500, blank("Internal Server Error", "500", "Internal server error", ""),
			blank("Internal Server Error", "500", "Internal server error", debug),
		},
	} {
		t.Run(row.kind.String(), func(t *testing.T) {
			const mediaType = "application/problem+json" // PD-001
			f := failureOf(row.kind)
			require.Equal(t, answer{row.status, mediaType, row.body}, answerTo(t, errorhandler.ProblemDetails{}, f))

			f.Debug = true
			if row.debug == "" {
				row.debug = row.body
			}
			require.Equal(t, answer{row.status, mediaType, row.debug}, answerTo(t, errorhandler.ProblemDetails{}, f))
		})
	}
}

func TestProblemDetailsOfACode(t *testing.T) {
	const base = "https://api.example.com/problems/"
	typed := errorhandler.ProblemDetails{TypeBase: base, Titles: map[string]string{"user.taken": "The name of the user is taken"}}
	for name, row := range map[string]struct {
		handler     errorhandler.ProblemDetails
		kind        api.Kind
		code        string
		kindOfIt    string // the type
		title, more string
	}{
		"without a base":         {errorhandler.ProblemDetails{}, api.KindInput, "user.taken", "about:blank", "Bad Request", `,"code":"user.taken"`},
		"without a code":         {typed, api.KindInput, "", "about:blank", "Bad Request", ""},
		"a type with its title":  {typed, api.KindInput, "user.taken", base + "user.taken", "The name of the user is taken", `,"code":"user.taken"`},
		"a type without a title": {typed, api.KindInput, "user.old", base + "user.old", "Bad Request", `,"code":"user.old"`},
		"an escaped code":        {typed, api.KindInput, "a b/c?d#e+f&é", base + "a%20b%2Fc%3Fd%23e%2Bf%26%C3%A9", "Bad Request", `,"code":"a b/c?d#e+f&é"`},
		"a refused limit":        {typed, api.KindRateLimit, "user.taken", "https://iana.org/assignments/http-problem-types#quota-exceeded", "Too Many Requests", `,"code":"user.taken"`},
	} {
		t.Run(name, func(t *testing.T) {
			status := fmt.Sprint(row.kind.Status())
			want := `{"type":"` + row.kindOfIt + `","title":"` + row.title + `","status":` + status + `,"detail":"` + row.kind.Message() + `","instance":"/api/v1/users/7"` + row.more + `}`
			require.Equal(t, want, answerTo(t, row.handler, &api.Failure{Kind: row.kind, Code: row.code}).Body)
		})
	}
}

func TestProblemDetailsOfARefusal(t *testing.T) {
	const head = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Too Many Requests","status":429,`
	const instance = `,"instance":"/api/v1/users/7"`
	for name, row := range map[string]struct {
		results []ratelimit.Result
		want    string
	}{
		"rounded up": { // RL-200
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, RetryAfter: 1200 * time.Millisecond}},
			`"detail":"Too many requests. Retry after 2 seconds."` + instance + `,"limit":100,"retryAfter":2,"policy":"perIp","violated-policies":["perIp"]}`,
		},
		"unknown wait": {
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, RetryAfter: ratelimit.Unknown}},
			`"detail":"Too many requests."` + instance + `,"limit":100,"policy":"perIp","violated-policies":["perIp"]}`,
		},
		"no wait helps": {
			[]ratelimit.Result{
				{Policy: "perIp", Limit: 100, RetryAfter: time.Second},
				{Policy: "export", Limit: 2, RetryAfter: ratelimit.Never},
			},
			`"detail":"Too many requests."` + instance + `,"limit":2,"policy":"export","violated-policies":["perIp","export"]}`,
		},
		"names are those of the header fields": {
			[]ratelimit.Result{{Policy: "a <b> & \"c\"\r\né\xff", Limit: 0, RetryAfter: time.Second}},
			`"detail":"Too many requests. Retry after 1 seconds."` + instance + `,"limit":0,"retryAfter":1,"policy":"a <b> & \"c\"","violated-policies":["a <b> & \"c\""]}`,
		},
		"nothing refused": {
			[]ratelimit.Result{{Policy: "perIp", Accepted: true}},
			`"detail":"Too many requests."` + instance + `}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &api.Failure{Kind: api.KindRateLimit, RateLimits: row.results}
			require.Equal(t, answer{429, "application/problem+json", head + row.want}, answerTo(t, errorhandler.ProblemDetails{}, f))
		})
	}
}

func TestProblemDetailsPointsIntoTheBody(t *testing.T) {
	for name, pointer := range map[string]string{
		"":            "#",
		"age":         "#/age",
		"a/b":         "#/a~1b",       // PD-012
		"m~n":         "#/m~0n",       // PD-013
		"/items/0/id": "#/items/0/id", // PD-014
		"/a~1b":       "#/a~1b",
		"c d":         "#/c%20d",  // PD-015
		"é":           "#/%C3%A9", // PD-016
		"/":           "#/",
	} {
		f := &api.Failure{Kind: api.KindInput, Fields: []api.FieldError{{In: "body", Name: name, Message: "is wrong"}}}
		require.Equal(t,
			blank("Bad Request", "400", "wrong input", `,"errors":[{"detail":"is wrong","pointer":"`+pointer+`"}]`),
			answerTo(t, errorhandler.ProblemDetails{}, f).Body)
	}
}

func TestProblemDetailsInstance(t *testing.T) {
	for _, row := range []struct {
		url  *url.URL
		want string // "": left out
	}{
		{&url.URL{Path: "/api/v1/users", RawQuery: "api_key=k"}, "/api/v1/users"},
		{&url.URL{Path: "/a/b", RawPath: "/a%2Fb"}, "/a%2Fb"},
		{&url.URL{Path: "/a\"<b>\r\n"}, "/a%22%3Cb%3E%0D%0A"},
		{&url.URL{Scheme: "http", User: url.UserPassword("ann", "p"), Host: "internal:8080", Path: "/a"}, "/a"},
		{&url.URL{Path: "//evil.example/a"}, ""},
		{&url.URL{Path: "*"}, ""},
		{&url.URL{}, ""},
		{nil, ""},
	} {
		instance := ""
		if row.want != "" {
			instance = `,"instance":"` + row.want + `"`
		}
		r := &api.Request{Request: &http.Request{URL: row.url}}
		w := httptest.NewRecorder()
		response := errorhandler.ProblemDetails{}.HandleError(t.Context(), r, &api.Failure{Kind: api.KindNotFound})
		require.NoError(t, response.Send(w, r.Request))
		require.Equal(t, `{"type":"about:blank","title":"Not Found","status":404,"detail":"Unknown api endpoint"`+instance+`}`, w.Body.String())
	}
}

func TestProblemDetailsTitle(t *testing.T) {
	for status, title := range map[int]string{ // PD-006: the member is the status that is sent
		413: `"title":"Content Too Large","status":413,`,
		414: `"title":"URI Too Long","status":414,`,
		416: `"title":"Range Not Satisfiable","status":416,`,
		422: `"title":"Unprocessable Content","status":422,`,
		451: `"title":"Unavailable For Legal Reasons","status":451,`,
		503: `"title":"Service Unavailable","status":503,`,
		599: `"status":599,`, // it has no phrase
	} {
		f := &api.Failure{Kind: api.KindInput, Status: status}
		want := `{"type":"about:blank",` + title + `"detail":"wrong input","instance":"/api/v1/users/7"}`
		require.Equal(t, answer{status, "application/problem+json", want}, answerTo(t, errorhandler.ProblemDetails{}, f))
	}
}
