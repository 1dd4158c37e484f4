package headervalue_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/headervalue"
)

func TestInt(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 7: "7", 4095: "4095", 4096: "4096", -1: "-1", 1 << 62: "4611686018427387904"} {
		require.Equal(t, []string{want}, headervalue.Int(n))
		require.Equal(t, []string{want}, headervalue.Int(n))
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { headervalue.Int(7) }))
}

func TestSharedValuesAreCopiedByAdd(t *testing.T) {
	h := http.Header{"A": headervalue.Int(7)}
	h.Add("A", "8")
	require.Equal(t, []string{"7", "8"}, h["A"])
	require.Equal(t, []string{"7"}, headervalue.Int(7))
}
