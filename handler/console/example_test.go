package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// What docs/console.md shows.
func Example_guide() {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	staff := auth.PasswordFunc(func(context.Context, string) (p auth.Password, ok bool, err error) { return p, false, nil })

	decider.AddApi(api.GET("1", "console"), &console.Console{Title: "Quickstart"}, auth.None(), ratelimit.Off)

	inside := auth.Basic(staff, auth.Realm("staff"))
	decider.AddApi(api.GET("1", "internal", "console"), &console.Console{AllVersions: true}, inside, ratelimit.Off)

	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/api/v1/console", "/api/v1/internal/console"} {
		w := httptest.NewRecorder()
		presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(path, w.Code)
	}
	// Output:
	// /api/v1/console 200
	// /api/v1/internal/console 401
}

func Example() {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.GET("1", "status"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.GET("1", "console"), &console.Console{Title: "Bookstore"}, auth.None(), ratelimit.Off)

	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/console", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output:
	// 200 text/html; charset=utf-8
}
