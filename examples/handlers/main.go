// Handlers shows the ways to write a handler side by side: a typed function,
// parameters in code, files, streams and events. It keeps notes in memory.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "handlers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("handlers", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	presenter, err := newPresenter(newNotes(), errorhandler.ProblemDetails{})
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

func newPresenter(n *notes, errorHandler api.ErrorHandler) (http.Handler, error) {
	tokens := auth.StaticTokens{"my-token": "*"}
	decider := sallyport.NewApiDecider(sallyport.Config{
		Defaults: sallyport.Defaults{
			Authorization: auth.Bearer(tokens),
			RateLimit:     ratelimit.Policy{Name: "perIp", Limit: 600, Interval: time.Minute},
		},
		ErrorHandler: errorHandler,
		Output:       sallyport.EnvConfigurator("APP_ENV", "production"),
	})
	decider.AddApi(api.GET("1", "notes"), handler.Typed(n.find), auth.None())
	decider.AddApi(api.POST("1", "notes"), handler.Typed(n.create), nil)
	decider.AddApi(api.PATCH("1", "notes", "{id}"), handler.Typed(n.change), nil)
	decider.AddApi(api.PUT("1", "notes", "{id}", "picture"), handler.Typed(n.putPicture), nil)
	decider.AddApi(api.GET("1", "notes", "{id}", "picture"), handler.Typed(n.picture), auth.None())
	decider.AddApi(api.GET("1", "export"), handler.Func(n.export), auth.None())
	decider.AddApi(api.GET("1", "changes"), handler.Func(n.changes), auth.None())

	decider.AddApi(api.GET("2", "notes"), findInCode(n), auth.None())
	decider.AddApi(api.POST("2", "notes"), createInCode(n), nil)
	return sallyport.NewPresenter(decider)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, `Listening on http://%[1]s
Try:
  curl -i 'http://%[1]s/api/v1/notes?tag=go&page=0'
  curl -i -H 'Authorization: Bearer my-token' --json '{"title":"Read","tags":["go"]}' http://%[1]s/api/v1/notes
  curl -N http://%[1]s/api/v1/changes
`, at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
