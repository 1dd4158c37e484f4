package stack

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

func TestEveryStackAnswers(t *testing.T) {
	for _, s := range All {
		h, err := s.Build(1)
		require.NoError(t, err, s.Name)
		x, err := newExchange(http.MethodGet, Path, "")
		require.NoError(t, err)

		if s.Name != Bare {
			x.request.Header.Set("Authorization", "Bearer wrong")
			h401, err := s.Build(Many)
			require.NoError(t, err, s.Name)
			x.serve(h401)
			require.Equal(t, http.StatusUnauthorized, x.answer.status, s.Name)
			x.request.Header.Set("Authorization", Fields()["Authorization"])
		}
		x.serve(h)
		require.Equal(t, http.StatusOK, x.answer.status, s.Name)
		require.InDelta(t, len(`{"id":"42","name":"widget","qty":7}`), x.answer.bytes, 60, s.Name) // huma adds a link
		require.Equal(t, s.Fields, tells(x.answer.header), s.Name)

		x.serve(h)
		if s.Name == Bare {
			require.Equal(t, http.StatusOK, x.answer.status)
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, x.answer.status, s.Name)
		require.Equal(t, s.Fields, tells(x.answer.header), s.Name)
		x.request.RemoteAddr = "10.9.9.9:1"
		x.serve(h)
		require.Equal(t, http.StatusOK, x.answer.status, "%s counts by address", s.Name)
	}
}

// tells reports whether the header says how many requests are left.
func tells(h http.Header) bool {
	return h.Get("RateLimit") != "" && h.Get("RateLimit-Policy") != "" || h.Get("X-RateLimit-Remaining") != ""
}

func TestTypedStacksReadAndRefuseTheSameInput(t *testing.T) {
	for _, s := range typed {
		h, err := s.Build(Many)
		require.NoError(t, err, s.Name)
		for _, c := range []struct {
			uri, body string
			ok        bool
		}{
			{Path + "?notify=true", typedBody, true},
			{path + "0?notify=true", typedBody, false},
			{path + "x?notify=true", typedBody, false},
			{Path + "?notify=maybe", typedBody, false},
			{Path + "?notify=true", `{"name":"","qty":7,"tags":["new","blue"]}`, false},
			{Path + "?notify=true", `{"name":"widget","qty":1001,"tags":["new","blue"]}`, false},
			{Path + "?notify=true", `{"qty":7,"tags":["new","blue"]}`, false},
			{Path + "?notify=true", `{"name":"widget","qty":7,"tags":["new","blue"],"more":1}`, false},
			{Path + "?notify=true", `{"name":"widget","qty":7,"tags":[1,2]}`, false},
		} {
			x, err := newExchange(http.MethodPut, c.uri, c.body)
			require.NoError(t, err)
			x.serve(h)
			if c.ok {
				require.Equal(t, http.StatusOK, x.answer.status, s.Name)
			} else {
				require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, x.answer.status, "%s: %s %s", s.Name, c.uri, c.body)
			}
		}
	}
}

func TestEverySituationIsTimed(t *testing.T) {
	all := map[string]measure.Results{}
	for _, s := range []situation{accepted, refused, validate} {
		results, err := s.run(measure.Pace{Rounds: 1, Time: time.Microsecond, Log: io.Discard}, 1)
		require.NoError(t, err)
		require.Len(t, table(s.title, results).Rows, len(results))
		all[s.title] = results
	}
	require.Len(t, bars(all), 6)
	results, err := accepted.run(measure.Pace{Rounds: 1, Time: time.Microsecond, Log: io.Discard}, 2)
	require.NoError(t, err)
	require.Len(t, results, len(All)-1) // throttled gives up
}

func TestNamed(t *testing.T) {
	for _, name := range []string{Ours, Default, Echo, Bare} {
		s, ok := Named(name)
		require.True(t, ok)
		require.Equal(t, name, s.Name)
	}
	_, ok := Named("another")
	require.False(t, ok)
}
