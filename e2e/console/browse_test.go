package console

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// shown are the endpoints in the list that a person sees.
func (p *page) shown() []string {
	p.t.Helper()
	return js[[]string](p, `[...document.querySelectorAll("#endpoints button.endpoint")].filter((b) => b.checkVisibility()).map((b) => b.dataset.endpoint)`)
}

func TestTheListTellsAboutEndpoints(t *testing.T) {
	p := open(t, workshop(t).console())
	require.Contains(t, p.shown(), "GET v2/books", "of all versions")
	type badges struct {
		Method           string
		Lock, Deprecated bool
		Limit            string
	}
	for id, want := range map[string]badges{
		"GET v1/books":       {Method: "GET"},
		"POST v1/books":      {Method: "POST"},
		"GET v1/auth/bearer": {Method: "GET", Lock: true},
		"GET v1/limits/few":  {Method: "GET", Limit: "3/60s"},
		"GET v1/old":         {Method: "GET", Deprecated: true},
	} {
		require.Equal(t, want, js[badges](p, `(() => {
			const b = document.querySelector("button.endpoint[data-endpoint=" + CSS.escape(%s) + "]");
			const struck = [b, ...b.querySelectorAll("*")].some((e) => getComputedStyle(e).textDecorationLine.includes("line-through"));
			return {
				Method: b.querySelector(".method." + b.querySelector(".method").textContent.toLowerCase()).textContent,
				Lock: b.querySelector(".lock") !== null,
				Limit: b.querySelector(".limit")?.textContent ?? "",
				Deprecated: struck && b.matches(".deprecated"),
			};
		})()`, id), id)
	}
	colors := map[string]bool{}
	for _, method := range []string{"get", "post", "put", "patch", "delete"} {
		colors[js[string](p, `(({ color, backgroundColor }) => color + backgroundColor)(getComputedStyle(document.querySelector("#endpoints .method." + %s)))`, method)] = true
	}
	require.Len(t, colors, 5, "each method has a color")
}

func TestTheSearch(t *testing.T) {
	p := open(t, workshop(t).console())
	all := p.shown()
	for text, want := range map[string][]string{
		"files":             {"GET v1/files/{path...}"},                     // a path
		"PATCH":             {"PATCH v1/books/{isbn}"},                      // a method
		"add a book":        {"POST v1/books"},                              // a summary
		"covers":            {"POST v1/covers"},                             // a tag
		"nothing has this!": {},                                             // nothing
		"find books":        {"GET v1/books", "GET v2/books"},               // two versions
		"":                  all,                                            // everything again
		"LIMITS/b":          {"GET v1/limits/bucket", "GET v1/limits/both"}, // upper case
	} {
		p.write("#search", text)
		require.ElementsMatch(t, want, p.shown(), text)
	}
	p.write("#search", "")
	js[bool](p, `(document.activeElement.blur(), true)`)
	p.press("/")
	require.Equal(t, "search", js[string](p, `document.activeElement.id`))
	require.Empty(t, js[string](p, `document.activeElement.value`), "the key itself is not written")
}

func TestTheAddressNamesTheEndpoint(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	require.Equal(t, "GET v1/books", js[string](p, `decodeURIComponent(location.hash.slice(1))`))
	p.endpoint("POST v1/notes")
	js[bool](p, `(history.back(), true)`)
	p.opened("GET v1/books")
	js[bool](p, `(history.forward(), true)`)
	p.opened("POST v1/notes")
	address := js[string](p, `location.href`)

	p = open(t, address) // as a link of somebody else
	p.opened("POST v1/notes")
	p = open(t, s.console()+"#%E0%A4%A") // no encoding at all
	require.True(t, p.visible("#endpoints"))
	p = open(t, s.console()+"#GET%20v1%2Fnowhere")
	p.endpoint("GET v1/books")
}

func TestTheTheme(t *testing.T) {
	s := workshop(t)
	lightness := func(p *page) float64 {
		return js[float64](p, `getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((sum, n) => sum + Number(n), 0) / 765`)
	}
	p := open(t, s.console())
	require.Greater(t, lightness(p), 0.8)
	p.click("#theme")
	require.Equal(t, "dark", js[string](p, `document.documentElement.dataset.theme`))
	require.Less(t, lightness(p), 0.2)
	p.do(chromedp.Reload())
	p.ready()
	require.Equal(t, "dark", js[string](p, `document.documentElement.dataset.theme`), "the choice is kept")
	p.click("#theme")
	require.Greater(t, lightness(p), 0.8)

	p = open(t, s.console(), func(p *page) { require.NoError(t, p.tab.Prefer("prefers-color-scheme", "dark")) })
	require.Less(t, lightness(p), 0.2, "that of the system, unless somebody has chosen")
	p.click("#theme")
	require.Greater(t, lightness(p), 0.8)
}

func TestCredentialsAreKeptInMemoryAlone(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/auth/bearer")
	p.fill("auth:bearer", token)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	p.endpoint("GET v1/books")
	p.endpoint("GET v1/limits/both")
	require.Equal(t, token, js[string](p, `document.querySelector('[name="auth:bearer"]').value`), "another endpoint of the scheme")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.NotContains(t, js[string](p, `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`), token)
	p.do(chromedp.Reload())
	p.ready()
	p.opened("GET v1/limits/both")
	require.Empty(t, js[string](p, `document.querySelector('[name="auth:bearer"]').value`))
}

func TestTheSearchOpensTheFirstThatIsFound(t *testing.T) {
	p := open(t, workshop(t).console())
	p.press("/")
	require.NoError(t, p.tab.Insert("PATCH"))
	p.press(kb.Enter)
	p.opened("PATCH v1/books/{isbn}")
}
