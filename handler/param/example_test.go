package param_test

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler/param"
)

var (
	page = param.Query[int]("page").Default(1).Description("Page number, from 1").Validate("min=1")
	tags = param.Query[string]("tags").Multi().Allowed("new", "sale")
)

// listProducts is a handler that declares its parameters.
type listProducts struct{}

func (listProducts) Describe() api.Description {
	return api.Description{Summary: "List products", Params: []api.Param{page, tags}}
}

func (listProducts) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	return api.Text(http.StatusOK, fmt.Sprint("page ", page.Get(r), " of ", tags.Get(r))), nil
}

func ExampleQuery() {
	for _, query := range []string{"page=3&tags[]=new&tags[]=sale", "", "page=0&tags[]=old"} {
		r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/?"+query, nil)}
		serve(listProducts{}, r)
	}
	// Output:
	// page 3 of [new sale]
	// page 1 of []
	// query page: must be at least 1
	// query tags: Field contains not available value(s)
}

type order struct {
	Product string `json:"product"`
	Count   int    `json:"count"`
}

var newOrder = param.JSON[order]("order", `{
	"type": "object",
	"required": ["product", "count"],
	"properties": {
		"product": {"type": "string", "minLength": 1},
		"count": {"type": "integer", "minimum": 1}
	}
}`).Required().Example(`{"product": "lamp", "count": 2}`)

type createOrder struct{}

func (createOrder) Describe() api.Description {
	return api.Description{Summary: "Order a product", Params: []api.Param{newOrder}}
}

func (createOrder) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	o := newOrder.Get(r)
	return api.Text(http.StatusCreated, fmt.Sprint(o.Count, " x ", o.Product)), nil
}

func ExampleJSON() {
	for _, body := range []string{`{"product": "lamp", "count": 2}`, `{"product": "", "count": 1.5}`} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		serve(createOrder{}, &api.Request{Request: r})
	}
	// Output:
	// 2 x lamp
	// body /count: [Property count] must be an integer
	// body /product: [Property product] must have at least 1 character
}

var picture = param.File("picture").Required().MaxSize(1<<20).MediaTypes("image/png", "image/jpeg")

type setPicture struct{}

func (setPicture) Describe() api.Description {
	return api.Description{Summary: "Set the picture", Params: []api.Param{picture}}
}

func (setPicture) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	return api.Text(http.StatusOK, fmt.Sprint(picture.Get(r).Size, " bytes")), nil
}

func ExampleFile() {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	file, _ := form.CreateFormFile("picture", "me.txt") // application/octet-stream
	_, _ = file.Write([]byte("hello"))
	_ = form.Close()

	r := httptest.NewRequest(http.MethodPut, "/", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	serve(setPicture{}, &api.Request{Request: r})
	// Output:
	// form picture: Expected a file of the type image/png, image/jpeg
}

// serve stands for the presenter: it reads the parameters, then calls the handler.
func serve(h interface {
	api.Handler
	api.Describer
}, r *api.Request) {
	var faults []api.FieldError
	for _, p := range h.Describe().Params {
		input, err := p.Input()
		if err != nil {
			fmt.Println(err)
			return
		}
		value, err := p.Read(r)
		if e, ok := api.AsError(err); ok {
			faults = append(faults, e.Fields...)
		}
		r.Values = append(r.Values, api.Value{Name: input.Name, Value: value})
	}
	for _, f := range faults {
		fmt.Println(strings.TrimSpace(f.In+" "+f.Name) + ": " + f.Message)
	}
	if len(faults) > 0 {
		return
	}
	response, err := h.Handle(r.Context(), r)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	if err := response.Send(w, r.Request); err == nil {
		fmt.Println(w.Body)
	}
}
