package api_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

// show prints what a client gets.
func show(response api.Response, err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	if err := response.Send(w, httptest.NewRequest(http.MethodGet, "/", nil)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	fmt.Println(strings.TrimSpace(w.Body.String()))
}

func ExampleChoose() {
	handle := func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.Choose(r,
			api.Offer{MediaType: "application/json", Response: func() api.Response { return api.JSON(200, []string{"Ada"}) }},
			api.Offer{MediaType: "text/csv", Response: func() api.Response {
				return api.Render(200, "text/csv", func(w io.Writer) error {
					_, err := io.WriteString(w, "name\nAda\n")
					return err
				})
			}},
		)
	}
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	show(handle(r.Context(), r))
	r.Header.Set("Accept", "text/csv, application/json;q=0.5")
	show(handle(r.Context(), r))
	r.Header.Set("Accept", "image/*")
	show(handle(r.Context(), r))
	// Output:
	// 200 application/json; charset=utf-8
	// ["Ada"]
	// 200 text/csv
	// name
	// Ada
	// Not Acceptable
}

func ExampleEvents() {
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	last := api.LastEventID(r) // where a client that connects again has left off
	show(api.Events(func(_ context.Context, send func(api.Event) error) error {
		return send(api.Event{ID: last + "1", Name: "price", Data: map[string]int{"cents": 250}, Retry: 5 * time.Second})
	}), nil)
	// Output:
	// 200 text/event-stream
	// id: 1
	// event: price
	// retry: 5000
	// data: {"cents":250}
}
