package console

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarkup(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"One\nline.\n\nTwo & <b>three":    "<p>One\nline.</p>\n<p>Two &amp; &lt;b&gt;three</p>",
		"*em*, __strong__ and **_both_**": "<p><em>em</em>, <strong>strong</strong> and <strong><em>both</em></strong></p>",
		"snake_case_name, 2 * 3 * 4, a*b*c, \\*no\\*, **":                                    "<p>snake_case_name, 2 * 3 * 4, a*b*c, *no*, **</p>",
		"`a *b* <c>` and ``a`b``":                                                            "<p><code>a *b* &lt;c&gt;</code> and <code>a`b</code></p>",
		"See [the *manual*](https://example.com/a?b=c&d=\"e).":                               `<p>See <a href="https://example.com/a?b=c&amp;d=%22e" rel="noreferrer noopener" target="_blank">the <em>manual</em></a>.</p>`,
		"<https://example.com>":                                                              `<p><a href="https://example.com" rel="noreferrer noopener" target="_blank">https://example.com</a></p>`,
		"[a](javascript:alert(1)) [b](data:text/html,c) [d](/e) [f](HTTPS:g) <javascript:h>": "<p>[a](javascript:alert(1)) [b](data:text/html,c) [d](/e) [f](HTTPS:g) &lt;javascript:h&gt;</p>",
		"List:\n- one\n  goes on\n- *two*\n\n1. first\n2) second":                            "<p>List:</p>\n<ul><li>one\ngoes on</li> <li><em>two</em></li> </ul>\n<ol><li>first</li> <li>second</li> </ol>",
		"```go\n<a> *b*\n\n- c\n```\nend":                                                    "<pre>&lt;a&gt; *b*\n\n- c</pre>\n<p>end</p>",
		"```\nopen":                                                                          "<pre>open</pre>",
		"<script>alert(1)</script>":                                                          "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
	} {
		require.Equal(t, want, string(markup(text)), text)
	}
}

// Whatever a description says, no other tags come out than these.
func FuzzMarkup(f *testing.F) {
	for _, seed := range []string{
		"*a* **b** `c` [d](https://e.example/\"onclick=f) <https://g>", "- a\n- b\n1. c\n```\nd", "<script>alert(1)</script>",
		"[<img src=x onerror=a>](https://b)", "[a](https://b/'><script>)", "**[*a*](http://b)**", "\\<b\\> \x00 \xff `<i>`", "***_**_*_**",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		d := xml.NewDecoder(strings.NewReader("<div>" + strings.ToValidUTF8(printable(string(markup(text))), "") + "</div>"))
		d.Entity = xml.HTMLEntity
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return
			}
			require.NoError(t, err)
			element, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			require.Contains(t, []string{"div", "p", "ul", "ol", "li", "pre", "code", "em", "strong", "a"}, element.Name.Local)
			for _, a := range element.Attr {
				require.True(t, slices.Contains([]string{"href", "rel", "target"}, a.Name.Local) && element.Name.Local == "a", a.Name.Local)
				if a.Name.Local == "href" {
					require.Regexp(t, `^(?i:https?)://`, a.Value)
				}
			}
		}
	})
}

// printable leaves out what XML cannot have, which HTML can.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, text)
}
