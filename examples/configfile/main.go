// Configfile takes its limits from a file, so that they change without a new
// build. The mistakes of a file are told all at once, each with its line.
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

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, nil); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "configfile:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, clock ratelimit.Clock) error {
	flags := flag.NewFlagSet("configfile", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	file := flags.String("config", "", "configuration `file`; that of the program unless set")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	presenter, err := newPresenter(*file, clock)
	if err != nil {
		return err
	}
	return serve(ctx, *addr, presenter, out)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	tell := func(at net.Addr) {
		fmt.Fprintf(out, `Listening on http://%[1]s
Try:
  curl -i http://%[1]s/api/v1/users
  curl -i -H 'Authorization: Bearer my-token' http://%[1]s/api/v1/reports
  for n in 1 2 3; do curl -i -X POST http://%[1]s/api/v1/export; done
`, at)
	}
	return sallyport.Server{Addr: addr, OnListen: tell}.Serve(ctx, h)
}
