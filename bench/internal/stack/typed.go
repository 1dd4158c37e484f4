package stack

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The same with input that is read into a struct and validated:
//
//	PUT /api/v1/items/{id}?notify=true with {"name":"widget","qty":7,"tags":["new","blue"]}

// The typed stacks: with nothing around the handler, and with a token and a limit.
const (
	typedOurs     = "sallyport, typed"
	typedHuma     = "huma, typed"
	typedOursFull = "sallyport, typed, token and limit"
	typedHumaFull = "huma, typed, token and ulule"
)

const typedBody = `{"name":"widget","qty":7,"tags":["new","blue"]}`

var typed = []Stack{
	{typedOurs, false, func(int64) (http.Handler, error) { return typedSallyport(lean, auth.None(), ratelimit.Off) }},
	{typedHuma, false, func(int64) (http.Handler, error) { return typedHumaAPI(nil) }},
	{typedOursFull, true, func(quota int64) (http.Handler, error) {
		return typedSallyport(limited(lean, quota), bearer(), ratelimit.Named("perIp"))
	}},
	{typedHumaFull, true, func(quota int64) (http.Handler, error) { return typedHumaAPI(ululeOf(quota)) }},
}

type ourInput struct {
	ID     int      `path:"id" validate:"min=1"`
	Notify bool     `query:"notify"`
	Name   string   `json:"name" validate:"required,min=1,max=80"`
	Qty    int      `json:"qty" validate:"required,min=1,max=1000"`
	Tags   []string `json:"tags" validate:"max=10"`
}

func typedSallyport(c sallyport.Config, a api.Authorization, rule ratelimit.Rule) (http.Handler, error) {
	d := sallyport.NewApiDecider(c)
	d.AddApi(api.PUT("1", "items", "{id}"), handler.Typed(func(_ context.Context, in ourInput) (item, error) {
		return changed(in.ID, in.Name, in.Qty, in.Tags, in.Notify)
	}), a, rule)
	return sallyport.NewPresenter(d)
}

type humaInput struct {
	ID     int  `path:"id" minimum:"1"`
	Notify bool `query:"notify"`
	Body   struct {
		Name string   `json:"name" minLength:"1" maxLength:"80"`
		Qty  int      `json:"qty" minimum:"1" maximum:"1000"`
		Tags []string `json:"tags,omitempty" maxItems:"10"`
	}
}

func typedHumaAPI(l *limiter) (http.Handler, error) {
	mux, a := newHuma(l)
	huma.Put(a, path+"{id}", func(_ context.Context, in *humaInput) (*humaOutput, error) {
		out, err := changed(in.ID, in.Body.Name, in.Body.Qty, in.Body.Tags, in.Notify)
		return &humaOutput{Body: out}, err
	})
	return mux, nil
}

// changed uses all of the input.
func changed(id int, name string, qty int, tags []string, notify bool) (item, error) {
	if len(tags) != 2 || !notify {
		return item{}, api.NotFound("input")
	}
	return item{ID: strconv.Itoa(id), Name: name, Qty: qty}, nil
}
