package console

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// What would run if it were taken for markup.
const (
	script = `<script>window.__pwned = 1</script>`
	image  = `"><img src=x onerror="window.__pwned = 1">`
	both   = script + image + `'-->]]></textarea></pre></select><svg onload=window.__pwned=1>`
)

// hostile says hostile things everywhere.
func hostile(t *testing.T) *server {
	t.Helper()
	d := sallyport.NewApiDecider(sallyport.Config{})
	tokens := auth.StaticTokens{token: "*"}
	d.AddApi(api.POST("1", `<img src=x onerror=window.__pwned=1>`, `{a}`), handler.Describe(reflect, api.Description{
		Summary: both, Description: both, Tags: []string{both, image},
		Params: []api.Param{
			param.Path[string]("a").Description(both),
			param.Query[string]("q" + image).Description(both).Example(both),
			param.Query[string]("enum").AllowedValues(param.Choice[string]{Value: both, Description: both}, param.Choice[string]{Value: image}).Default(image),
			param.Query[string]("multi").Multi().Default(both, image),
			param.JSON[any](both, `{"description": `+quoted(both)+`, "examples": [`+quoted(both)+`]}`).
				NamedExample(both, quoted(both)).Description(both),
		},
	}), auth.Any(auth.QueryKey("k"+image, tokens), auth.None()))
	for name, a := range map[string]answer{
		"html":   {200, "text/html; charset=utf-8", nil, "<!DOCTYPE html>" + both},
		"json":   {200, "application/json", nil, `{` + quoted(both) + `: [` + quoted(both) + `]}`},
		"svg":    {200, "image/svg+xml", nil, `<svg xmlns="http://www.w3.org/2000/svg" onload="window.__pwned=1">` + script + `</svg>`},
		"type":   {200, `text/html"><img src=x onerror=window.__pwned=1>`, nil, both},
		"script": {200, "text/javascript", nil, `window.__pwned = 1`},
		"fields": {200, "text/plain", http.Header{"X-Hostile": {both}, "Retry-After": {both}}, both},
		"binary": {200, "application/octet-stream", nil, "\x00\xff" + both},
		"refused": {429, "application/json", http.Header{
			"Ratelimit":        {`"\"><img src=x onerror=window.__pwned=1>";r=1;t=5, "<script>window.__pwned=1</script>";r=999999999999999;t=999999999999999`},
			"Ratelimit-Policy": {`"\"><img src=x onerror=window.__pwned=1>";q=2;w=60;x="<b>", "<script>window.__pwned=1</script>";q=0`},
			"Retry-After":      {"999999999999999"},
		}, both},
		"nonsense": {429, "application/json", http.Header{
			"Ratelimit": {`"a";r=-1;t=1.5;;;, ((`}, "Ratelimit-Policy": {"\x80"}, "Retry-After": {"-1"},
		}, ""},
		"big": {200, "application/json", nil, bigJSON()},
	} {
		d.AddApi(api.GET("1", "answers", name), handler.Func(func(context.Context, *api.Request) (api.Response, error) { return a, nil }), auth.None())
	}
	d.AddApi(api.GET("1", "errors"), handler.Func(func(context.Context, *api.Request) (api.Response, error) {
		return nil, api.Error{Status: 400, Message: both, Fields: []api.FieldError{{In: "query", Name: both, Message: both}}}
	}), auth.None(), ratelimit.Policy{Limit: 100, Interval: time.Minute})
	d.AddApi(api.GET("1", "console"), &console.Console{Title: both}, auth.None(), ratelimit.Off)
	return serve(t, d, nil)
}

// bigJSON has 5 MB.
func bigJSON() string {
	item := `{"name":` + quoted(both) + `,"values":[1,2,3,{"deep":[[[[]]]]}],"text":"` + strings.Repeat("x", 100) + `"},`
	return `{"items":[` + strings.Repeat(item, 5<<20/len(item)) + `null]}`
}

// harmless requires that nothing of the page is markup of strangers.
func (p *page) harmless() {
	p.t.Helper()
	require.Equal(p.t, "undefined", js[string](p, `typeof window.__pwned`))
	require.Empty(p.t, js[[]string](p, `[...document.querySelectorAll("img, iframe, object, embed, script:not([src]), [onload], [onerror], a[href^='javascript:' i]")].map((e) => e.outerHTML)`))
}

