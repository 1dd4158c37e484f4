package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/bench/internal/suite"
)

// check writes the rows, and counts those that are short.
func check(ctx context.Context, w io.Writer, p measure.Pace, only string, tables bool) (short int, err error) {
	err = suite.Run(ctx, p, only, func(s report.Section) error {
		var b strings.Builder
		if tables {
			s.Write(&b)
			b.WriteString("\n")
		}
		for _, bar := range s.Bars {
			fmt.Fprintln(&b, bar)
			if !bar.OK() {
				short++
			}
		}
		_, err := io.WriteString(w, b.String())
		return err
	})
	return short, err
}
