// Customstorage counts in Memcached, so that several servers share their limits.
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
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, ratelimit.Options{}); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "customstorage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, limits ratelimit.Options) error {
	flags := flag.NewFlagSet("customstorage", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	server := flags.String("memcached", "127.0.0.1:11211", "`address` of Memcached")
	timeout := flags.Duration("timeout", 15*time.Millisecond, "`time` that Memcached has for an answer")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	counters := newMemcached(*server, "ratelimit:", *timeout)
	defer func() { _ = counters.client.Close() }()
	limits.Storage = counters
	decider := sallyport.NewApiDecider(sallyport.Config{RateLimiting: limits, RateLimits: []ratelimit.Policy{
		{Name: "perIp", Limit: 5, Interval: time.Minute},
		{Name: "perYear", Limit: 2, Interval: 365 * 24 * time.Hour, OnStorageFailure: ratelimit.FailClosed},
	}})
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None(), ratelimit.Named("perIp"))
	decider.AddApi(api.POST("1", "certificates"), handler.AlwaysOk{}, auth.None(), ratelimit.Named("perYear"))
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, "Listening on http://%[1]s\nTry:\n  curl -i http://%[1]s/api/v1/users\n", at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
