// Middleware limits a plain net/http program: by address for each endpoint, and
// by the user whose API key the program has checked.
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

	"github.com/sallyport-go/sallyport/ratelimit"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, ratelimit.Options{}); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "middleware:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer, limits ratelimit.Options) error {
	flags := flag.NewFlagSet("middleware", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	limited, err := newMiddleware(limits)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /books/{id}", limited(http.HandlerFunc(book)))
	mux.Handle("POST /orders", limited(checked(http.HandlerFunc(order))))
	return serve(ctx, *addr, mux, out)
}

func serve(ctx context.Context, addr string, h http.Handler, out io.Writer) error {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `Listening on http://%[1]s
Try:
  curl -i http://%[1]s/books/1
  curl -i -H 'X-Api-Key: key-of-anna' -X POST http://%[1]s/orders
`, listener.Addr())

	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
