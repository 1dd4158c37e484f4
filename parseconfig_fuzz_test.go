package sallyport_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// A file that ParseConfig takes makes a program that has no other mistakes than
// entries for endpoints that are not there.
func FuzzParseConfig(f *testing.F) {
	files, err := filepath.Glob("testdata/config/*.[jy]*")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	for _, seed := range []string{
		"", "{}", "[", "a: &a [*a]", "defaults: {rateLimit: [own, {limit: 1, interval: 1 week}]}", "rateLimits: {a: own}\ndefaults: {rateLimit: a}",
		"cors: {origins: [https://a.example], credentials: true, maxAge: 1 day}", "trustedProxies: {header: Forwarded, proxies: [unix, '::1']}",
		"rateLimiting: {storage: {name: memory, options: {maxCounters: 1}}, budget: 1 millisecond}", "basePath: /\nmaxBody: false\ntimeout: 1 second",
		"rateLimits: {default: {limit: 1, interval: 1}}\ndefaults: {rateLimit: {limit: 1, interval: 1}}", "? - a\n: !!x\n\t- b", "a: |\n  x\n---\n",
		`{"basePath":"\/\ud83d"}`, `{"cors": ["*", {}, [null, -1e3]]}`, "# *b\ncors: [*bb, *b]", "a:\u2028",
	} {
		f.Add(seed)
	}
	parts := sallyport.Parts{Limiters: map[string]ratelimit.Limiter{"own": own}}
	f.Fuzz(func(t *testing.T, file string) {
		c, err := sallyport.ParseConfig([]byte(file), parts)
		if err != nil {
			require.Equal(t, sallyport.Config{}, c)
			for _, mistake := range strings.Split(err.Error(), "\n") {
				require.True(t, strings.HasPrefix(mistake, "sallyport: config: "), mistake)
			}
			return
		}
		_, err = sallyport.NewPresenter(sallyport.NewApiDecider(c))
		if err == nil {
			return
		}
		for _, mistake := range strings.Split(err.Error(), "\n") {
			require.Contains(t, mistake, ": there is no endpoint ")
		}
	})
}
