// Package route compares how routes are built and found.
package route

import (
	"context"
	"fmt"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
)

const text = `Four endpoints for each resource: three of them have one or two variables. *lookup* is
BenchmarkRouter of the module itself, because the table of routes is not public; it
decodes and checks what httprouter takes as it is. The slowest kind of path with
variables has the bar. *request* is ServeHTTP with a handler that answers 204: the whole
presenter beside nothing but a router. *build* is registering everything and making the
handler: NewPresenter looks for mistakes, httprouter does not.`

// Run compares with httprouter alone.
func Run(ctx context.Context, p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "Routes", Text: text}
	lookups, err := find(ctx, p)
	if err != nil {
		return s, err
	}
	s.Tables = append(s.Tables, lookupTable(lookups))
	s.Bars = append(s.Bars, bar(lookups))
	if !p.Full {
		return s, nil
	}
	for _, kind := range []struct {
		title string
		work  func(s side, n int) measure.Work
	}{{"request", request}, {"build", build}} {
		t := report.Table{Title: kind.title, Columns: []string{"Endpoints", "sallyport", "httprouter", "Ratio", "Allocations", "of httprouter"}}
		for _, n := range []int{10, 500, 5000} {
			results, err := p.Run([]measure.Work{kind.work(ours, n), kind.work(bare, n)})
			if err != nil {
				return s, err
			}
			a, b := results[0], results[1]
			t.Add(fmt.Sprint(n), report.Nanos(a.Nanos), report.Nanos(b.Nanos), fmt.Sprintf("%.2f", b.Ratio(a)),
				fmt.Sprintf("%.0f", a.Allocs), fmt.Sprintf("%.0f", b.Allocs))
		}
		s.Tables = append(s.Tables, t)
	}
	return s, nil
}

func lookupTable(lookups []lookup) report.Table {
	t := report.Table{Title: "lookup", Columns: []string{"Endpoints, path", "sallyport", "httprouter", "Ratio"}}
	for _, l := range lookups {
		t.Add(l.name, report.Nanos(l.ours), report.Nanos(l.bare), fmt.Sprintf("%.2f", l.ratio))
	}
	return t
}

// bar is about the slowest of the paths with variables, of 500 endpoints.
func bar(lookups []lookup) report.Bar {
	var worst lookup
	for _, l := range lookups {
		if l.endpoints == 500 && l.variables && l.ratio > worst.ratio {
			worst = l
		}
	}
	return report.Bar{
		Work: "route lookup, 500 endpoints", Ours: report.Nanos(worst.ours), Peer: report.Nanos(worst.bare), Name: "httprouter alone",
		Ratio: worst.ratio, Bar: 1.3, Most: true,
	}
}
