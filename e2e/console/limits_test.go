package console

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheGaugesMove(t *testing.T) {
	s := workshop(t)
	s.clock.begin()
	p := open(t, s.console())
	p.endpoint("GET v1/limits/both")
	p.fill("auth:bearer", token)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Contains(t, p.text("#body"), `"caller": "bearer"`)
	before := p.gauges()
	require.Len(t, before, 2)
	for i, want := range []struct {
		policy, limit, remaining string
		words                    []string
	}{
		{"perIp", "1000", "999", []string{"999", "1000"}},
		{"perUser", "20", "19", []string{"19", "20"}},
	} {
		g := before[i]
		require.Equal(t, []string{want.policy, want.limit, want.remaining, "meter", want.remaining, want.limit},
			[]string{g.Policy, g.Limit, g.Remaining, g.Role, g.Now, g.Max})
		require.NotEmpty(t, g.Reset)
		for _, word := range want.words {
			require.Contains(t, g.Text, word)
		}
	}
	about := p.texts("#limits .gauge")
	require.Regexp(t, `(?i)(ip|address)`, about[0])
	require.Regexp(t, `(?i)sliding`, about[0])
	require.Regexp(t, `(?i)(identity|caller)`, about[1])
	require.Regexp(t, `(?i)bucket`, about[1])
	p.send()
	after := p.gauges()
	require.Equal(t, []string{"998", "18"}, []string{after[0].Remaining, after[1].Remaining})
	require.NotEmpty(t, p.text("#limits .countdown"))

	p.endpoint("GET v1/answers/text")
	p.send()
	require.Empty(t, p.gauges(), "an endpoint without a limit")
}

func TestARefusalCountsDown(t *testing.T) {
	s := workshop(t)
	s.clock.begin()
	p := open(t, s.console())
	p.expectStatus(429)
	p.endpoint("GET v1/limits/few")
	for _, want := range []string{"2", "1", "0"} {
		p.send()
		require.Equal(t, "200 OK", p.text("#status"))
		require.Equal(t, want, p.gauges()[0].Remaining)
		require.False(t, p.visible("#retry-after"))
	}
	p.send()
	require.Equal(t, "429 Too Many Requests", p.text("#status"))
	require.Equal(t, "0", p.gauges()[0].Remaining)
	require.True(t, p.visible("#retry-after"))
	seconds := func(selector string) int {
		n, err := strconv.Atoi(js[string](p, `(document.querySelector(%s).textContent.match(/\d+/) ?? ["-1"])[0]`, selector))
		require.NoError(t, err)
		return n
	}
	reset, err := strconv.Atoi(p.gauges()[0].Reset)
	require.NoError(t, err)
	for _, selector := range []string{"#retry-after", "#limits .countdown"} {
		from := seconds(selector)
		require.InDelta(t, reset, from, 5, selector)
		p.until(`Number(document.querySelector(%s).textContent.match(/\d+/)?.[0]) <= %v`, selector, from-1)
	}
}

func TestTheCountdownEnds(t *testing.T) {
	s := workshop(t)
	s.clock.begin()
	p := open(t, s.console())
	p.expectStatus(429)
	p.endpoint("GET v1/limits/fixed")
	p.burst(8, "as fast as possible")
	p.until(`!/[1-9]/.test(document.querySelector("#retry-after").textContent)`)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.False(t, p.visible("#retry-after"))
}

// points are the seconds of the points of the plot, read from it as a person does: by
// the numbers below its axis.
type points struct {
	Accepted, Refused []float64
}

const readPlot = `(() => {
	const middle = (e) => { const r = e.getBoundingClientRect(); return r.left + r.width / 2; };
	const ticks = [...document.querySelectorAll("#plot svg text")].filter((e) => / ?s$/.test(e.textContent)).map((e) => [middle(e), parseFloat(e.textContent)]);
	const [[x0, s0], [x1, s1]] = [ticks[0], ticks.at(-1)];
	const seconds = (selector) => [...document.querySelectorAll("#plot svg " + selector)].map((e) => s0 + (middle(e) - x0) * (s1 - s0) / (x1 - x0)).sort((a, b) => a - b);
	return { Accepted: seconds(".accepted"), Refused: seconds(".refused") };
})()`

