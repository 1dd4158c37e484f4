package handler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type renameUser struct {
	ID     int    `path:"id"`
	DryRun bool   `query:"dry-run"`
	Name   string `json:"name" validate:"required,max=20"`
}

type renamedUser struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func ExampleTyped() {
	rename := handler.Typed(func(_ context.Context, in renameUser) (renamedUser, error) {
		return renamedUser{in.ID, in.Name}, nil
	})

	for _, body := range []string{`{"name":"Ann"}`, `{"nme":"Ann"}`} {
		request := &api.Request{
			Request:    httptest.NewRequest(http.MethodPut, "/api/v1/users/7?dry-run=1", strings.NewReader(body)),
			PathValues: api.PathValues{{Name: "id", Value: "7"}},
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := rename.Handle(request.Context(), request)
		if e, ok := api.AsError(err); ok {
			fmt.Println(e.Status)
			for _, fault := range e.Fields {
				fmt.Println(fault.In, fault.Name, fault.Message)
			}
			continue
		}
		w := httptest.NewRecorder()
		if err := response.Send(w, request.Request); err != nil {
			fmt.Println(err)
		}
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"id":7,"name":"Ann"}
	// 400
	// body /nme Field is unknown
	// body /name Field is required
}
