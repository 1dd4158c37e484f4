// Bookstore is a small shop as a program would really be: two versions of an API
// over a database, three kinds of callers, limits by plan. The README is a walk
// through it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, nil); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bookstore:", err)
		os.Exit(1)
	}
}

// run serves until the context ends. The clock is nil but in tests.
func run(ctx context.Context, args []string, out io.Writer, clock ratelimit.Clock) (err error) {
	flags := flag.NewFlagSet("bookstore", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free one")
	db := flags.String("db", "", "`file` of the database; without it all is gone when the program ends")
	file := flags.String("config", "", "configuration `file`; that of the program unless set")
	format := flags.String("errors", "problem", "`format` of the errors: default or problem")
	redis := flags.String("redis", "", "`URL` of the Redis that keeps the counters of the limits; in memory unless set")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("the argument %q: there are flags alone, see -help", flags.Arg(0))
	}
	o := options{clock: clock}
	if o.config, err = readConfig(*file); err != nil {
		return err
	}
	if o.errorFormat = errorFormats[*format]; o.errorFormat == nil {
		return fmt.Errorf("-errors %q: write default or problem", *format)
	}
	if *redis != "" {
		counters, err := redisstorage.Open(*redis, redisstorage.Options{Prefix: "bookstore:"})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, counters.Close()) }()
		o.counters = counters
	}
	books, err := openStore(ctx, *db)
	switch {
	case err != nil && ctx.Err() != nil: // it was told to stop
		return nil
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, books.Close()) }() // after the last request
	presenter, err := newPresenter(books, o)
	if err != nil {
		return err
	}
	return sallyport.Server{
		Addr:     *addr,
		OnListen: func(a net.Addr) { fmt.Fprintf(out, greeting, a) },
		H2C:      true,
		Health: sallyport.Health{
			LivenessPath: "/livez", ReadinessPath: "/readyz",
			Checks: map[string]func(context.Context) error{"database": books.ping},
		},
	}.Serve(ctx, presenter)
}

const greeting = `Listening on http://%[1]s
Try:
  curl -i 'http://%[1]s/api/v2/books?author=Kernighan&sort=-price'
  curl -i -u ada:analytical -X POST http://%[1]s/api/v2/login
  for n in 1 2 3; do curl -i -H 'X-API-Key: warehouse-demo-key' http://%[1]s/api/v2/export; done
`
