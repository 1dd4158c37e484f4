package main

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// proofs are the numbers that have been found.
type proofs struct {
	tests map[string]bool // in comments of test files
	marks map[string]bool // in marks of the documentation
}

var (
	// shorthand is a list or a range whose numbers are not all written out.
	// They would silently not count.
	shorthand = regexp.MustCompile(`\b(?:RL|FW|TC)-[0-9]+\s*` +
		`(?:(?:to\b|\.{2,}|–|-)\s*(?:(?:RL|FW|TC)-)?[0-9]{2,}|(?:,|/|and\b|&)\s*[0-9]{3}\b)`)

	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
)

// findProofs reads every test file and every page in fsys. Its error joins all
// numbers that the promises do not know or that are not written out.
func findProofs(fsys fs.FS, promises []promise) (proofs, error) {
	known := map[string]bool{}
	for _, p := range promises {
		known[p.number] = true
	}
	found := proofs{tests: map[string]bool{}, marks: map[string]bool{}}
	var faults []error
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && ignored(name):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		into, comments := found.tests, testComments
		if isPage(name) {
			into, comments = found.marks, pageComments
		} else if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		for _, c := range comments(text) {
			faults = append(faults, c.collect(name, known, into)...)
		}
		return nil
	})
	return found, errors.Join(append(faults, err)...)
}

// ignored tells the folders that the go command does not look into, either.
func ignored(folder string) bool {
	base := path.Base(folder)
	return base == "testdata" || base == "vendor" || base == "node_modules" ||
		folder != "." && (base[0] == '.' || base[0] == '_')
}

func isPage(name string) bool {
	return name == "README.md" ||
		strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md" && name != pagePath
}

// comment is a comment with the line it starts on.
type comment struct {
	line int
	text string
}

// collect puts the numbers of c into found and returns its faults.
func (c comment) collect(name string, known, found map[string]bool) (faults []error) {
	fault := func(at int, format string, args ...any) {
		line := c.line + strings.Count(c.text[:at], "\n")
		faults = append(faults, fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...)))
	}
	for _, at := range shorthand.FindAllStringIndex(c.text, -1) {
		fault(at[0], "%q: write each number out, separated by commas", c.text[at[0]:at[1]])
	}
	for _, at := range number.FindAllStringIndex(c.text, -1) {
		n := c.text[at[0]:at[1]]
		if !known[n] {
			fault(at[0], "%s does not stand in %s", n, pagePath)
		}
		found[n] = true
	}
	return faults
}

// testComments returns the comments of a Go file. Numbers in its strings are
// data and prove nothing.
func testComments(src []byte) (comments []comment) {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return comments
		case token.COMMENT:
			comments = append(comments, comment{file.Line(pos), text})
		}
	}
}

// pageComments returns the HTML comments of a page.
func pageComments(page []byte) (comments []comment) {
	for _, at := range htmlComment.FindAllIndex(page, -1) {
		line := 1 + strings.Count(string(page[:at[0]]), "\n")
		comments = append(comments, comment{line, string(page[at[0]:at[1]])})
	}
	return comments
}
