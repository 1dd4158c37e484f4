package sallyport_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestAllOfJSONIsRead(t *testing.T) {
	for _, tc := range []struct {
		file string
		want sallyport.Config
	}{
		{`{"basePath":"\/api"}`, sallyport.Config{BasePath: "/api"}},
		{`{"basePath":"/\ud83d\ude00"}`, sallyport.Config{BasePath: "/😀"}},
		{`{"basePath":"/\ufffd�"}`, sallyport.Config{BasePath: "/��"}},
		{"\ufeff \r\n{\"debug\"\t:\ttrue ,\n\"timeout\": null, \"logRefused\": false}\n", sallyport.Config{Debug: true}},
		{`{"cors": ["https://a.example", "https://b.example"], "maxBody": 10}`, sallyport.Config{
			CORS: sallyport.CORS{Origins: []string{"https://a.example", "https://b.example"}}, MaxBody: 10}},
		{`{"rateLimits": {"` + strings.Repeat("a", 2000) + `": {"limit": 1, "interval": "1 minute"}}}`, sallyport.Config{
			RateLimits: []ratelimit.Policy{{Name: strings.Repeat("a", 2000), Limit: 1, Interval: time.Minute}}}},
	} {
		require.Equal(t, tc.want, parse(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

func TestMistakesOfJSONHaveTheirPlaces(t *testing.T) {
	for _, tc := range []struct {
		file string
		want []string
	}{
		{"{\"basePath\": \"\\/\",\n  \"debug\": 1,\n  \"debug\": true}", []string{
			"debug: line 2, column 12: 1: write true or false", "debug: line 3, column 3: it stands in line 2 already"}},
		{`{"basePath": "/é", "maxBody": 1.5}`, []string{"maxBody: line 1, column 31: 1.5: write a number of bytes, or false for no bound"}},
		{"{\n\"basePath\": \"/\\uFFFD\ufffd\\ud83d\"}", []string{"line 2, column 13: half of a surrogate pair"}},
		{`{"cors": {"origins": [1e3, "a\/b", {}, [], null]}}`, []string{
			"cors.origins[0]: line 1, column 23: 1e3: write a text",
			`cors.origins[1]: line 1, column 28: origin "a/b": write it as browsers do, like "https://shop.example:8443"`,
			"cors.origins[2]: line 1, column 36: a map: write a text",
			"cors.origins[3]: line 1, column 40: a list: write a text",
			"cors.origins[4]: line 1, column 44: nothing: write a text"}},
	} {
		require.Equal(t, tc.want, mistakes(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

// Where a file is both, the places are the same.
func TestJSONAndYAMLAreReadAlike(t *testing.T) {
	for _, file := range []string{
		`{"debug": 1, "rateLimits": {"a": {"limit": "5", "intervall": 7}}, "cors": [true, null], "maxBody": -1}`,
		"{\n  \"endpoints\": {\"GET.v1.é\": {}, \"b\": []},\n  \"defaults\": {\"rateLimit\": [{}, 5]}\n}",
	} {
		require.Equal(t, mistakes(t, file+" # not JSON", sallyport.Parts{}), mistakes(t, file, sallyport.Parts{}), file)
	}
}
