// Parity tells which promises of docs/parity.md have no proof yet.
//
// A promise about behavior is proved by a comment with its number in a test
// file, a statement for users by a mark with its number in a page of the
// documentation; docs/parity.md says how both are written. Run it in the root
// of the repository:
//
//	go run ./internal/parity [RL|FW|TC]
//
// It exits with 1 while a proof is missing, and when a number is written that
// the page does not know. It reads nothing outside the repository.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

func main() {
	complete, err := check(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !complete {
		os.Exit(1)
	}
}

// check opens the repository in the working directory and reports on it.
func check(args []string, out io.Writer) (complete bool, err error) {
	root, err := os.OpenRoot(".")
	if err != nil {
		return false, fmt.Errorf("parity: %w", err)
	}
	defer func() { _ = root.Close() }()
	return run(root.FS(), args, out)
}

// run reports on the repository in fsys. Without arguments it covers all
// groups, with one argument the group of that name.
func run(fsys fs.FS, args []string, out io.Writer) (complete bool, err error) {
	only := groups
	if len(args) > 0 {
		if len(args) > 1 || !slices.Contains(groups, args[0]) {
			return false, fmt.Errorf("parity: arguments %q: one of %q, or none", args, groups)
		}
		only = args
	}
	promises, err := readPage(fsys)
	if err != nil {
		return false, err
	}
	found, err := findProofs(fsys, promises)
	if err != nil {
		return false, err
	}
	return report(out, promises, found, only)
}
