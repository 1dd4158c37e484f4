package console

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/e2e/console/internal/chrome"
)

// browser is shared by all tests; each has a tab of its own.
var browser *chrome.Browser

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if browser, err = chrome.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := m.Run()
		if err := browser.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return code
	}())
}

// page is the console in a tab.
type page struct {
	t        *testing.T
	tab      *chrome.Tab
	expected []string
}

// open opens the console and waits until it is ready. When the test ends, the page
// must have called no other host, and nothing may stand on its console but what the
// test expects.
func open(t *testing.T, address string, before ...func(p *page)) *page {
	t.Helper()
	front, _, _ := strings.Cut(address, "#")
	u, err := url.Parse(front)
	require.NoError(t, err)
	tab, err := browser.Tab(5 * time.Minute)
	require.NoError(t, err)
	p := &page{t: t, tab: tab}
	t.Cleanup(func() {
		defer tab.Close()
		if t.Failed() {
			p.report()
		}
		require.Empty(t, tab.Faults(u.Host, p.expected...))
	})
	for _, do := range before {
		do(p)
	}
	p.do(chromedp.Navigate(address))
	p.ready()
	return p
}

// report saves what the page looks like.
func (p *page) report() {
	folder := os.Getenv("CONSOLE_FAILURES")
	if folder == "" {
		return
	}
	if picture, err := p.tab.Screenshot(); err == nil {
		name := folder + "/" + url.PathEscape(p.t.Name()) + ".png"
		p.t.Log(name, os.WriteFile(name, picture, 0o600))
	}
}

// expect names what the browser itself writes about answers that are meant to fail.
func (p *page) expect(texts ...string) { p.expected = append(p.expected, texts...) }

func (p *page) expectStatus(statuses ...int) {
	for _, status := range statuses {
		p.expect(fmt.Sprintf("Failed to load resource: the server responded with a status of %d", status))
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, p.tab.Do(actions...))
}

func (p *page) until(format string, args ...any) {
	p.t.Helper()
	for i, arg := range args {
		args[i] = quoted(arg)
	}
	require.NoError(p.t, p.tab.Until(fmt.Sprintf(format, args...)))
}

// js evaluates an expression; the arguments become literals.
func js[T any](p *page, format string, args ...any) T {
	p.t.Helper()
	for i, arg := range args {
		args[i] = quoted(arg)
	}
	v, err := chrome.Value[T](p.tab, fmt.Sprintf(format, args...))
	require.NoError(p.t, err)
	return v
}

// quoted is a literal of JavaScript.
func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (p *page) ready() {
	p.t.Helper()
	p.until(`document.documentElement.dataset.ready === "true"`)
}

func (p *page) click(selector string) {
	p.t.Helper()
	js[bool](p, `(document.querySelector(%s)?.scrollIntoView({ block: "center", behavior: "instant" }), true)`, selector) // not behind what sticks
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *page) press(keys ...string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.Press(kb.ModifierNone, keys...))
}

func (p *page) shiftTab() {
	p.t.Helper()
	require.NoError(p.t, p.tab.Press(kb.ModifierShift, kb.Tab))
}

// text is what stands in an element.
func (p *page) text(selector string) string {
	p.t.Helper()
	return js[string](p, `document.querySelector(%s).textContent`, selector)
}

func (p *page) texts(selector string) []string {
	p.t.Helper()
	return js[[]string](p, `[...document.querySelectorAll(%s)].map((e) => e.textContent)`, selector)
}

// visible tells whether a person sees an element.
func (p *page) visible(selector string) bool {
	p.t.Helper()
	return js[bool](p, `(document.querySelector(%s)?.checkVisibility({ visibilityProperty: true }) ?? false)`, selector)
}

// endpoint opens an endpoint by its button.
func (p *page) endpoint(id string) {
	p.t.Helper()
	p.click(fmt.Sprintf("button.endpoint[data-endpoint=%s]", quoted(id)))
	p.opened(id)
}

// opened waits until the form of an endpoint is there.
func (p *page) opened(id string) {
	p.t.Helper()
	p.until(`document.querySelector("#form")?.dataset.endpoint === %s && !document.querySelector("#endpoint[aria-busy]")`, id)
}

