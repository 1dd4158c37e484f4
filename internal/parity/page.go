package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// pagePath is the page that lists the promises.
const pagePath = "docs/parity.md"

// groups are the prefixes of the numbers, in the order of the report.
var groups = []string{"RL", "FW", "TC"}

// promise is one row of the page.
type promise struct {
	number    string // "RL-046"
	title     string
	needsTest bool
	needsMark bool // a mark in a page of the documentation
}

func (p promise) group() string { return p.number[:2] }

// kinds tells for each kind of the page what proves it.
var kinds = map[string]struct{ test, mark, exempt bool }{
	"A": {test: true}, "B": {test: true}, "T": {test: true}, "I": {test: true},
	"K": {test: true}, "FIX": {test: true}, "C": {test: true},
	"PORT": {test: true}, "ADAPT": {test: true}, "ADD": {test: true},
	"D": {mark: true},
	"N": {exempt: true}, "SKIP": {exempt: true},
}

var (
	number   = regexp.MustCompile(`\b(?:RL|FW|TC)-[0-9]+\b`)
	rowStart = regexp.MustCompile(`^\|\s*(?:RL|FW|TC)-`)
)

// readPage reads the rows of the page in their order. Its error joins all
// faults of the page.
func readPage(fsys fs.FS) ([]promise, error) {
	page, err := fs.ReadFile(fsys, pagePath)
	if err != nil {
		return nil, fmt.Errorf("parity: %w", err)
	}
	var (
		promises []promise
		faults   []error
		seen     = map[string]bool{}
	)
	lines := bufio.NewScanner(bytes.NewReader(page))
	for line := 1; lines.Scan(); line++ {
		if !rowStart.MatchString(lines.Text()) {
			continue
		}
		p, err := parseRow(lines.Text())
		if err == nil && seen[p.number] {
			err = fmt.Errorf("%s stands twice", p.number)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", pagePath, line, err))
			continue
		}
		seen[p.number] = true
		promises = append(promises, p)
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", pagePath, err))
	}
	return promises, errors.Join(faults...)
}

// parseRow parses "| number | kinds | title | decision |".
func parseRow(row string) (promise, error) {
	cells := strings.Split(row, "|")
	if len(cells) != 6 {
		return promise{}, fmt.Errorf("a row has four columns: %q", row)
	}
	p := promise{number: strings.TrimSpace(cells[1]), title: strings.TrimSpace(cells[3])}
	if number.FindString(p.number) != p.number {
		return promise{}, fmt.Errorf("%q is no number", p.number)
	}
	if p.title == "" {
		return promise{}, fmt.Errorf("%s has no title", p.number)
	}
	named := strings.Fields(cells[2])
	if len(named) == 0 {
		return promise{}, fmt.Errorf("%s has no kind", p.number)
	}
	exempt := false
	for _, name := range named {
		kind, ok := kinds[name]
		if !ok {
			return promise{}, fmt.Errorf("%s: kind %q is unknown", p.number, name)
		}
		p.needsTest = p.needsTest || kind.test
		p.needsMark = p.needsMark || kind.mark
		exempt = exempt || kind.exempt
	}
	if exempt {
		p.needsTest, p.needsMark = false, false
	}
	return p, nil
}
