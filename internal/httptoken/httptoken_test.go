package httptoken_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

func TestCut(t *testing.T) {
	for _, row := range []struct{ s, token, rest string }{
		{"", "", ""},
		{"X-Real-IP", "X-Real-IP", ""},
		{"!#$%&'*+-.^_`|~09AZaz", "!#$%&'*+-.^_`|~09AZaz", ""},
		{"for=1", "for", "=1"},
		{" a", "", " a"},
		{"a b", "a", " b"},
		{"a\x00", "a", "\x00"},
		{"a\x7f", "a", "\x7f"},
		{"né", "n", "é"},
	} {
		token, rest := httptoken.Cut(row.s)
		require.Equal(t, [2]string{row.token, row.rest}, [2]string{token, rest}, "%q", row.s)
		require.Equal(t, row.s != "" && row.rest == "", httptoken.Is(row.s), "%q", row.s)
	}
	for _, c := range `"(),/:;<=>?@[\]{}` {
		require.False(t, httptoken.Is("a"+string(c)), "%q", c)
	}
}
