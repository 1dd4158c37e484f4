package measure_test

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

var pace = measure.Pace{Rounds: 3, Time: time.Millisecond, Log: io.Discard}

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 2: {3, 1, 2}, 2.5: {4, 1, 3, 2}} {
		require.InDelta(t, want, measure.Median(values), 0)
	}
}

func TestRunStartsEveryWorkInEveryRoundAndStopsIt(t *testing.T) {
	var started []string
	var stopped int
	var done [2]atomic.Int64
	work := func(name string, workers int) measure.Work {
		return measure.Work{Name: name, Workers: workers, Start: func() (measure.Running, error) {
			started = append(started, name)
			return measure.Running{
				Worker: func(i int) func(int) error {
					return func(n int) error {
						for range n {
							done[i].Add(1)
						}
						return nil
					}
				},
				Stop: func() { stopped++ },
			}, nil
		}}
	}
	results, err := pace.Run([]measure.Work{work("a", 0), work("b", 2)})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "b", "a", "a", "b"}, started)
	require.Equal(t, 6, stopped)
	require.Positive(t, done[0].Load())
	require.Positive(t, done[1].Load())
	a, b := results.Of("a"), results.Of("b")
	require.Positive(t, a.Nanos)
	require.LessOrEqual(t, a.Least, a.Nanos)
	require.InDelta(t, b.Nanos/a.Nanos, a.Ratio(b), 1e-9)
	require.InDelta(t, min(a.Nanos, b.Nanos), results.Fastest("a", "b").Nanos, 0)
}

func TestRunCountsAllocations(t *testing.T) {
	var sink []byte
	results, err := pace.Run([]measure.Work{{Name: "a", Start: func() (measure.Running, error) {
		return measure.Running{Worker: func(int) func(int) error {
			return func(n int) error {
				for range n {
					sink = make([]byte, 1024)
				}
				return nil
			}
		}}, nil
	}}})
	require.NoError(t, err)
	require.Len(t, sink, 1024)
	require.InDelta(t, 1, results[0].Allocs, 0.2)
	require.InDelta(t, 1024, results[0].Bytes, 200)
}

func TestRunTellsWhatHasFailed(t *testing.T) {
	cause := errors.New("refused")
	failing := func(int) func(int) error { return func(int) error { return cause } }
	for name, start := range map[string]func() (measure.Running, error){
		"start":  func() (measure.Running, error) { return measure.Running{}, cause },
		"worker": func() (measure.Running, error) { return measure.Running{Worker: failing}, nil },
	} {
		_, err := pace.Run([]measure.Work{{Name: name, Workers: 2, Start: start}})
		require.ErrorIs(t, err, cause)
		require.ErrorContains(t, err, name)
	}
}
