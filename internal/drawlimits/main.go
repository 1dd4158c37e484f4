// Drawlimits draws the pictures of docs/rate-limiting.md: which requests of
// three clients each algorithm admits, and which it refuses. Nothing in them is
// made up, every mark is a decision of package ratelimit. Run it in the root of
// the repository, after a change of an algorithm or of the pictures:
//
//	go run ./internal/drawlimits
package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/sallyport-go/sallyport/ratelimit"
)

const folder = "docs/images"

// files are the pictures by the names of their files.
var files = []struct {
	name      string
	algorithm ratelimit.BuiltIn
}{
	{"fixed-window.svg", ratelimit.FixedWindow},
	{"sliding-window.svg", ratelimit.SlidingWindow},
	{"token-bucket.svg", ratelimit.TokenBucket},
}

func main() {
	if err := run(folder); err != nil {
		fmt.Fprintln(os.Stderr, "drawlimits:", err)
		os.Exit(1)
	}
}

// run writes all pictures into a folder that is there.
func run(folder string) error {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	for _, f := range files {
		lanes, err := observe(f.algorithm)
		if err != nil {
			return err
		}
		var svg bytes.Buffer
		if err := draw(&svg, f.algorithm, lanes); err != nil {
			return err
		}
		if err := dir.WriteFile(f.name, svg.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
