// Command check compares briefly: one line for each row that has a bar, with the
// work, ours, the best peer, the ratio, the bar, and "ok" or "short". It fails
// when one of them is short.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/socket"
)

func main() {
	socket.ServeIfAsked()
	only := flag.String("only", "", "comparisons to make, separated by commas; all of them without it")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	length := flag.Duration("time", 60*time.Millisecond, "how long one measurement takes")
	tables := flag.Bool("tables", false, "print the tables, too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := measure.Pace{Rounds: *rounds, Time: *length, Log: os.Stderr}
	short, err := check(ctx, os.Stdout, p, *only, *tables)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-check:", err)
	}
	if err != nil || short > 0 {
		stop()
		os.Exit(1)
	}
}
