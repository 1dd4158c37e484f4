package console

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The figures are printed; no machine is asked to reach them.
func TestFiveHundredEndpoints(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	for i := range 500 {
		name := fmt.Sprintf("resource%03d", i)
		d.AddApi(api.GET(fmt.Sprint(1+i/250), name, "{id}"), described(api.Description{
			Summary: "Summary of " + name, Tags: []string{fmt.Sprintf("tag%02d", i%20)},
			Params: []api.Param{param.Path[int]("id"), param.Query[string]("q"), param.Query[string]("tags").Multi()},
		}), auth.None(), ratelimit.Policy{Limit: 100, Interval: time.Minute})
	}
	d.AddApi(api.GET("1", "console"), &console.Console{AllVersions: true}, auth.None(), ratelimit.Off)
	start := time.Now()
	s := serve(t, d, nil)
	built := time.Since(start)
	var ready []time.Duration
	var p *page
	for range 3 {
		start = time.Now()
		p = open(t, s.console())
		ready = append(ready, time.Since(start))
	}
	start = time.Now()
	p.do(chromedp.Reload())
	p.ready()
	again := time.Since(start)
	require.Len(t, p.shown(), 501)
	filter := js[[]float64](p, `["r", "re", "resource499", "tag07", "summary of resource1", ""].map((text) => {
		const search = document.querySelector("#search");
		const start = performance.now();
		search.value = text;
		search.dispatchEvent(new Event("input", { bubbles: true }));
		document.body.offsetHeight; // lays the page out
		return performance.now() - start;
	})`)
	p.write("#search", "resource499")
	require.Equal(t, []string{"GET v2/resource499/{id}"}, p.shown())
	start = time.Now()
	p.endpoint("GET v2/resource499/{id}")
	opened := time.Since(start)
	p.fill("path:id", "7")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	size := js[int](p, `performance.getEntriesByType("navigation")[0].decodedBodySize`)
	t.Logf("500 endpoints: built in %v, page of %d KB, ready in %v (a new tab with its browser context), again in %v, filtered in %.1f ms (median %.1f), form opened in %v",
		round(built), size>>10, round(slices.Min(ready)), round(again), filter, median(filter), round(opened))
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}
