package httpuri_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/httpuri"
)

var rows = map[string]bool{
	"https://a.example":            true,
	"http://a.example/":            true,
	"HTTPS://A.example:/b":         true,
	"https://a.example:8443/b/c":   true,
	"https://a_b-c.example/~d":     true,
	"http://192.0.2.1":             true,
	"http://[2001:db8::1]:80/":     true,
	"http://[::ffff:192.0.2.1]":    true,
	"http://a/b%20c?d=%C3%A9#%7e":  true,
	"http://a/:@!$&'()*+,;=?/?:#/": true,
	"http://a?b":                   true,
	"http://a#b?c":                 true,

	"":                          false,
	"a.example":                 false,
	"/b":                        false,
	"//a.example/b":             false,
	"https:a.example":           false,
	"https:/a.example":          false,
	"https://":                  false,
	"https:///b":                false,
	"https://:80/":              false,
	"ftp://a.example":           false,
	"javascript://a.example/":   false,
	"httpſ://a.example":         false,
	" https://a.example":        false,
	"https://u:p@a.example":     false,
	"https://@a.example":        false,
	"https://a.example:80b":     false,
	"https://a.example:80:80":   false,
	"https://a%2Eexample":       false,
	"https://bücher.example":    false,
	`https://a>;rel="b"`:        false,
	"https://[2001:db8::1":      false,
	"https://[2001:db8::1]80":   false,
	"https://[2001:db8::1]:x":   false,
	"https://[fe80::1%25eth0]":  false,
	"https://[192.0.2.1]":       false,
	"https://a/b c":             false,
	"https://a/b\tc":            false,
	"https://a/b\r\nc":          false,
	"https://a/\x7f":            false,
	"https://a/é":               false,
	"https://a/\xff":            false,
	"https://a/<b>":             false,
	`https://a/"b"`:             false,
	`https://a/\b`:              false,
	"https://a/^`{|}":           false,
	"https://a/[b]":             false,
	"https://a/?b>":             false,
	"https://a/#b#c":            false,
	"https://a/#>":              false,
	"https://a/%":               false,
	"https://a/%2":              false,
	"https://a/%2g":             false,
	"https://a/%g2":             false,
	`https://x/?a=>; rel="b",<`: false,
}

func TestIs(t *testing.T) {
	for text, want := range rows {
		require.Equal(t, want, httpuri.Is(text), "%q", text)
	}
}

// What is one can be read as one, and cannot leave the brackets of a Link.
func FuzzIs(f *testing.F) {
	for text := range rows {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !httpuri.Is(text) {
			return
		}
		u, err := url.Parse(text)
		require.NoError(t, err)
		require.Contains(t, []string{"http", "https"}, u.Scheme)
		require.NotEmpty(t, u.Hostname())
		require.Nil(t, u.User)
		require.False(t, strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`<>"\^{|}`+"`", r) }))
	})
}
