package handler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

// A handler is tested without a server: it gets a request and gives a response.
func ExampleFunc() {
	var user api.Handler = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.JSON(http.StatusOK, map[string]string{"id": r.PathValue("id")}), nil
	})

	request := &api.Request{
		Request:    httptest.NewRequest(http.MethodGet, "/api/v1/users/7", nil),
		PathValues: api.PathValues{{Name: "id", Value: "7"}},
	}
	response, err := user.Handle(context.Background(), request)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	if err := response.Send(w, request.Request); err != nil {
		fmt.Println(err)
	}
	fmt.Println(w.Code, w.Body)
	// Output: 200 {"id":"7"}
}
