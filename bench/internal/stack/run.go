package stack

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
)

const text = "`GET " + path + `{id}` + "`" + ` with a bearer token and one limit by address, answered with a JSON of
three members: ServeHTTP alone, without a network, one request used again and again.
Every answer has the status that is expected. A refusal is one of a limit of one a day.

The peers compare the token by hand, in constant time; Sallyport looks it up by its
SHA-256, so that no secret is kept and several tokens take as long as one. The peers with
header fields send three X-RateLimit fields, Sallyport RateLimit-Policy and RateLimit;
echo sends none. ` + "*" + Ours + "*" + ` has CORS switched off and takes the id of the request from its
header, but sends X-Request-Id, X-Content-Type-Options and Cache-Control, which no peer
does and which cannot be switched off; *` + Default + `* is the zero Config.
net/http alone has neither token nor limit. throttled is not among those that are asked in
parallel: it gives up when one address is busy, and answers 500.

*typed* is ` + "`PUT " + path + `{id}?notify=true` + "`" + ` with a JSON body of three members: a number of the
path, a boolean of the query, two strings and a list with bounds.`

type situation struct {
	title        string
	stacks       []Stack
	quota        int64
	status       int
	method, path string
	body         string
}

var (
	accepted = situation{"accepted", All, Many, http.StatusOK, http.MethodGet, Path, ""}
	refused  = situation{"refused", All, 1, http.StatusTooManyRequests, http.MethodGet, Path, ""}
	validate = situation{"typed and validated", typed, Many, http.StatusOK, http.MethodPut, Path + "?notify=true", typedBody}
)

// Run compares all stacks.
func Run(p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "A whole request in process", Text: text}
	all, serial, err := measure.Each(p, []situation{accepted, refused, validate}, func(s situation) string { return s.title }, situation.run)
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
	var works []measure.Work
	for _, stack := range s.stacks {
		if stack.Name == Bare && s.status != http.StatusOK || stack.Name == throttledStack && workers > 1 {
			continue
		}
		works = append(works, s.work(stack, workers))
	}
	return p.Run(works)
}

func (s situation) work(stack Stack, workers int) measure.Work {
	return measure.Work{Name: stack.Name, Workers: workers, Start: func() (measure.Running, error) {
		h, err := stack.Build(s.quota)
		if err != nil {
			return measure.Running{}, err
		}
		exchanges := make([]*exchange, workers)
		for i := range exchanges {
			if exchanges[i], err = newExchange(s.method, s.path, s.body); err != nil {
				return measure.Running{}, err
			}
		}
		if s.quota == 1 {
			exchanges[0].serve(h) // the one that is admitted
		}
		return measure.Running{Worker: func(i int) func(int) error { return exchanges[i].expect(h, s.status) }}, nil
	}}
}

func table(title string, results measure.Results) report.Table {
	t := report.Table{Title: title, Columns: []string{"Stack", "Time", "Least and most", "× " + results[0].Name, "Bytes", "Allocations"}}
	for _, r := range results {
		t.Add(r.Name, report.Nanos(r.Nanos), report.Nanos(r.Least)+" – "+report.Nanos(r.Most),
			fmt.Sprintf("%.2f", results[0].Ratio(r)), fmt.Sprintf("%.0f", r.Bytes), fmt.Sprintf("%.0f", r.Allocs))
	}
	return t
}

func bars(all map[string]measure.Results) []report.Bar {
	var peers []string
	for _, s := range All {
		if s.Fields && !strings.HasPrefix(s.Name, Ours) {
			peers = append(peers, s.Name)
		}
	}
	yes, no, input := all[accepted.title], all[refused.title], all[validate.title]
	ours, best, echo := yes.Of(Ours), yes.Fastest(peers...), yes.Of(Echo)
	refusal, bestRefusal := no.Of(Ours), no.Fastest(peers...)
	list := []report.Bar{
		report.Faster("whole stack, accepted", ours.Nanos, best.Nanos, best.Name, ours.Ratio(best), 1.3),
		{Work: "whole stack, accepted: time of echo without header fields", Ours: report.Nanos(ours.Nanos), Peer: report.Nanos(echo.Nanos), Name: echo.Name, Ratio: echo.Ratio(ours), Bar: 1.25, Most: true},
		report.NoAllocations("whole stack, accepted", ours.Allocs, 8),
		report.Faster("whole stack, refused", refusal.Nanos, bestRefusal.Nanos, bestRefusal.Name, refusal.Ratio(bestRefusal), 1.3),
	}
	for _, pair := range [][2]string{{typedOurs, typedHuma}, {typedOursFull, typedHumaFull}} {
		ours, peer := input.Of(pair[0]), input.Of(pair[1])
		work := strings.TrimPrefix(strings.Replace(pair[0], Ours+", typed", "typed handler, validated", 1), ", ")
		list = append(list, report.Faster(work, ours.Nanos, peer.Nanos, peer.Name, ours.Ratio(peer), 1.8))
	}
	return list
}
