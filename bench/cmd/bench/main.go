// Command bench compares thoroughly, which takes about half an hour, and writes the
// tables to docs/benchmarks.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/bench/internal/socket"
	"github.com/sallyport-go/sallyport/bench/internal/suite"
)

func main() {
	socket.ServeIfAsked()
	out := flag.String("out", "../docs/benchmarks.md", "the file to write")
	only := flag.String("only", "", "comparisons to make, separated by commas; all of them without it")
	rounds := flag.Int("rounds", 6, "how often each is measured")
	length := flag.Duration("time", 300*time.Millisecond, "how long one measurement takes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := measure.Pace{Rounds: *rounds, Time: *length, Full: true, Log: os.Stderr}
	machine := report.Machine(ctx)
	var sections []report.Section
	err := suite.Run(ctx, p, *only, func(s report.Section) error {
		sections = append(sections, s)
		return os.WriteFile(*out, []byte(report.Page(machine, sections)), 0o644) //nolint:gosec // a page for everybody
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}
