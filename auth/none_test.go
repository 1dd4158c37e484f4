package auth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

func TestNoneAdmitsEverybodyAndIdentifiesNobody(t *testing.T) {
	none := auth.None()
	require.Equal(t, api.Scheme{Identifies: api.IdentifiesNever}, none.Scheme())
	for _, lines := range [][]string{nil, {"Bearer my-token"}, {"garbage", "garbage"}} {
		identity, err := none.Authorize(t.Context(), request("1.2.3.4", lines...))
		require.NoError(t, err) // FW-099, TC-029
		require.Equal(t, api.Identity{}, identity)
	}
}
