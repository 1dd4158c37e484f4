// Package decision compares one decision of limiters that count in the memory of
// the process.
package decision

import (
	"fmt"
	"strings"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
)

const text = `One request of one key. *hot* is one key alone; *1,000,000 keys* go through all of
them, after the store was filled in another order. Everybody is given the key as a
string. A refusal is one of a limit of one a day; what is admitted has a quota that no
run uses up, and every outcome is counted. *parallel* is one goroutine for each
processor, and the time that one decision takes of all of them together. throttled is not
among those with a hot key in parallel: it gives up after ten attempts, so it answers
some of the requests with an error.

*The time is given* is what happens inside the presenter, which reads the clock once for
a request; the other lines read it for each decision, as all peers do. x/time/rate and
echo tell neither what is left nor when there is more; httprate sets header fields, too.
httprate keeps 64 bits of its keys, so two of them may share a counter, Sallyport 96 or
more, the others the whole text.`

type situation struct {
	title string
	quota int64
	keys  int
}

var (
	allowed  = situation{"hot, admitted", many, 1}
	refused  = situation{"hot, refused", 1, 1}
	distinct = situation{"1,000,000 keys", many, 1_000_000}
)

// Run compares all limiters in all situations.
func Run(p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "A decision in memory", Text: text}
	all, serial, err := measure.Each(p, []situation{allowed, refused, distinct}, func(s situation) string { return s.title }, situation.run)
	if err != nil {
		return s, err
	}
	for _, one := range all {
		s.Tables = append(s.Tables, table(one.Title, one.Results))
	}
	s.Bars = bars(serial)
	return s, nil
}

func (s situation) run(p measure.Pace, workers int) (measure.Results, error) {
	list := keys.List(s.keys)
	var works []measure.Work
	for _, l := range append(own[:len(own):len(own)], peers...) {
		if skip := l.extra || l.slow && s.keys > 1; skip && !p.Full {
			continue
		}
		if l.givesUp && s.keys == 1 && workers > 1 {
			continue
		}
		works = append(works, s.work(l, list, workers))
	}
	return p.Run(works)
}

// work lets every worker go through all keys, beginning somewhere else.
func (s situation) work(l limiter, list []string, workers int) measure.Work {
	return measure.Work{Name: l.name, Workers: workers, Start: func() (measure.Running, error) {
		open, err := l.open(s.quota)
		if err != nil {
			return measure.Running{}, err
		}
		ask := open.worker()
		for _, i := range keys.Order(len(list)) {
			if ok, err := ask(list[i]); err != nil || !ok {
				return measure.Running{}, fmt.Errorf("a key was refused at once: %w", err)
			}
		}
		return measure.Running{Stop: open.stop, Worker: func(i int) func(int) error {
			return expect(open.worker(), list, i*len(list)/workers, s.quota == many)
		}}, nil
	}}
}

// expect goes through the keys and counts what is admitted.
func expect(ask take, list []string, at int, admitted bool) func(n int) error {
	return func(n int) error {
		count := 0
		for range n {
			ok, err := ask(list[at])
			if err != nil {
				return err
			}
			if ok {
				count++
			}
			if at++; at == len(list) {
				at = 0
			}
		}
		if want := map[bool]int{true: n}[admitted]; count != want {
			return fmt.Errorf("%d of %d were admitted, not %d", count, n, want)
		}
		return nil
	}
}

func table(title string, results measure.Results) report.Table {
	t := report.Table{Title: title, Columns: []string{"Limiter", "Time", "Least and most", "× " + alone, "Bytes", "Allocations"}}
	base := results.Of(alone)
	for _, r := range results {
		t.Add(r.Name, report.Nanos(r.Nanos), report.Nanos(r.Least)+" – "+report.Nanos(r.Most),
			fmt.Sprintf("%.2f", base.Ratio(r)), fmt.Sprintf("%.0f", r.Bytes), fmt.Sprintf("%.0f", r.Allocs))
	}
	return t
}

func bars(all map[string]measure.Results) (bars []report.Bar) {
	for _, row := range []struct {
		work      string
		situation situation
		ours      string
		bar       float64
	}{
		{"decision, hot, admitted, time given", allowed, inPresenter, 1.5},
		{"decision, hot, refused, time given", refused, inPresenter, 1.5},
		{"decision, hot, admitted", allowed, alone, 1},
		{"decision, hot, refused", refused, alone, 1},
		{"decision, 1000000 keys", distinct, alone, 1.4},
	} {
		results := all[row.situation.title]
		ours, best := results.Of(row.ours), results.Fastest(names(results)...)
		bars = append(bars,
			report.Faster(row.work, ours.Nanos, best.Nanos, best.Name, ours.Ratio(best), row.bar),
			report.NoAllocations(row.work, ours.Allocs, 0))
	}
	return bars
}

// names are those of the peers that were asked.
func names(results measure.Results) (names []string) {
	for _, r := range results {
		if !strings.HasPrefix(r.Name, alone) {
			names = append(names, r.Name)
		}
	}
	return names
}
