// Package socket compares stacks behind real sockets, loaded by wrk.
package socket

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/bench/internal/stack"
)

const text = `The stacks of the whole request, each a process of its own, loaded by wrk over 64
connections of the loopback interface: one thread of wrk and the server share the
processors. Each stack takes turns with net/http alone, which has neither a token nor a
limit; the ratio is the median of the pairs. *refused* is every request but the first,
beside what net/http admits. All stacks run on the same http.Server, but those with
*sallyport.Server* in their name, which has time-outs.`

// ownServer stands before a stack that sallyport.Server serves.
const ownServer = "sallyport.Server, "

// pair is a stack beside net/http.
type pair struct {
	name        string
	ours, bare  []float64 // requests a second
	least, most float64   // ratio
}

func (p pair) ratio() float64 {
	var ratios []float64
	for i := range p.ours {
		ratios = append(ratios, p.ours[i]/p.bare[i])
	}
	return measure.Median(ratios)
}

// Run compares the stack with the default configuration, and all others where
// everything is compared.
func Run(ctx context.Context, p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "Over sockets", Text: text}
	names, length := []string{stack.Default}, time.Second
	if p.Full {
		names, length = []string{stack.Default, ownServer + stack.Default}, 3*time.Second
		for _, other := range stack.All {
			if other.Name != stack.Default && other.Name != stack.Bare {
				names = append(names, other.Name)
			}
		}
	}
	kinds := []string{""}
	if p.Full {
		kinds = append(kinds, "refuse ")
	}
	for _, kind := range kinds {
		t := report.Table{
			Title:   map[string]string{"": "accepted", "refuse ": "refused"}[kind],
			Columns: []string{"Stack", "Requests a second", "net/http alone", "Ratio", "Least and most"},
		}
		for _, name := range names {
			one, err := compare(ctx, p, kind+name, length)
			if err != nil {
				return s, fmt.Errorf("%s: %w", name, err)
			}
			t.Add(name, fmt.Sprintf("%.0f", measure.Median(one.ours)), fmt.Sprintf("%.0f", measure.Median(one.bare)),
				fmt.Sprintf("%.3f", one.ratio()), fmt.Sprintf("%.3f – %.3f", one.least, one.most))
			if kind == "" && name == stack.Default {
				s.Bars = append(s.Bars, report.Bar{
					Work: "wrk on sockets, one limit", Ours: fmt.Sprintf("%.0f/s", measure.Median(one.ours)),
					Peer: fmt.Sprintf("%.0f/s", measure.Median(one.bare)), Name: stack.Bare, Ratio: one.ratio(), Bar: 0.95,
				})
			}
		}
		s.Tables = append(s.Tables, t)
	}
	return s, nil
}

// compare lets both take turns, each being the first one in every other pair.
func compare(ctx context.Context, p measure.Pace, name string, length time.Duration) (pair, error) {
	result := pair{name: name}
	bare, err := startChild(ctx, stack.Bare)
	if err != nil {
		return result, err
	}
	defer bare.stop()
	ours, err := startChild(ctx, name)
	if err != nil {
		return result, err
	}
	defer ours.stop()
	for _, c := range []*child{bare, ours} {
		if _, err := c.wrk(ctx, time.Second); err != nil { // connections, pools, the one that is admitted
			return result, err
		}
	}
	for round := range p.Rounds {
		var loads [2]load
		order := []int{0, 1}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, i := range order {
			if loads[i], err = []*child{bare, ours}[i].wrk(ctx, length); err != nil {
				return result, err
			}
		}
		if loads[0].refused || loads[1].refused != strings.HasPrefix(name, "refuse ") {
			return result, fmt.Errorf("the answers are not those that were expected")
		}
		result.bare = append(result.bare, loads[0].perSecond)
		result.ours = append(result.ours, loads[1].perSecond)
		ratio := loads[1].perSecond / loads[0].perSecond
		if round == 0 {
			result.least, result.most = ratio, ratio
		}
		result.least, result.most = min(result.least, ratio), max(result.most, ratio)
		_, _ = fmt.Fprint(p.Log, ".")
	}
	return result, nil
}
