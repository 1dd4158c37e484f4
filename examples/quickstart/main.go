// Quickstart is a small API with every kind of limit: a default by address, a
// stricter one for the login, one by caller behind a bearer token, an inline one
// for an expensive endpoint, and an endpoint without any.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/openapi"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	format := flags.String("errors", "problem", "`format` of the errors: default or problem")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	errorHandler, known := errorFormats[*format]
	if !known {
		return fmt.Errorf("-errors %q: write default or problem", *format)
	}
	presenter, err := newPresenter(errorHandler)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

var errorFormats = map[string]api.ErrorHandler{
	"default": errorhandler.Default{},
	"problem": errorhandler.ProblemDetails{},
}

func newPresenter(errorHandler api.ErrorHandler) (*sallyport.Presenter, error) {
	tokens := auth.StaticTokens{"my-token": "*"} // the token and the addresses it may come from
	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Algorithm: ratelimit.SlidingWindow, Limit: 100, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 1000, Interval: time.Hour, Key: ratelimit.Identity},
			{Name: "login", Algorithm: ratelimit.FixedWindow, Limit: 5, Interval: 15 * time.Minute,
				Key: ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint)},
		},
		Defaults:     sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
		ErrorHandler: errorHandler,
	})
	decider.AddApi(api.GET("1", "users"), users, auth.None()) // the default perIp
	decider.AddApi(api.GET("1", "users", "{id}"), user, auth.None())
	decider.AddApi(api.POST("1", "login"), login, auth.None(), ratelimit.Named("login"))                          // another named policy
	decider.AddApi(api.GET("1", "reports"), reports, auth.Bearer(tokens), ratelimit.Named("perIp", "perUser"))    // two, in order
	decider.AddApi(api.POST("1", "export"), export, auth.None(), ratelimit.Policy{Limit: 2, Interval: time.Hour}) // only for this endpoint
	decider.AddApi(api.GET("1", "status"), status, auth.None(), ratelimit.Off)                                    // no limit

	decider.AddApi(api.GET("1", "openapi"), &openapi.Document{Title: "Quickstart"}, auth.None())               // the API, described
	decider.AddApi(api.GET("1", "console"), &console.Console{Title: "Quickstart"}, auth.None(), ratelimit.Off) // and to be tried out
	return sallyport.NewPresenter(decider)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, `Listening on %[1]s
Try:
  curl -i %[1]s/api/v1/users
  curl -i -H 'Authorization: Bearer my-token' %[1]s/api/v1/reports
  for n in 1 2 3; do curl -i -X POST %[1]s/api/v1/export; done
or open %[1]s/api/v1/console
`, "http://"+at.String())
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
