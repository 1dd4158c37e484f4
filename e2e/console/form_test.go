package console

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// More endpoints than fit scroll in their list, and the page does not.
func TestTheListScrollsByItself(t *testing.T) {
	d := sallyport.NewApiDecider(sallyport.Config{})
	for i := range 40 {
		d.AddApi(api.GET("1", fmt.Sprintf("resource%d", i)), reflect, auth.Bearer(auth.StaticTokens{token: "*"}))
	}
	d.AddApi(api.GET("1", "console"), &console.Console{}, auth.None(), ratelimit.Off)
	p := open(t, serve(t, d, nil).console())
	require.Equal(t, js[int](p, `innerHeight`), js[int](p, `document.documentElement.scrollHeight`))
	require.True(t, js[bool](p, `((list) => list.scrollHeight > list.clientHeight)(document.querySelector("#endpoints"))`))
	p.endpoint("GET v1/resource39")
	require.True(t, p.visible("#send"))
}

func TestASchemaStaysInItsCard(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("POST v1/books")
	const width = `document.querySelector("#form textarea").getBoundingClientRect().width`
	before := js[float64](p, width)
	js[bool](p, `(document.querySelector("#form .schema pre").textContent = "x".repeat(1000), true)`)
	p.click("#form details.schema summary")
	require.True(t, p.visible("#form .schema pre"))
	require.InDelta(t, before, js[float64](p, width), 1)
	require.LessOrEqual(t, js[float64](p, `document.querySelector("#form .schema pre").getBoundingClientRect().width`), before+1)
}

func TestSendIsAlwaysInView(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/books")
	js[bool](p, `(scrollTo(0, 0), true)`)
	require.True(t, js[bool](p, `document.documentElement.scrollHeight > innerHeight && (({ top, bottom }) => top > 0 && bottom <= innerHeight)(document.querySelector("#send").getBoundingClientRect())`))
}

func TestFieldsOfAListComeAsTheyAreNeeded(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	require.Equal(t, 1, p.fields("query:tags"))
	p.write(p.field("query:tags", 0), "a")
	require.Equal(t, 2, p.fields("query:tags"), "it is filled in")
	p.write(p.field("query:tags", 0), "ab")
	require.Equal(t, 2, p.fields("query:tags"))
	p.click(`[data-name="query:tags"] button.add`)
	require.Equal(t, 3, p.fields("query:tags"))
	require.True(t, js[bool](p, `document.activeElement === [...document.querySelectorAll('[name="query:tags"]')][2]`))
	p.sendEmpty("query:tags")
	p.send()
	require.Equal(t, []string{"ab", "", ""}, query(t, s.last(t))["tags[]"], "what nobody sees is not sent")
}

func TestWhatWasTypedIsKept(t *testing.T) {
	s := workshop(t)
	folder := files(t, map[string]string{"cover.txt": "a cover"})
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.fill("query:q", "go")
	p.sendEmpty("query:q")
	p.choose("query:sort_by", "-price")
	p.fillAt("query:tags", 5, "sixth")
	p.endpoint("POST v1/covers")
	p.fill("form:title", "A title")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(p.field("file:cover", 0)), []string{filepath.Join(folder, "cover.txt")}))
	p.endpoint("GET v1/auth/any")
	p.fill("auth:bearer", token)
	p.chooseIn("#authorization select", js[string](p, `document.querySelector("#authorization select").options[1].value`))

	p.endpoint("GET v1/books")
	require.Equal(t, 6, p.fields("query:tags"))
	require.False(t, js[bool](p, `document.querySelector('[name="omit:query:q"]').checked`))
	p.send()
	require.Equal(t, "/api/v1/books?q=go&page=1&sort_by=-price&tags%5B%5D=sixth", s.last(t).URI)
	p.endpoint("POST v1/covers")
	p.send()
	require.Equal(t, map[string][]string{"title": {"A title"}, "cover": {"cover.txt text/plain a cover"}}, s.last(t).form(t))
	p.endpoint("GET v1/auth/any")
	require.True(t, p.visible(`[name="auth:apiKey:X-API-Key"]`), "the way that was chosen")
	p.do(chromedp.Reload())
	p.ready()
	p.endpoint("GET v1/books")
	require.Empty(t, js[string](p, `document.querySelector('[name="query:q"]').value`), "not longer than the page")
}

// A call of the history comes back with its endpoint, its form and its answer.
func TestACallIsRecalled(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/books")
	p.fill("query:q", "first")
	p.send()
	p.fill("query:q", "second")
	p.send()
	p.endpoint("GET v1/answers/text")
	p.send()
	p.click("#history li:nth-child(3) button")
	p.opened("GET v1/books")
	value := func() string { return js[string](p, `document.querySelector('[name="query:q"]').value`) }
	require.Equal(t, "first", value())
	require.Contains(t, p.text("#body"), `"first"`)
	require.True(t, p.visible("#answer"))
	require.Equal(t, "GET v1/books", js[string](p, `decodeURIComponent(location.hash.slice(1))`))
	p.click("#history li:nth-child(2) button")
	require.Equal(t, "second", value())
	require.Contains(t, p.text("#body"), `"second"`)
	require.Equal(t, 3, s.count(), "nothing is called again")
	p.send()
	require.Equal(t, "/api/v1/books?q=second&page=1", s.last(t).URI)
	js[bool](p, `(history.back(), true)`)
	p.opened("GET v1/answers/text")
}
