package main

import (
	_ "embed"
	"fmt"
	"os"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

//go:embed limits.yaml
var embedded []byte

// newPresenter reads the file, or what is embedded for "". No limit stands at an
// endpoint: the file has them all.
func newPresenter(file string, clock ratelimit.Clock) (*sallyport.Presenter, error) {
	data, name := embedded, "limits.yaml"
	if file != "" {
		var err error
		if data, err = os.ReadFile(file); err != nil { //nolint:gosec // the user of the program says which file
			return nil, err
		}
		name = file
	}
	presenter, err := configured(data, clock)
	if err != nil {
		return nil, fmt.Errorf("%s:\n%w", name, err)
	}
	return presenter, nil
}

func configured(data []byte, clock ratelimit.Clock) (*sallyport.Presenter, error) {
	config, err := sallyport.ParseConfig(data, sallyport.Parts{})
	if err != nil {
		return nil, err
	}
	config.RateLimiting.Clock = clock // what no file can say
	config.ErrorHandler = errorhandler.ProblemDetails{}
	tokens := auth.StaticTokens{"my-token": "*"}
	decider := sallyport.NewApiDecider(config)
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.POST("1", "login"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.GET("1", "reports"), handler.AlwaysOk{}, auth.Bearer(tokens))
	decider.AddApi(api.POST("1", "export"), handler.AlwaysOk{}, auth.None())
	decider.AddApi(api.GET("1", "status"), handler.AlwaysOk{}, auth.None())
	return sallyport.NewPresenter(decider) // finds endpoints of the file that are not there
}
