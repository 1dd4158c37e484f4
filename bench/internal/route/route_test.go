package route

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

func TestBothSidesServeAllResources(t *testing.T) {
	for _, s := range []side{ours, bare} {
		for _, kind := range []func(side, int) measure.Work{request, build} {
			_, err := measure.Pace{Rounds: 1, Time: time.Microsecond, Log: io.Discard}.Run([]measure.Work{kind(s, 20)})
			require.NoError(t, err, s.name)
		}
	}
}

const output = `goos: linux
BenchmarkRouter/500/static-2             100	  40.0 ns/httprouter	  20.0 ns/match	  0.50 ratio
BenchmarkRouter/500/variable-2           100	  80.0 ns/httprouter	 100.0 ns/match	  1.25 ratio
BenchmarkRouter/500/variable-2           100	  80.0 ns/httprouter	 104.0 ns/match	  1.30 ratio
BenchmarkRouter/5000/two_variables-2     100	  90.0 ns/httprouter	 180.0 ns/match	  2.00 ratio
PASS
`

func TestParsingTheBenchmark(t *testing.T) {
	lookups, err := parse(output)
	require.NoError(t, err)
	require.Equal(t, []lookup{
		{name: "500, static", endpoints: 500, ours: 20, bare: 40, ratio: 0.5},
		{name: "500, variable", endpoints: 500, variables: true, ours: 102, bare: 80, ratio: 1.275},
		{name: "5000, two variables", endpoints: 5000, variables: true, ours: 180, bare: 90, ratio: 2},
	}, lookups)
	require.Equal(t, "route lookup, 500 endpoints, 102 ns, 80.0 ns (httprouter alone), 1.27, ≤ 1.3, ok", bar(lookups).String())
	for _, wrong := range []string{"", "PASS\n", "BenchmarkRouter/500/static-2 100 40.0 ns/httprouter\n", "BenchmarkRouter/x/static-2 1 1 ns/match 1 ns/httprouter 1 ratio\n"} {
		_, err := parse(wrong)
		require.Error(t, err)
	}
}
