package console

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// faint are the texts whose contrast to what is behind them is below 4.5 (WCAG 2.2,
// success criterion 1.4.3), or 3 where they are large.
const faint = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const paint = (colors) => {
		canvas.clearRect(0, 0, 1, 1);
		for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
		return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
	};
	const luminance = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		const colors = [];
		for (let p = e; p; p = p.parentElement) colors.unshift(getComputedStyle(p).backgroundColor);
		return ["white", ...colors];
	};
	const found = new Set();
	const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (words.nextNode()) {
		const e = words.currentNode.parentElement;
		if (!words.currentNode.data.trim() || !e.checkVisibility({ visibilityProperty: true }) || e.closest(".unseen, .skip, svg, :disabled, option, [aria-disabled=true]")) continue;
		const style = getComputedStyle(e);
		const [dark, light] = [luminance(paint(behind(e))), luminance(paint([...behind(e), style.color]))].sort((a, b) => a - b);
		const ratio = (light + 0.05) / (dark + 0.05);
		const size = parseFloat(style.fontSize);
		const large = size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
		if (ratio < (large ? 3 : 4.5)) found.add(e.tagName + "." + e.className + " " + ratio.toFixed(2) + ": " + words.currentNode.data.trim().slice(0, 40));
	}
	return [...found];
})()`

func TestTextsStandOut(t *testing.T) {
	for _, theme := range []string{"light", "dark"} {
		t.Run(theme, func(t *testing.T) {
			p := open(t, workshop(t).console(), func(p *page) { require.NoError(t, p.tab.Prefer("prefers-color-scheme", theme)) })
			p.expectStatus(401, 429, 503)
			for _, id := range []string{"GET v1/books", "POST v1/books", "GET v1/old", "GET v1/auth/any", "GET v1/limits/few", "GET v1/answers/failed"} {
				p.endpoint(id)
				p.burst(5, "")
				require.Empty(t, js[[]string](p, faint), id)
			}
		})
	}
}