// runs are the lengths of the groups of points that follow each other at the pace of
// the calls, and the longest pause in between.
func runs(points []float64) (lengths []int, pause float64) {
	last := math.Inf(-1)
	for _, at := range points {
		if at-last > 0.25 {
			lengths = append(lengths, 0)
			if !math.IsInf(last, -1) {
				pause = math.Max(pause, at-last)
			}
		}
		lengths[len(lengths)-1]++
		last = at
	}
	return lengths, pause
}

// Ten calls a second for some seconds at 5 in 2 s: who sees the plots knows which
// algorithm is which.
func TestThePlotTellsTheAlgorithmsApart(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.expectStatus(429)
	draw := func(name string) points {
		p.endpoint("GET v1/limits/" + name)
		s.clock.begin()
		calls := s.count()
		p.burst(36, "10/s")
		require.Equal(t, 36, s.count()-calls)
		plot := js[points](p, readPlot)
		require.Equal(t, 36, len(plot.Accepted)+len(plot.Refused), name)
		require.InDelta(t, 3.5, math.Max(last(plot.Accepted), last(plot.Refused)), 0.5, name)
		t.Logf("%s: %.1f", name, plot.Accepted)
		return plot
	}
	lengths, pause := runs(draw("fixed").Accepted)
	require.Len(t, lengths, 2, "all of a window at its beginning")
	require.InDelta(t, 5, lengths[1], 1)
	require.Greater(t, pause, 1.2)

	lengths, pause = runs(draw("sliding").Accepted)
	require.Greater(t, len(lengths), 2)
	require.Less(t, lengths[1], 4, "no second burst")
	require.Greater(t, pause, 1.6, "the first one is remembered over the edge of the window")

	lengths, pause = runs(draw("bucket").Accepted)
	require.Greater(t, len(lengths), 5, "a steady rate after the burst")
	require.GreaterOrEqual(t, lengths[0], 5)
	require.Less(t, pause, 1.0)
}

func last(points []float64) float64 { return points[len(points)-1] }

func TestABurstShowsGaugesAndHistory(t *testing.T) {
	s := workshop(t)
	s.clock.begin()
	p := open(t, s.console())
	p.expectStatus(429)
	p.endpoint("GET v1/limits/few")
	require.Equal(t, "20", js[string](p, `document.querySelector("#burst-count").value`))
	p.click("#burst")
	p.plotted()
	p.answered()
	require.Equal(t, 20, s.count())
	require.Equal(t, []int{3, 17}, []int{len(p.texts("#plot svg .accepted")), len(p.texts("#plot svg .refused"))})
	require.Equal(t, "0", p.gauges()[0].Remaining)
	require.NotEmpty(t, p.texts("#history li"))
	require.Regexp(t, `3 passed the limits, 17 refused: 3 × 200, 17 × 429`, p.text("#plot-card"))
}

// What is no success is not said to be accepted, though no limit has refused it.
func TestABurstOfFailures(t *testing.T) {
	s := workshop(t)
	s.clock.begin()
	p := open(t, s.console())
	p.expectStatus(401)
	p.endpoint("GET v1/limits/both")
	p.burst(20, "")
	require.Equal(t, "20 passed the limits, 0 refused: 20 × 401", p.text("#plot-text"))
	require.Equal(t, []int{0, 0, 20}, []int{len(p.texts("#plot svg .accepted")), len(p.texts("#plot svg .refused")), len(p.texts("#plot svg .failed"))})
	require.Contains(t, p.texts("#history li")[0], "20 × 401")
}

func TestABurstCanBeStopped(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.write("#burst-count", "1000")
	p.chooseIn("#burst-rate", js[string](p, `[...document.querySelector("#burst-rate").options].find((o) => o.textContent.trim() === "10/s").value`))
	p.click("#burst")
	p.until(`document.querySelectorAll("#plot svg .accepted").length > 2`)
	p.click("#burst-stop")
	p.plotted()
	p.answered()
	require.Less(t, s.count(), 500)
	stopped := s.count()
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, stopped+1, s.count(), "nothing goes on")
}

func TestABurstIsBounded(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.expectStatus(429)
	p.endpoint("GET v1/limits/few")
	for text, calls := range map[string]int{"5000": 1000, "-3": 1} {
		before := s.count()
		p.write("#burst-count", text)
		p.click("#burst")
		p.plotted()
		require.Equal(t, calls, s.count()-before, text)
	}
}
