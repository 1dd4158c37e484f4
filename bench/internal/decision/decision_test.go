package decision

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

func TestEveryLimiterAdmitsItsQuotaOfEveryKey(t *testing.T) {
	for _, l := range slices.Concat(own, peers) {
		for quota, want := range map[int64]int{1: 1, many: 100} {
			open, err := l.open(quota)
			require.NoError(t, err)
			ask := open.worker()
			for i := range 10 {
				admitted := 0
				for range 100 {
					ok, err := ask(keys.String(i))
					require.NoError(t, err)
					if ok {
						admitted++
					}
				}
				require.Equal(t, want, admitted, "%s, %d a day", l.name, quota)
			}
			if open.stop != nil {
				open.stop()
			}
		}
	}
}

func TestWhatIsTimedFailsWithoutTheExpectedOutcome(t *testing.T) {
	list := keys.List(3)
	for _, c := range []struct {
		ok       bool
		err      error
		admitted bool
		fails    bool
	}{
		{ok: true, admitted: true},
		{ok: false, admitted: false},
		{ok: true, admitted: false, fails: true},
		{ok: false, admitted: true, fails: true},
		{ok: true, err: errors.New("broken"), admitted: true, fails: true},
	} {
		var asked []string
		err := expect(func(key string) (bool, error) { asked = append(asked, key); return c.ok, c.err }, list, 2, c.admitted)(4)
		require.Equal(t, c.fails, err != nil, c)
		if !c.fails {
			require.Equal(t, []string{list[2], list[0], list[1], list[2]}, asked)
		}
	}
}

func TestEverySituationIsTimed(t *testing.T) {
	for _, s := range []situation{allowed, refused, {"few keys", many, 100}} {
		results, err := s.run(measure.Pace{Rounds: 1, Time: time.Microsecond, Full: true, Log: io.Discard}, 2)
		require.NoError(t, err)
		asked := len(peers)
		if s.keys == 1 {
			asked-- // throttled gives up
		}
		require.Len(t, names(results), asked)
		require.Len(t, results, len(own)+asked)
		require.Len(t, table(s.title, results).Rows, len(results))
	}
}
