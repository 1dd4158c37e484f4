package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

// What stands between the "<" and ">" of a Link cannot leave them.
func TestTheDocumentationOfALifecycle(t *testing.T) {
	const mistake = `the Documentation: write a URL like "https://dev.example/v1-to-v2", with everything escaped and without a user`
	for documentation, want := range map[string]string{
		"":                                   "",
		"https://dev.example/v1-to-v2":       "",
		"http://dev.example:8080/?a=b#c%20d": "",
		`https://x.example/?a=>; rel="evil", <https://e`: mistake,
		`https://x.example/a#>"b`:                        mistake,
		`https://x>;rel="evil"`:                          mistake,
		"https://x.example/?a b":                         mistake,
		"https://x.example/ü":                            mistake,
		"https://x.example/\r\nSet-Cookie: a=b":          mistake,
		"ftp://x.example/a":                              mistake,
		"https://user:secret@x.example/":                 mistake,
		"/v1-to-v2":                                      mistake,
		"x.example":                                      mistake,
	} {
		got := ""
		if err := (api.Lifecycle{Documentation: documentation}).Validate(); err != nil {
			got = err.Error()
		}
		require.Equal(t, want, got, documentation)
	}
}
