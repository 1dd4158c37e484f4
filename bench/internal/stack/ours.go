package stack

import (
	"context"
	"net/http"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// lean leaves out what no peer does: header fields for pages of other origins,
// and making up an id for each request, which the request brings along.
var lean = sallyport.Config{CORS: sallyport.CORS{Off: true}, TrustRequestID: true}

var standard = sallyport.Config{}

func buildOurs(c sallyport.Config, quota int64) (http.Handler, error) {
	d := sallyport.NewApiDecider(limited(c, quota))
	d.AddApi(api.GET("1", "items", "{id}"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.JSON(http.StatusOK, itemOf(r.PathValue("id"))), nil
	}), bearer(), ratelimit.Named("perIp"))
	return sallyport.NewPresenter(d)
}

func limited(c sallyport.Config, quota int64) sallyport.Config {
	c.RateLimits = []ratelimit.Policy{{Name: "perIp", Limit: quota, Interval: day}}
	return c
}

func bearer() api.Authorization { return auth.Bearer(auth.StaticTokens{token: "*"}) }
