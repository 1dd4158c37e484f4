package console

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// controls remembers what a person can use on the page, and returns how much it is.
const controls = `(() => {
	window.testControls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")].filter((e) =>
		e.tabIndex >= 0 && !e.matches(":disabled") && e.checkVisibility({ visibilityProperty: true }));
	return window.testControls.length;
})()`

// stop is where the focus is.
type stop struct {
	Index           int // in the controls; -1: somewhere else
	Body            bool
	What            string
	Visible, InView bool
	Named           bool
}

const focus = `(() => {
	const e = document.activeElement;
	const style = getComputedStyle(e);
	const r = e.getBoundingClientRect();
	const labels = (e.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
	const name = labels || e.getAttribute("aria-label") || [...(e.labels ?? [])].map((l) => l.textContent).join("") || (e.matches("button, a, summary") ? e.textContent : "");
	return {
		Index: window.testControls.indexOf(e), Body: e === document.body, What: e.outerHTML.slice(0, 200),
		Visible: e.matches(":focus-visible") && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1,
		InView: r.bottom > 0 && r.top < innerHeight && r.right > 0 && r.left < innerWidth,
		Named: name.trim() !== "",
	};
})()`

func TestEverythingIsReachedByTab(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.expectStatus(401, 429)
	for _, id := range []string{"", "GET v1/books", "POST v1/books", "POST v1/covers", "GET v1/auth/any", "GET v1/limits/few"} {
		if id != "" {
			p.endpoint(id)
			p.fillAll()
			p.burst(5, "") // so that answer, gauges, plot and history are there
		}
		n := js[int](p, controls)
		require.Greater(t, n, 10)
		js[bool](p, `(document.activeElement.blur(), scrollTo(0, 0), getSelection().removeAllRanges(), true)`)
		// The order of Tab begins in front of the first control.
		js[bool](p, `(() => { const e = document.body; e.tabIndex = -1; e.focus(); e.removeAttribute("tabindex"); return true; })()`)
		reached := make([]bool, n)
		for range 2*n + 20 {
			p.press(kb.Tab)
			at := js[stop](p, focus)
			if at.Body || at.Index >= 0 && reached[at.Index] {
				break
			}
			if at.Index >= 0 {
				reached[at.Index] = true
				require.True(t, at.Named, "it has a name: %s", at.What)
			}
			require.True(t, at.Visible, "the focus is seen: %s", at.What)
			require.True(t, at.InView, "it comes into view: %s", at.What)
		}
		var missed []string
		for i, ok := range reached {
			if !ok {
				missed = append(missed, js[string](p, `window.testControls[%v].outerHTML.slice(0, 200)`, i))
			}
		}
		require.Empty(t, missed, "%q: not reached by Tab", id)
	}
}

// fillAll writes something into every required field.
func (p *page) fillAll() {
	p.t.Helper()
	for _, name := range js[[]string](p, `[...document.querySelector("#form").elements].filter((e) => e.matches("input[aria-required]") && !e.value).map((e) => e.name)`) {
		p.fill(name, "something")
	}
}

// Nobody needs a mouse: search, open, fill in, send, look at the answer.
func TestACallByKeyboardAlone(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.press("/")
	require.NoError(t, p.tab.Insert("v1/books/{isbn} GET"))
	p.press(kb.Enter)
	p.opened("GET v1/books/{isbn}")
	require.True(t, js[bool](p, `document.querySelector("#endpoint").contains(document.activeElement)`), "the focus goes to what was opened")
	for range 20 {
		p.press(kb.Tab)
		if js[string](p, `document.activeElement.name ?? ""`) == "path:isbn" {
			break
		}
	}
	p.press("4", "7", kb.Enter)
	p.answered()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, "/api/v1/books/47", s.last(t).URI, "Enter sends")
	p.shiftTab()
	js[int](p, controls)
	require.True(t, js[stop](p, focus).Visible)
}

func TestTheSkipLink(t *testing.T) {
	p := open(t, workshop(t).console())
	p.press(kb.Tab)
	require.Regexp(t, `(?i)skip`, js[string](p, `document.activeElement.textContent`), "it is the first")
	p.press(kb.Enter)
	require.True(t, js[bool](p, `document.querySelector("main").contains(document.activeElement)`))
	p.press("/")
	p.endpoint("GET v1/books")
	p.press(kb.Tab)
	require.True(t, js[bool](p, `document.querySelector("main").contains(document.activeElement)`))
}

func TestLandmarksAndLiveRegions(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/limits/few")
	p.send()
	require.Equal(t, 1, js[int](p, `document.querySelectorAll("main").length`))
	require.Equal(t, 1, js[int](p, `document.querySelectorAll("h1").length`))
	require.NotZero(t, js[int](p, `document.querySelectorAll("nav, [role=navigation]").length`))
	require.NotEmpty(t, js[string](p, `document.documentElement.lang`))
	require.Regexp(t, `polite|assertive`, js[string](p, `document.querySelector("#status").closest("[aria-live]").getAttribute("aria-live")`))
	require.Empty(t, js[[]string](p, `[...document.querySelectorAll("input, select, textarea")].filter((e) =>
		!e.labels.length && !e.getAttribute("aria-label") && !e.getAttribute("aria-labelledby")).map((e) => e.outerHTML)`), "fields without a label")
	require.Empty(t, js[[]string](p, `(() => {
		const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
		return ids.filter((id, i) => ids.indexOf(id) !== i);
	})()`), "ids that stand twice")
}

func TestReducedMotion(t *testing.T) {
	p := open(t, workshop(t).console(), func(p *page) { require.NoError(t, p.tab.Prefer("prefers-reduced-motion", "reduce")) })
	p.endpoint("GET v1/limits/few")
	p.send()
	require.Empty(t, js[[]string](p, `[...document.querySelectorAll("*")].filter((e) => {
		const { animationName, animationDuration, transitionDuration } = getComputedStyle(e);
		const long = (text) => text.split(",").some((d) => parseFloat(d) > 0.01);
		return animationName !== "none" && long(animationDuration) || long(transitionDuration);
	}).map((e) => e.outerHTML.slice(0, 100))`))
}
