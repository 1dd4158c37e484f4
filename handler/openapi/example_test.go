package openapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/openapi"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func Example() {
	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 100, Interval: time.Minute}},
		Defaults:   sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
	})
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.GET("1", "openapi"), &openapi.Document{Title: "Users"}, auth.None(), ratelimit.Off)

	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/openapi", nil))
	var document struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			Responses map[string]struct{ Description string }
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
		panic(err)
	}
	fmt.Println(document.OpenAPI)
	fmt.Println(document.Paths["/v1/users"]["get"].Responses["429"].Description)
	// Output:
	// 3.1.1
	// A rate limit is used up:
	//  * `perIp`: 100 requests in 1m (sliding window), for each address
}

// What docs/openapi.md shows.
func Example_guide() {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.POST("1", "users"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.GET("2", "users"), handler.AlwaysOk{}, auth.None())

	readBook := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, api.NotFound("book") }
	book := handler.Describe(handler.Typed(readBook), api.Description{Failures: []int{http.StatusNotFound}})
	decider.AddApi(api.GET("1", "book"), book, auth.None())

	document := &openapi.Document{Title: "Bookstore", Description: "A small shop for books."}
	decider.AddApi(api.GET("1", "openapi"), document, auth.None())
	decider.AddApi(api.GET("2", "openapi"), document, auth.None())

	decider.AddApi(api.GET("1", "public"), &openapi.Document{
		Endpoints: []string{"GET users", "* users/*", "GET public"},
		Extra: map[string]any{
			"info":    map[string]any{"contact": map[string]any{"email": "api@shop.example"}},
			"servers": []any{map[string]any{"url": "https://api.shop.example/api"}},
		},
	}, auth.None())

	_, err := sallyport.NewPresenter(decider)
	fmt.Println(err != nil) // "* users/*" matches nothing
	// Output: true
}

// Color is one of the web.
type Color string

func (Color) JSONSchema() json.RawMessage {
	return json.RawMessage(`{"type":"string","pattern":"^#[0-9a-f]{6}$"}`)
}
