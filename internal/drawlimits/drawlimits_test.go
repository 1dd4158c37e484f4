package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The pictures of the repository are those that the program draws today.
func TestThePicturesAreUpToDate(t *testing.T) {
	drawn := t.TempDir()
	require.NoError(t, run(drawn))
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(drawn, f.name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join("../..", folder, f.name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "%s is out of date: go run ./internal/drawlimits", f.name)
	}
}

// What the guide says of the pictures is what they show.
func TestObserve(t *testing.T) {
	type seen struct{ admitted, most int }
	for _, tc := range []struct {
		algorithm            ratelimit.BuiltIn
		burst, steady, eager seen
	}{
		{ratelimit.FixedWindow, seen{20, 20}, seen{18, 9}, seen{20, 10}},
		{ratelimit.SlidingWindow, seen{10, 10}, seen{18, 9}, seen{19, 10}},
		{ratelimit.TokenBucket, seen{11, 11}, seen{18, 9}, seen{29, 2*limit - 1}},
	} {
		t.Run(tc.algorithm.Name(), func(t *testing.T) {
			lanes, err := observe(tc.algorithm)
			require.NoError(t, err)
			var got []seen
			for _, l := range lanes {
				_, most := l.busiest()
				got = append(got, seen{l.admitted(0, shown), most})
			}
			require.Equal(t, []seen{tc.burst, tc.steady, tc.eager}, got)
		})
	}
}

// The guide says how far a sliding window can be off.
func TestTheSlidingWindowTakesTheWindowBeforeForEven(t *testing.T) {
	l, err := ask(ratelimit.SlidingWindow, client{at: append(every(time.Millisecond, interval-limit*time.Millisecond, interval), every(time.Second, interval, shown)...)})
	require.NoError(t, err)
	require.Equal(t, limit, l.admitted(0, interval), "all at the end of the first window")
	for _, tc := range []struct {
		after time.Duration // since that end
		n     int           // admitted in the second window
	}{
		{5 * time.Second, 0},
		{interval / 2, limit/2 - 1},
		{interval, limit - 1},
	} {
		require.Equal(t, tc.n, l.admitted(interval, interval+tc.after))
	}
}

// Every request is one mark, above the line or below it.
func TestDrawMarksEveryRequest(t *testing.T) {
	for _, f := range files {
		lanes, err := observe(f.algorithm)
		require.NoError(t, err)
		var svg bytes.Buffer
		require.NoError(t, draw(&svg, f.algorithm, lanes))

		accepted, refused := 0, 0
		for _, l := range lanes {
			n := l.admitted(0, shown)
			accepted, refused = accepted+n, refused+len(l.at)-n
		}
		require.Equal(t, map[string]int{"yes": accepted + 1, "no": refused + 1, "band": len(lanes) + 1, "paper": 1}, // one each in the legend
			rects(t, &svg), f.name)
	}
}

// rects counts the rectangles of a picture by their class, and so checks that it
// is well-formed.
func rects(t *testing.T, svg io.Reader) map[string]int {
	t.Helper()
	count := map[string]int{}
	for decoder := xml.NewDecoder(svg); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return count
		}
		require.NoError(t, err)
		element, isStart := token.(xml.StartElement)
		if !isStart || element.Name.Local != "rect" {
			continue
		}
		for _, a := range element.Attr {
			if a.Name.Local == "class" {
				count[a.Value]++
			}
		}
	}
}

func TestRunNeedsTheFolder(t *testing.T) {
	require.ErrorIs(t, run(filepath.Join(t.TempDir(), "elsewhere")), fs.ErrNotExist)
}
