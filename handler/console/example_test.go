package console_test

import (
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
