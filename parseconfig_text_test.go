package sallyport_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestMistakesOfTheText(t *testing.T) {
	const empty = "the file is empty: write {} for a configuration without settings"
	for _, tc := range []struct {
		file string
		want []string
	}{
		{"", []string{empty}},
		{" \n\n", []string{empty}},
		{"# nothing but a comment", []string{empty}},
		{"null", []string{empty}},
		{"---\n", []string{empty}},
		{"debug: true\n---\ndebug: false", []string{"line 3, column 1: a second document begins here: a file has one"}},
		{"debug: true\n---\n[", []string{"line 3, column 1: did not find expected node content"}},
		{strings.Repeat("#", 1<<20+1), []string{"1048577 bytes: at most 1048576"}},
		{"debug: true\nbasePath: /\xff", []string{"line 2, column 12: a byte that is no UTF-8"}},
		{"basePath: '/é\x00'", []string{"line 1, column 14: the control character U+0000"}},
		{"debug: true\r\nbasePath: \"/\u0085\"", []string{"line 2, column 13: the control character U+0085"}},

		{"cors:\n\torigins: '*'", []string{"line 2, column 1: a tab: YAML is indented with spaces"}},
		{"\tdebug: true", []string{"line 1, column 1: a tab: YAML is indented with spaces"}},
		{"cors:\n  origins: '*'\n\tmaxAge: 60", []string{"line 3, column 1: a tab: YAML is indented with spaces"}},
		{"debug: true\nbasePath: @x", []string{"line 2, column 1: found character that cannot start any token"}},
		{"debug: true\nbasePath: \"/api", []string{"line 2, column 1: found unexpected end of stream"}},
		{"debug: true: false", []string{"line 1, column 1: mapping values are not allowed in this context"}},
		{"debug: true\ncors: [a, b\nbasePath: /", []string{"line 2, column 1: did not find expected ',' or ']'"}},
		{`{"debug": true, "basePath" "/"}`, []string{"line 1, column 1: did not find expected ',' or '}'"}},
		{"{\n  \"debug\": true,\n  \"basePath\" \"/\"\n}", []string{"line 3, column 3: did not find expected ',' or '}'"}},
		{"%YAML 3.0\n---\ndebug: true", []string{"line 1, column 1: found incompatible YAML document"}},

		{"debug: true\ndebug: false\ndebug: true", []string{"debug: line 2, column 1: it stands in line 1 already", "debug: line 3, column 1: it stands in line 1 already"}},
		{`{"debug": true, "debug": true}`, []string{"debug: line 1, column 17: it stands in line 1 already"}},
		{"rateLimits:\n  a: &a {limit: 1, interval: 1}\n  b: *a", []string{
			"rateLimits.a: line 2, column 6: an anchor: a configuration has none; a text that begins with & stands in quotes",
			"rateLimits.b: line 3, column 6: an alias: a configuration has none; a text that begins with * stands in quotes"}},
		{"defaults: &d {rateLimit: *d}", []string{"defaults: line 1, column 11: an anchor: a configuration has none; a text that begins with & stands in quotes"}},
		{"debug: *b", []string{"line 1, column 8: an alias: a configuration has none; a text that begins with * stands in quotes"}},
		{"rateLimits:\n  a: {<<: {limit: 1}, interval: 1, limit: 1}", []string{"rateLimits.a: line 2, column 7: the merge key <<: a configuration has none, write the fields out"}},
		{"basePath: !!str /api", []string{`basePath: line 1, column 11: a tag: a configuration has none; a text that begins with ! stands in quotes`}},
		{"basePath: !mine /api", []string{`basePath: line 1, column 11: a tag: a configuration has none; a text that begins with ! stands in quotes`}},
		{"? [debug]\n: true", []string{"line 1, column 3: a list stands where a name belongs"}},
		{"&x debug: true", []string{"line 1, column 1: an anchor: a configuration has none; a text that begins with & stands in quotes"}},
		{"&a &a ...", []string{"line 1, column 1: did not find expected <document start>"}},
		{"&a", []string{"line 1, column 1: an anchor: a configuration has none; a text that begins with & stands in quotes"}},
		{"!!null", []string{"line 1, column 1: a tag: a configuration has none; a text that begins with ! stands in quotes"}},
		{"# *b\nbasePath: '*b'\ncors: [*bb, é, *b]\n# *b", []string{"line 3, column 8: an alias: a configuration has none; a text that begins with * stands in quotes"}},
		{"# *b\nbasePath: '*b'\ncors: [\"*b\", é, *b ]\n# *b", []string{"line 3, column 17: an alias: a configuration has none; a text that begins with * stands in quotes"}},
		{"basePath: /\u2028debug: 1", []string{"line 1, column 12: the invisible character U+2028: write it as an escape in double quotes"}},
		{"# a\n# \u2029", []string{"line 2, column 3: the invisible character U+2029: write it as an escape in double quotes"}},
		{"debug: true\n\ufeffdebug: true", []string{"line 2, column 1: the invisible character U+FEFF: write it as an escape in double quotes"}},
		{"debug: true\rbasePath: /", []string{"line 1, column 12: a carriage return that no line feed follows"}},
		{"\ufeffdebug: 1", []string{"debug: line 1, column 8: 1: write true or false"}},
		{"&x {debug: true}", []string{"line 1, column 1: an anchor: a configuration has none; a text that begins with & stands in quotes"}},
		{"\"de\\nbug\": true", []string{`"de\nbug": line 1, column 1: there is no field "de\nbug"; did you mean debug? known: basePath, baseUrl, versions, rateLimiting, rateLimits, defaults, endpoints, trustedProxies, cors, logRefused, debug, maxBody, maxUrl, timeout, trustRequestId, methodOverride`}},
	} {
		require.Equal(t, tc.want, mistakes(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

func TestTextsThatAreRight(t *testing.T) {
	want := sallyport.Config{BasePath: "/é", RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 5, Interval: time.Minute}}}
	for _, file := range []string{
		"basePath: /é\nrateLimits:\n  perIp:\n    limit: 5\n    interval: 1 minute\n",
		"\ufeffbasePath: /é\r\nrateLimits:\r\n  perIp:\r\n    limit: 5\r\n    interval: 1 minute\r\n",
		"---\n# with\nbasePath: '/é' # comments\nrateLimits: {perIp: {limit: 5, interval: 60}}\n...\n",
		"{\n\t\"basePath\": \"/\\u00e9\",\n\t\"rateLimits\": {\n\t\t\"perIp\": {\"limit\": 5, \"interval\": \"60\"}\n\t}\n}\n",
		`{"basePath":"/é","rateLimits":{"perIp":{"limit":5,"interval":60}}}`,
	} {
		require.Equal(t, want, parse(t, file, sallyport.Parts{}), file)
	}
}

// What a file costs is bounded, whatever it is made of.
func TestHostileFiles(t *testing.T) {
	const size = 1 << 17
	repeat := func(text string) string { return strings.Repeat(text, size/len(text)) }
	bomb := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 9) + "]\n"
	}
	for name, file := range map[string]string{
		"aliases of aliases": bomb + "rateLimits: *z",
		"lists in lists":     repeat("["),
		"maps in maps":       repeat("{a: "),
		"lists in lines":     repeat("- "),
		"keys in keys":       repeat("? "),
		"one key":            "rateLimits: {" + strings.Repeat("a: 1, ", size/7) + "}",
		"unknown names":      "rateLimits:\n" + strings.Repeat(" a: b\n", size/7),
		"empty limits":       "defaults: {rateLimit: [" + strings.Repeat("{},", size/4) + "]}",
		"wrong origins":      "cors: [" + strings.Repeat("a,", size/3) + "]",
	} {
		list := mistakes(t, file, sallyport.Parts{})
		require.LessOrEqual(t, len(list), 101, name)
		require.Less(t, len(strings.Join(list, "\n")), 50_000, name)
	}
}
