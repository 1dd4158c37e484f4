// Package suite are all comparisons.
package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/bench/internal/decision"
	"github.com/sallyport-go/sallyport/bench/internal/footprint"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/onredis"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/bench/internal/route"
	"github.com/sallyport-go/sallyport/bench/internal/socket"
	"github.com/sallyport-go/sallyport/bench/internal/stack"
)

var parts = []struct {
	name string
	run  func(ctx context.Context, p measure.Pace) (report.Section, error)
}{
	{"decision", still(decision.Run)},
	{"footprint", still(footprint.Run)},
	{"redis", onredis.Run},
	{"stack", still(stack.Run)},
	{"socket", socket.Run},
	{"route", route.Run},
}

// still is a comparison that starts no other program.
func still(run func(measure.Pace) (report.Section, error)) func(context.Context, measure.Pace) (report.Section, error) {
	return func(_ context.Context, p measure.Pace) (report.Section, error) { return run(p) }
}

// Run makes the comparisons that are named, separated by commas, and gives away
// each as soon as it is made; "": all of them.
func Run(ctx context.Context, p measure.Pace, only string, made func(report.Section) error) error {
	for _, part := range parts {
		if only != "" && !slices.Contains(strings.Split(only, ","), part.name) {
			continue
		}
		_, _ = fmt.Fprintf(p.Log, "%s ", part.name)
		s, err := part.run(ctx, p)
		_, _ = fmt.Fprintln(p.Log)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := made(s); err != nil {
			return err
		}
	}
	return nil
}
