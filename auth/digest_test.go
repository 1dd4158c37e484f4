package auth

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDigestsAreEqualForEqualSecrets(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"same", "secret", "secret", true},
		{"empty", "", "", true},
		{"last byte", "secret", "secreT", false},
		{"shorter", "secret", "secre", false},
		{"longer than the buffer", string(make([]byte, 500)), string(make([]byte, 500)), true},
		{"longer than the buffer, one byte more", string(make([]byte, 500)), string(make([]byte, 501)), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, digestOf(test.a).equal(digestOf(test.b)))
		})
	}
}

// The map only finds a candidate: the comparison in constant time decides, also
// about a token that the map does not have.
func TestTheComparisonDecidesAboutAToken(t *testing.T) {
	table := StaticTokens{"secret": "*"}.compile(checkB64Token, nil)
	d := digestOf("secret")
	table.entries[digestOf("other")] = table.entries[d]

	for token, want := range map[string]bool{"secret": true, "other": false, "unknown": false} {
		_, ok, err := table.Lookup(t.Context(), token)
		require.NoError(t, err)
		require.Equal(t, want, ok, token) // FW-141
	}
}
