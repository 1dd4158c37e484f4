package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	if program := os.Getenv(childVariable); program != "" {
		children[program]()
		return
	}
	os.Exit(run())
}

func run() int {
	short := flag.Bool("short", false, "smaller loads and shorter faults")
	pattern := flag.String("run", "", "run the scenarios whose name matches the `regexp`")
	list := flag.Bool("list", false, "list the scenarios and run none")
	out := flag.String("out", "", "write the table to `file`")
	flag.Parse()
	chosen, err := regexp.Compile(*pattern)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return 2
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer removeShop()

	lines := csv.NewWriter(os.Stdout)
	var outcomes []outcome
	broken := 0
	for _, s := range scenarios() {
		if !chosen.MatchString(s.name) {
			continue
		}
		if *list {
			fmt.Println(s.name)
			continue
		}
		if ctx.Err() != nil {
			return 1
		}
		begin := time.Now()
		o := s.try(ctx, *short)
		outcomes = append(outcomes, o)
		if len(o.broken) > 0 {
			broken++
		}
		_ = lines.Write([]string{o.name, o.promise, o.measured, o.verdict()})
		lines.Flush()
		for _, b := range o.broken {
			fmt.Fprintf(os.Stderr, "  %s: %s\n", o.name, b)
		}
		fmt.Fprintf(os.Stderr, "  %s took %s\n", o.name, time.Since(begin).Round(100*time.Millisecond))
	}
	if *out != "" {
		if err := writeTable(*out, outcomes); err != nil {
			fmt.Fprintln(os.Stderr, "chaos:", err)
			return 2
		}
	}
	if broken > 0 {
		fmt.Fprintf(os.Stderr, "%d of %d scenarios are broken\n", broken, len(outcomes))
		return 1
	}
	return 0
}

// scenarios are all of them in the order they run in.
func scenarios() (all []scenario) {
	for _, subject := range [][]scenario{
		redisScenarios, clusterScenarios, proxyScenarios,
		httpScenarios, tlsScenarios, targetScenarios, passedOnScenarios, framingScenarios, http2Scenarios,
		processScenarios, floodScenarios, authScenarios, clockScenarios, soakScenarios,
	} {
		all = append(all, subject...)
	}
	return all
}