func TestHostileDescriptionsAreText(t *testing.T) {
	s := hostile(t)
	p := open(t, s.console())
	p.harmless()
	require.Equal(t, both, p.text("h1"))
	id := js[string](p, `document.querySelector("button.endpoint").dataset.endpoint`)
	require.Contains(t, id, "<img src=x")
	require.Contains(t, p.text("button.endpoint"), both, "the summary")
	p.click("button.endpoint")
	p.opened(id)
	p.harmless()
	text := p.text("#endpoint")
	require.GreaterOrEqual(t, strings.Count(text, both), 5, "summary, description, tag, parameters and their values")
	require.Equal(t, image, js[string](p, `document.querySelector('[name="query:enum"]').value`))
	require.Equal(t, both, js[string](p, `document.querySelector('[name="query:multi"]').value`))
	p.click("#form button.example")
	require.JSONEq(t, quoted(both), js[string](p, `document.querySelector("#form textarea").value`))
	p.fill("path:a", both)
	p.choose("query:enum", both)
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, []string{both}, query(t, s.last(t))["enum"])
	require.Equal(t, []string{both}, query(t, s.last(t))["q"+image])
	p.harmless()
	p.write("#search", both)
	require.Contains(t, p.shown(), id)
	js[bool](p, `(location.hash = %s, true)`, both)
	p.harmless()
}

func TestHostileAnswersAreText(t *testing.T) {
	s := hostile(t)
	p := open(t, s.console())
	p.expectStatus(429, 400)
	for _, tc := range []struct {
		name string
		look func()
	}{
		{"html", func() { require.Equal(t, "<!DOCTYPE html>"+both, p.text("#body")) }},
		{"json", func() {
			require.Equal(t, "{\n    "+quotedPlain(both)+": [\n        "+quotedPlain(both)+"\n    ]\n}", p.text("#body"))
		}},
		{"svg", func() { require.Contains(t, p.text("#body"), script) }},
		{"type", func() { require.Contains(t, p.text("#headers"), "<img src=x onerror") }},
		{"script", func() { require.Equal(t, "window.__pwned = 1", p.text("#body")) }},
		{"fields", func() { require.Contains(t, p.text("#headers"), both) }},
		{"binary", func() { require.Regexp(t, `^\d+ bytes of application/octet-stream$`, p.text("#body")) }},
		{"refused", func() {
			gauges := p.gauges()
			require.Len(t, gauges, 2)
			require.Equal(t, `"><img src=x onerror=window.__pwned=1>`, gauges[0].Policy)
			require.Equal(t, []string{"1", "2", "5"}, []string{gauges[0].Remaining, gauges[0].Limit, gauges[0].Reset})
			require.Equal(t, `<script>window.__pwned=1</script>`, gauges[1].Policy)
			require.True(t, p.visible("#retry-after"))
		}},
		{"nonsense", func() {
			require.Equal(t, "429 Too Many Requests", p.text("#status"))
			require.Empty(t, p.gauges())
		}},
	} {
		p.endpoint("GET v1/answers/" + tc.name)
		p.send()
		tc.look()
		p.harmless()
		require.Equal(t, s.console(), js[string](p, `location.origin + location.pathname`), "the page stays")
	}
	p.endpoint("GET v1/errors")
	p.send()
	require.Contains(t, p.text("#body"), quotedPlain(both))
	p.harmless()
	for i := range p.texts("#history li") {
		js[bool](p, `(document.querySelectorAll("#history li button")[%v].click(), true)`, i)
		p.harmless()
	}
}

// quotedPlain is a text of JSON without escapes that it does not need.
func quotedPlain(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
}

// Five megabytes are no reason for the page to stand still.
func TestALargeBodyKeepsThePageResponsive(t *testing.T) {
	s := hostile(t)
	p := open(t, s.console())
	p.endpoint("GET v1/answers/big")
	js[bool](p, `(() => {
		window.testLongest = 0;
		new PerformanceObserver((list) => {
			for (const { duration } of list.getEntries()) window.testLongest = Math.max(window.testLongest, duration);
		}).observe({ type: "longtask" });
		return true;
	})()`)
	start := time.Now()
	p.send()
	shown := time.Since(start)
	require.Equal(t, "200 OK", p.text("#status"))
	require.LessOrEqual(t, js[int](p, `document.querySelector("#body").textContent.length`), 1<<20+1)
	require.Contains(t, p.text("#body"), `<script>window.__pwned`)
	require.Regexp(t, `\d{7}`, p.text("#answer"), "a note tells the size")
	p.harmless()
	start = time.Now()
	p.write("#search", "html")
	require.Equal(t, []string{"GET v1/answers/html"}, p.shown())
	p.write("#search", "")
	searched := time.Since(start)
	p.endpoint("GET v1/answers/html")
	p.send()
	longest := js[float64](p, `new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(window.testLongest), 50)))`)
	t.Logf("5 MB: shown after %v, the search answers in %v, the longest task took %.0f ms", shown.Round(time.Millisecond), searched.Round(time.Millisecond), longest)
}
