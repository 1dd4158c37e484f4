// Customalgorithm limits by an algorithm of its own: a message may be sent every
// second, and never two at once, which no window and no bucket says.
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
		fmt.Fprintln(os.Stderr, "customalgorithm:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, limits ratelimit.Options) error {
	flags := flag.NewFlagSet("customalgorithm", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	decider := sallyport.NewApiDecider(sallyport.Config{RateLimiting: limits, RateLimits: []ratelimit.Policy{
		{Name: "steady", Algorithm: minimumGap{}, Limit: 60, Interval: time.Minute},
	}})
	decider.AddApi(api.POST("1", "messages"), handler.AlwaysOk{}, auth.None(), ratelimit.Named("steady"))
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, `Listening on http://%[1]s
Try:
  for n in 1 2 3; do curl -i -X POST http://%[1]s/api/v1/messages; sleep 0.6; done
`, at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