// field finds the visible control of a name, the n-th of several.
func (p *page) field(name string, n int) string {
	p.t.Helper()
	found := js[bool](p, `(() => {
		document.querySelectorAll("[data-test-field]").forEach((e) => e.removeAttribute("data-test-field"));
		const all = [...document.querySelector("#form").elements].filter((e) => e.name === %s && e.checkVisibility());
		all[%v]?.setAttribute("data-test-field", "");
		return all.length > %v;
	})()`, name, n, n)
	require.True(p.t, found, "field %s, number %d", name, n)
	return "[data-test-field]"
}

// fill writes into the n-th control of a name, as a person does.
func (p *page) fill(name, value string) { p.t.Helper(); p.fillAt(name, 0, value) }

// fillAt adds the fields of a list that are not there yet.
func (p *page) fillAt(name string, n int, value string) {
	p.t.Helper()
	for p.fields(name) <= n {
		p.click(fmt.Sprintf(`[data-name=%s] button.add`, quoted(name)))
	}
	p.write(p.field(name, n), value)
}

// fields is how many controls of a name are seen.
func (p *page) fields(name string) int {
	p.t.Helper()
	return js[int](p, `[...document.querySelector("#form").elements].filter((e) => e.name === %s && e.checkVisibility()).length`, name)
}

func (p *page) write(selector, value string) {
	p.t.Helper()
	js[bool](p, `(() => { const e = document.querySelector(%s); e.focus(); e.select(); return true; })()`, selector)
	if value == "" {
		p.press(kb.Delete)
	} else {
		require.NoError(p.t, p.tab.Insert(value))
	}
	require.Equal(p.t, value, js[string](p, `document.querySelector(%s).value`, selector))
}

// choose takes an option of a select.
func (p *page) choose(name, value string) { p.t.Helper(); p.chooseIn(p.field(name, 0), value) }

func (p *page) chooseIn(selector, value string) {
	p.t.Helper()
	chosen := js[string](p, `(() => {
		const e = document.querySelector(%s);
		e.focus();
		e.value = %s;
		for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true }));
		return e.value;
	})()`, selector, value)
	require.Equal(p.t, value, chosen)
}

// sendEmpty unchecks the box of a parameter.
func (p *page) sendEmpty(name string) {
	p.t.Helper()
	js[bool](p, `(document.querySelector("#form details.more")?.setAttribute("open", ""), true)`)
	selector := p.field("omit:"+name, 0)
	p.click(selector)
	require.False(p.t, js[bool](p, `document.querySelector(%s).checked`, selector))
}

// send makes the call and waits for its answer.
func (p *page) send() {
	p.t.Helper()
	p.click("#send")
	p.answered()
}

func (p *page) answered() {
	p.t.Helper()
	p.until(`document.querySelector("#answer").dataset.state === "done"`)
}

// burst makes n calls, at a rate such as "10/s", and waits for the plot.
func (p *page) burst(n int, rate string) {
	p.t.Helper()
	p.write("#burst-count", strconv.Itoa(n))
	if rate != "" {
		option := js[string](p, `[...document.querySelector("#burst-rate").options].find((o) => o.textContent.trim() === %s)?.value ?? "missing"`, rate)
		p.chooseIn("#burst-rate", option)
	}
	p.click("#burst")
	p.plotted()
}

func (p *page) plotted() {
	p.t.Helper()
	p.until(`document.querySelector("#plot").dataset.state === "done"`)
}

// gauge is what one gauge shows.
type gauge struct {
	Policy, Remaining, Limit, Reset string
	Role, Now, Max, Text            string
}

func (p *page) gauges() []gauge {
	p.t.Helper()
	return js[[]gauge](p, `[...document.querySelectorAll("#limits .gauge")].map((g) => ({
		Policy: g.dataset.policy, Remaining: g.dataset.remaining, Limit: g.dataset.limit, Reset: g.dataset.reset,
		Role: g.getAttribute("role"), Now: g.getAttribute("aria-valuenow"), Max: g.getAttribute("aria-valuemax"), Text: g.textContent,
	}))`)
}
