package console

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// tooWide are the elements that stick out of the page, but for those in boxes that
// scroll by themselves.
const tooWide = `(() => {
	const boxed = (e) => {
		for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) {
			if (getComputedStyle(p).overflowX !== "visible") return true;
		}
		return false;
	};
	const width = document.documentElement.clientWidth;
	const wide = [...document.body.querySelectorAll("*")].filter((e) => e.checkVisibility() && !e.closest(".unseen, svg") && !boxed(e)
		&& (e.getBoundingClientRect().right > width + 1 || e.getBoundingClientRect().left < -1)).map((e) => e.outerHTML.slice(0, 150));
	const root = document.scrollingElement;
	scrollTo(1000, scrollY);
	if (root.scrollWidth > width || scrollX > 0) wide.push("the page scrolls: " + root.scrollWidth);
	return wide;
})()`

func TestANarrowPageDoesNotScrollSideways(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console(), func(p *page) { require.NoError(t, p.tab.Size(360, 740, true)) })
	p.expectStatus(429)
	require.Equal(t, 360, js[int](p, `innerWidth`))
	require.Empty(t, js[[]string](p, tooWide), "the list")
	for _, id := range []string{
		"GET v1/books", "POST v1/books", "POST v1/covers", "GET v1/auth/any", "GET v1/auth/all", "GET v1/auth/basic",
		"GET v1/limits/both", "GET v1/limits/few", "GET v1/answers/json", "GET v1/files/{path...}",
	} {
		p.endpoint(id)
		require.Empty(t, js[[]string](p, tooWide), "the form of %s", id)
		p.fillAll()
		p.expectStatus(401)
		p.burst(5, "")
		require.Empty(t, js[[]string](p, tooWide), "the answer of %s", id)
	}
	p.endpoint("GET v1/books")
	long := "aLongWordThatNobodyCanBreakAnywhereBecauseItHasNoSpaceInIt"
	p.fill("query:q", long+long+long)
	p.send()
	require.Empty(t, js[[]string](p, tooWide), "a long word")
	require.GreaterOrEqual(t, js[float64](p, `parseFloat(getComputedStyle(document.body).fontSize)`), 14.0, "readable")
}
