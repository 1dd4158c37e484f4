// Customkey counts by tenant: all users of a tenant share its limit, which
// depends on the tenant's plan, and nobody may use it up alone.
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
	"github.com/sallyport-go/sallyport/ratelimit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, ratelimit.Options{}); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "customkey:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, limits ratelimit.Options) error {
	flags := flag.NewFlagSet("customkey", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	decider := sallyport.NewApiDecider(sallyport.Config{RateLimiting: limits, RateLimits: []ratelimit.Policy{
		{Name: "perTenant", Limit: 3, Interval: time.Minute, Key: tenant, LimitFor: limitOfPlan},
		{Name: "perMember", Limit: 2, Interval: time.Minute, Key: ratelimit.Keys(tenant, ratelimit.Identity)},
	}})
	decider.AddApi(api.GET("1", "reports"), whoami, auth.Bearer(accounts), ratelimit.Named("perTenant"))
	decider.AddApi(api.POST("1", "exports"), whoami, auth.Bearer(accounts), ratelimit.Named("perMember", "perTenant"))
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
  curl -i -H 'Authorization: Bearer anna-at-acme' http://%[1]s/api/v1/reports
  curl -i -H 'Authorization: Bearer anna-at-globex' -X POST http://%[1]s/api/v1/exports
`, at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
