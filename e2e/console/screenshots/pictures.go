package main

import (
	"fmt"

	"github.com/chromedp/chromedp"

	"github.com/sallyport-go/sallyport/e2e/console/internal/chrome"
)

// picture is a file and the steps that lead to it.
type picture struct {
	name          string
	width, height int64
	steps         []step
}

var pictures = []picture{
	{"console-light.png", 1280, 900, findBooks},
	{"console-dark.png", 1280, 900, append([]step{click("#theme")}, findBooks...)},
	{"console-limits.png", 1280, 1000, []step{
		search("v2"), endpoint("POST v2/login"), fill("auth:basic:user", "ada"), fill("auth:basic:password", "analytical"), send, keepToken,
		endpoint("GET v2/orders"), useToken, setBurst("40", "10/s"), click("#burst"),
		until(`document.querySelector("#plot").dataset.state === "done"`), scrollTo("#limits-card"),
	}},
	{"console-narrow.png", 360, 740, []step{
		endpoint("GET v2/books"), fill("query:author", "Kernighan"), send, scrollTo("#limits-card"),
	}},
}

var findBooks = []step{
	search("v2"), endpoint("GET v2/books"), fill("query:author", "Kernighan"), fill("query:sort", "-price"), send, scrollTo("#skip"),
}

// step is something that a person does on the page.
type step func(*chrome.Tab) error

func open(address string) step {
	return func(t *chrome.Tab) error {
		if err := t.Do(chromedp.Navigate(address)); err != nil {
			return err
		}
		return t.Until(`document.documentElement.dataset.ready === "true"`)
	}
}

func click(selector string) step {
	return func(t *chrome.Tab) error { return t.Do(chromedp.Click(chromedp.CSS(selector))) }
}

func until(expression string) step {
	return func(t *chrome.Tab) error { return t.Until(expression) }
}

// script runs statements; what they throw is the error.
func script(format string, args ...any) step {
	return func(t *chrome.Tab) error {
		_, err := chrome.Value[bool](t, "(() => { "+fmt.Sprintf(format, args...)+"; return true; })()")
		return err
	}
}

func endpoint(id string) step {
	return func(t *chrome.Tab) error {
		if err := script(`location.hash = encodeURIComponent(%q)`, id)(t); err != nil {
			return err
		}
		return t.Until(fmt.Sprintf(`document.querySelector("#form")?.dataset.endpoint === %q`, id))
	}
}

const changed = `for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, { bubbles: true }))`

func fill(name, value string) step {
	return script(`const e = document.querySelector("#form").elements[%q]; e.value = %q; `+changed, name, value)
}

func search(text string) step {
	return script(`const e = document.querySelector("#search"); e.value = %q; e.dispatchEvent(new Event("input", { bubbles: true }))`, text)
}

func send(t *chrome.Tab) error {
	if err := script(`document.querySelector("#form").requestSubmit()`)(t); err != nil {
		return err
	}
	return t.Until(`document.querySelector("#answer").dataset.state === "done"`)
}

// The token of the login goes to the endpoints that want one.
var (
	keepToken = script(`window.shownToken = JSON.parse(document.querySelector("#body").textContent).token`)
	useToken  = script(`const e = document.querySelector('[name="auth:bearer"]'); e.value = window.shownToken; ` + changed)
)

func setBurst(count, rate string) step {
	return script(`const n = document.querySelector("#burst-count"); n.value = %q; n.dispatchEvent(new Event("input"));
		const r = document.querySelector("#burst-rate"); r.value = [...r.options].find((o) => o.textContent === %q).value`, count, rate)
}

// scrollTo shows an element at the top, where nothing has the focus.
func scrollTo(selector string) step {
	return script(`document.activeElement?.blur(); document.querySelector(%q).scrollIntoView({ block: "start", behavior: "instant" })`, selector)
}
