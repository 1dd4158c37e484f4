package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

func TestACookieKeyIsNoKeyForOtherSites(t *testing.T) {
	named := sallyport.CORS{Origins: []string{"https://app.example"}, Credentials: true}
	serve := func(cors sallyport.CORS) http.Handler {
		d := sallyport.NewApiDecider(sallyport.Config{CORS: cors})
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			d.AddApi(api.NewEndpointIdentifier(method, "1", "orders", ""), handler.AlwaysOk{},
				auth.CookieKey("api_key", auth.StaticTokens{"my-key": "*"}))
		}
		presenter, err := sallyport.NewPresenter(d)
		require.NoError(t, err)
		return http.NewCrossOriginProtection().Handler(presenter)
	}
	require.Error(t, sallyport.CORS{Credentials: true}.Validate()) // FW-123
	tests := []struct {
		name, method, origin, site string
		cors                       sallyport.CORS
		status                     int
		readable                   bool
	}{
		{"no browser", "POST", "", "", sallyport.CORS{}, 200, false},
		{"own page", "POST", "https://api.example", "same-origin", sallyport.CORS{}, 200, false},
		{"a stranger's form", "POST", "https://evil.example", "cross-site", sallyport.CORS{}, 403, false},             // FW-123
		{"a stranger's form, others named", "POST", "https://evil.example", "cross-site", named, 403, false},          // FW-123
		{"a stranger reads, every origin", "GET", "https://evil.example", "cross-site", sallyport.CORS{}, 200, false}, // FW-123
		{"a stranger reads, others named", "GET", "https://evil.example", "cross-site", named, 200, false},            // FW-123
		{"a named page reads", "GET", "https://app.example", "cross-site", named, 200, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(test.method, "https://api.example/api/v1/orders", nil)
			r.AddCookie(&http.Cookie{Name: "api_key", Value: "my-key"})
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
				r.Header.Set("Sec-Fetch-Site", test.site)
			}
			w := httptest.NewRecorder()
			serve(test.cors).ServeHTTP(w, r)
			require.Equal(t, test.status, w.Code)
			readable := w.Header().Get("Access-Control-Allow-Credentials") == "true" && w.Header().Get("Access-Control-Allow-Origin") == test.origin
			require.Equal(t, test.readable, readable)
		})
	}
}

func ExampleCookieKey() {
	d := sallyport.NewApiDecider(sallyport.Config{})
	d.AddApi(api.NewEndpointIdentifier("POST", "1", "orders", ""), handler.AlwaysOk{},
		auth.CookieKey("api_key", auth.Tokens{"my-key": {ID: "shop-7", IPs: auth.AnyIP()}}))
	presenter, err := sallyport.NewPresenter(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	protected := http.NewCrossOriginProtection().Handler(presenter)

	for _, site := range []string{"same-origin", "cross-site"} {
		r := httptest.NewRequest("POST", "/api/v1/orders", nil)
		r.AddCookie(&http.Cookie{Name: "api_key", Value: "my-key"})
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		protected.ServeHTTP(w, r)
		fmt.Println(site, w.Code)
	}
	// Output:
	// same-origin 200
	// cross-site 403
}
