// Redis is quickstart with its counters in Redis: start it several times, on
// different ports, and all of them share the limits.
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
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "redis:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("redis", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	url := flags.String("redis", "redis://127.0.0.1:6379", "`URL` of Redis")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	storage, err := redisstorage.Open(*url, redisstorage.Options{Prefix: "example:"})
	if err != nil {
		return err
	}
	defer func() { _ = storage.Close() }() // the program ends
	presenter, err := newPresenter(storage)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

func newPresenter(storage ratelimit.Storage) (*sallyport.Presenter, error) {
	tokens := auth.StaticTokens{"my-token": "*"} // the token and the addresses it may come from
	decider := sallyport.NewApiDecider(sallyport.Config{
		RateLimits: []ratelimit.Policy{
			{Name: "perIp", Algorithm: ratelimit.SlidingWindow, Limit: 100, Interval: time.Minute},
			{Name: "perUser", Algorithm: ratelimit.TokenBucket, Limit: 1000, Interval: time.Hour, Key: ratelimit.Identity},
			// Without Redis nobody may guess passwords.
			{Name: "login", Algorithm: ratelimit.FixedWindow, Limit: 5, Interval: 15 * time.Minute,
				Key: ratelimit.Keys(ratelimit.IP, ratelimit.Endpoint), OnStorageFailure: ratelimit.FailClosed},
		},
		Defaults:     sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
		RateLimiting: ratelimit.Options{Storage: storage},
		ErrorHandler: errorhandler.ProblemDetails{},
	})
	decider.AddApi(api.GET("1", "users"), ok, auth.None())                                                // the default perIp
	decider.AddApi(api.POST("1", "login"), ok, auth.None(), ratelimit.Named("perIp", "login"))            // two, in one call to Redis
	decider.AddApi(api.GET("1", "reports"), ok, auth.Bearer(tokens), ratelimit.Named("perIp", "perUser")) // one at each gate
	decider.AddApi(api.GET("1", "status"), ok, auth.None(), ratelimit.Off)                                // asks nobody
	return sallyport.NewPresenter(decider)
}

var ok = handler.AlwaysOk{}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, `Listening on http://%[1]s
Try:
  curl -i http://%[1]s/api/v1/users
  for n in 1 2 3 4 5 6; do curl -i -X POST http://%[1]s/api/v1/login; done
  redis-cli --scan --pattern 'example:*'
`, at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
