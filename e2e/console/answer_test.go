package console

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBodiesAreShownAsTheyAre(t *testing.T) {
	p := open(t, workshop(t).console())
	for _, tc := range []struct{ name, want string }{
		{"json", `{
    "url": "http://x.example/a",
    "name": "Škoda",
    "large": 12345678901234567890,
    "list": [
        1,
        {
            "a": null
        }
    ],
    "none": {}
}`}, // FW-381
		{"null", ""},               // FW-381
		{"text", "two\n  lines ✓"}, // FW-381
		{"broken", `{"a": `},       // FW-381
		{"binary", strconv.Itoa(len(binary)) + " bytes of image/png"},
	} {
		p.endpoint("GET v1/answers/" + tc.name)
		p.send()
		require.Equal(t, "200 OK", p.text("#status"), tc.name)
		require.Equal(t, tc.want, p.text("#body"), tc.name)
	}
}

func TestCopying(t *testing.T) {
	p := open(t, workshop(t).console(), func(p *page) { require.NoError(t, p.tab.AllowClipboard()) })
	p.endpoint("GET v1/answers/json")
	p.send()
	for button, source := range map[string]string{"#copy-body": "#body", "#copy-curl": "#curl"} {
		p.click(button)
		text := p.text(source)
		require.NotEmpty(t, text)
		for copied := ""; copied != text; { // the test has a deadline
			copied = js[string](p, `navigator.clipboard.readText()`) // FW-381
		}
	}
}

func TestDownloads(t *testing.T) {
	folder := t.TempDir()
	p := open(t, workshop(t).console(), func(p *page) { require.NoError(t, p.tab.AllowDownloads(folder)) })
	p.endpoint("GET v1/answers/binary")
	p.send()
	button := js[string](p, `(() => {
		const b = [...document.querySelectorAll("#answer button")].find((b) => /download/i.test(b.textContent) && b.checkVisibility());
		b.dataset.testDownload = "";
		return b.textContent;
	})()`)
	require.NotEmpty(t, button)
	p.click("[data-test-download]")
	require.Eventually(t, func() bool {
		found, err := filepath.Glob(folder + "/*")
		if err != nil || len(found) != 1 || strings.HasSuffix(found[0], ".crdownload") {
			return false
		}
		content, err := os.ReadFile(found[0])
		return err == nil && string(content) == binary
	}, 20*time.Second, 20*time.Millisecond)
}

func TestALoggedAnswer(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/answers/logged")
	p.send()
	require.Equal(t, "202 Accepted", p.text("#status"))                      // TC-057
	require.Equal(t, "{\n    \"aaa\": \"bbb\"\n}", p.text("#body"))          // TC-057
	require.Contains(t, strings.ToLower(p.text("#headers")), "x-headertext") // TC-057
	require.GreaterOrEqual(t, milliseconds(t, p.text("#time")), 145)         // TC-057
	require.Contains(t, p.texts("#history li")[0], "202")
}

func milliseconds(t *testing.T, text string) int {
	t.Helper()
	ms, err := strconv.Atoi(strings.TrimSuffix(text, " ms"))
	require.NoError(t, err)
	return ms
}

func TestALoggedFailure(t *testing.T) {
	p := open(t, workshop(t).console())
	p.expectStatus(503)
	p.endpoint("GET v1/answers/failed")
	p.send()
	require.Equal(t, "503 Service Unavailable", p.text("#status")) // TC-058
	require.Contains(t, p.text("#body"), "err message")            // TC-058
	milliseconds(t, p.text("#time"))                               // TC-058
	ok := js[string](p, `getComputedStyle(document.querySelector("#status")).color`)
	p.endpoint("GET v1/answers/text")
	p.send()
	require.NotEqual(t, ok, js[string](p, `getComputedStyle(document.querySelector("#status")).color`), "a failure looks like one") // TC-058
}

func TestRedirectsAreFollowed(t *testing.T) {
	s := workshop(t)
	p := open(t, s.console())
	p.endpoint("GET v1/answers/redirect")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, "two\n  lines ✓", p.text("#body")) // FW-378
	require.Contains(t, p.text("#answer"), "/api/v1/answers/text", "where it came from")
}

func TestTheTimeout(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/answers/never")
	p.fill("common:timeout", "0.3")
	p.send()
	require.Regexp(t, `(?i)time|within`, p.text("#status")) // FW-378
	require.Less(t, milliseconds(t, p.text("#time")), 10_000)
	p.endpoint("GET v1/answers/text")
	p.send()
	require.Equal(t, "200 OK", p.text("#status"))
}

func TestPicturesAreShown(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/answers/picture")
	p.send()
	p.until(`document.querySelector("#picture img")?.checkVisibility()`)
	require.True(t, js[bool](p, `(({ src, naturalWidth }) => src.startsWith("blob:") && naturalWidth === 1)(document.querySelector("#picture img"))`))
	p.endpoint("GET v1/answers/binary")
	p.send()
	p.until(`!document.querySelector("#picture img")`) // it is no picture, whatever its type says
	require.False(t, p.visible("#picture"))
}

// An answer without an end is read as it comes, until somebody stops it.
func TestStreamsAreShownLive(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/answers/stream")
	p.fill("common:timeout", "0.2")
	p.click("#send")
	p.until(`document.querySelector("#body").textContent.includes("data: 20\n")`)
	require.Equal(t, "200 OK", p.text("#status"))
	require.Equal(t, "busy", js[string](p, `document.querySelector("#answer").dataset.state`))
	require.Contains(t, p.text("#headers"), "text/event-stream")
	p.click("#stop")
	p.answered()
	require.False(t, p.visible("#stop"))
	require.Contains(t, p.text("#notes"), "Stopped")
	require.Contains(t, p.text("#body"), "data: 1\n\ndata: 2\n\n")
	p.endpoint("GET v1/answers/text")
	p.send()
	require.Equal(t, "two\n  lines ✓", p.text("#body"))
}

// Browsers lay some lines out so slowly that a page stands still.
func TestALongLineIsCut(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/answers/marks")
	start := time.Now()
	p.send()
	js[int](p, `document.body.offsetHeight`)
	t.Logf("900 KB of combining marks: %v", time.Since(start).Round(time.Millisecond))
	require.Less(t, len(p.text("#body")), 200_000)
	require.Contains(t, p.text("#body-note"), "900001 bytes")
	require.True(t, p.visible("#download"))
}

func TestHeaderFieldsBreakBetweenTheirParts(t *testing.T) {
	p := open(t, workshop(t).console())
	p.endpoint("GET v1/limits/few")
	p.send()
	require.Empty(t, js[[]string](p, `[...document.querySelectorAll("#headers td")].flatMap((td) => [...td.childNodes])
		.filter((part) => part.nodeType === Node.TEXT_NODE && part.data.length < 15 && !part.data.includes("-") && (() => {
			const range = document.createRange();
			range.selectNodeContents(part);
			return new Set([...range.getClientRects()].map((r) => r.top)).size > 1;
		})()).map((part) => part.data)`))
}
