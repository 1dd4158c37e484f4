package sallyport_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestTheMethodOfAPostCanBeOverridden(t *testing.T) {
	const served = "PUT v1/users PUT"
	refused := `{"status":"error","message":"Method not allowed"}`
	for _, tc := range []struct {
		name     string
		off      bool
		method   string
		override []string
		want     string
	}{
		{"as it is", false, "POST", nil, "POST v1/users POST"},
		{"PUT", false, "POST", []string{"PUT"}, served},                                   // FW-049
		{"DELETE", false, "POST", []string{"DELETE"}, "DELETE v1/users DELETE"},           // FW-049
		{"PATCH, which no endpoint has", false, "POST", []string{"PATCH"}, refused},       // FW-049
		{"in lower case", false, "POST", []string{" put "}, served},                       // like any method
		{"off", true, "POST", []string{"PUT"}, "POST v1/users POST"},                      // FW-049
		{"GET", false, "POST", []string{"GET"}, "POST v1/users POST"},                     // no way around what is done to bodies
		{"OPTIONS", false, "POST", []string{"OPTIONS"}, "POST v1/users POST"},             // which would pass no gate
		{"several lines", false, "POST", []string{"PUT", "DELETE"}, "POST v1/users POST"}, // nobody knows which was meant
		{"a list", false, "POST", []string{"PUT, DELETE"}, "POST v1/users POST"},          // nor here
		{"nonsense", false, "POST", []string{"BREW"}, "POST v1/users POST"},               //
		{"of a GET", false, "GET", []string{"DELETE"}, "GET v1/users GET"},                // a link deletes nothing
		{"of a PUT", false, "PUT", []string{"DELETE"}, "PUT v1/users PUT"},                //
		{"of a preflight", false, "OPTIONS", []string{"DELETE"}, ""},                      //
		{"of a POST in lower case", false, "post", []string{"PUT"}, "PUT v1/users PUT"},   //
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{MethodOverride: !tc.off})
			says := handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
				return api.Text(200, r.Endpoint().String()+" "+r.Method), nil
			})
			for _, e := range []api.EndpointIdentifier{api.GET("1", "users"), api.POST("1", "users"), api.PUT("1", "users"), api.DELETE("1", "users")} {
				p.AddApi(e, says, open)
			}
			header := http.Header{}
			if tc.override != nil {
				header["X-Http-Method-Override"] = tc.override
			}
			require.Equal(t, tc.want, body(t, send(p.build(t), request{method: tc.method, path: "/api/v1/users", header: header})))
		})
	}
}

func TestEverythingBehindAnOverrideSeesTheNewMethod(t *testing.T) {
	var seen []string
	log := &recorder{}
	p := newProgram(sallyport.Config{MethodOverride: true, Logger: log, CORS: sallyport.CORS{Origins: []string{"https://shop.example"}}})
	spy := ratelimit.Use(spyLimiter(func(rc *ratelimit.Context) { seen = append(seen, "limit "+rc.Endpoint+" "+rc.Request.Method) }))
	authorization := authFunc{f: func(_ context.Context, r *api.Request) (api.Identity, error) {
		seen = append(seen, "authorization "+r.Method)
		return api.Identity{}, nil
	}}
	upload := handler.HTTP(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, "handler "+r.Method+" "+r.FormValue("name"))
	}))
	limit := ratelimit.Policy{Limit: 1, Interval: time.Hour}
	p.AddApi(api.POST("1", "users"), panics("must not run"), open)
	p.AddApi(api.PUT("1", "users"), upload, authorization, spy, limit)
	h := p.build(t)

	put := func() (*http.Request, *http.Response) {
		form := "--x\r\nContent-Disposition: form-data; name=name\r\n\r\nann\r\n--x--\r\n"
		r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/users", strings.NewReader(form))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		r.Header.Set("X-HTTP-Method-Override", "PUT")
		r.Header.Set("Origin", "https://shop.example")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return r, w.Result()
	}
	sent, res := put()
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "https://shop.example", res.Header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, `"PUT.v1.users";q=1;w=3600`, res.Header.Get("RateLimit-Policy"))
	require.Equal(t, []string{"limit PUT v1/users PUT", "authorization PUT", "limit PUT v1/users PUT", "handler PUT ann"}, seen)
	require.Equal(t, "PUT", log.records[0].Method)
	require.Equal(t, api.PUT("1", "users"), log.records[0].Endpoint)
	require.Equal(t, []string{"PUT"}, log.records[0].Header["X-Http-Method-Override"], "the record shows that it was one")

	require.Equal(t, "POST", sent.Method, "an outer middleware has what was sent")
	require.Equal(t, "PUT /api/v1/users", sent.Pattern)
	require.NotNil(t, sent.MultipartForm, "the server removes its files")

	_, res = put()
	require.Equal(t, 429, res.StatusCode)
}

func TestTrailersOfAnOverriddenRequestArrive(t *testing.T) {
	p := newProgram(sallyport.Config{MethodOverride: true})
	p.AddApi(api.PUT("1", "users"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		data, err := r.Bytes(0)
		return api.Text(200, string(data)+" "+r.Trailer.Get("X-Sum")), err
	}), open)
	server := httptest.NewServer(p.build(t))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/v1/users HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-HTTP-Method-Override: PUT\r\n"+
		"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nX-Sum: 7\r\n\r\n")
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, "ab 7", body(t, res))
}
