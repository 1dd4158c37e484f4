package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"
)

// The table stands between these in a file that has them.
const (
	tableBegin = "<!-- chaos: begin -->\n"
	tableEnd   = "<!-- chaos: end -->\n"
)

// writeTable puts the table of the outcomes into a file of Markdown, in place of
// the one that is there.
func writeTable(file string, outcomes []outcome) error {
	var table strings.Builder
	table.WriteString(tableBegin)
	fmt.Fprintf(&table, "%s, %s/%s, %d processors, %s:\n\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	table.WriteString("| tried | promised | measured | |\n| --- | --- | --- | --- |\n")
	for _, o := range outcomes {
		fmt.Fprintf(&table, "| %s | %s | %s | %s |\n", cell(o.name), cell(o.promise), cell(o.measured), o.verdict())
	}
	table.WriteString(tableEnd)

	old, err := os.ReadFile(file) //nolint:gosec // the user says which file
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before, rest, found := bytes.Cut(old, []byte(tableBegin))
	_, after, ended := bytes.Cut(rest, []byte(tableEnd))
	switch {
	case len(old) == 0:
	case !found || !ended:
		return fmt.Errorf("%s: there are no lines %q and %q for the table to stand between", file, tableBegin, tableEnd)
	}
	return os.WriteFile(file, bytes.Join([][]byte{before, after}, []byte(table.String())), 0o644) //nolint:gosec // a document
}

var cells = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")

func cell(s string) string { return cells.Replace(s) }
