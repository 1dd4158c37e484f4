package scope_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/scope"
)

func TestValid(t *testing.T) {
	for text, valid := range map[string]bool{
		"reports:read": true, "!#[]~": true,
		"": false, "a b": false, `"`: false, `\`: false, "é": false, "\x7f": false, "a\n": false,
	} {
		require.Equal(t, valid, scope.Valid(text), text)
	}
}

func TestGrants(t *testing.T) {
	require.Nil(t, scope.Asked(t.Context()))
	ctx, outer := scope.Ask(t.Context())
	require.Same(t, outer, scope.Asked(ctx))
	outer.Add("bearer", "ada", []string{"a"})
	outer.Add("bearer", "bob", []string{"b"})
	outer.Add("bearer", "ada", nil)

	_, inner := scope.Ask(ctx)
	inner.Add("bearer", "ada", []string{"c"})
	require.Equal(t, []string{"c"}, inner.Of("bearer", "ada"))
	require.Equal(t, []string{"a"}, outer.Of("bearer", "ada"))
	outer.Take(inner, "Bearer")
	require.Equal(t, []string{"a", "c"}, outer.Of("bearer", "ada"))
	require.Equal(t, []string{"b"}, outer.Of("bearer", "bob"))
	require.Empty(t, outer.Of("jwt", "ada"))

	_, outermost := scope.Ask(ctx)
	outermost.Take(outer, "Other")
	require.Equal(t, "Bearer", outermost.Challenge(), "the one behind has told it")
}

func TestNobodyAsks(t *testing.T) {
	var nobody *scope.Grants
	nobody.Add("bearer", "ada", []string{"a"})
	nobody.Take(nobody, "Bearer")
	require.Empty(t, nobody.Of("bearer", "ada"))
	require.Empty(t, nobody.Challenge())
}
