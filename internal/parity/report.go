package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// report prints what is not proved in the groups only, and a line with the
// counts. It reports whether nothing is missing.
func report(out io.Writer, promises []promise, found proofs, only []string) (complete bool, err error) {
	var text strings.Builder
	var counts []string
	complete = true
	for _, group := range groups {
		if !slices.Contains(only, group) {
			continue
		}
		missing, proven, total := unproved(promises, found, group)
		if len(missing) > 0 {
			fmt.Fprintf(&text, "%s without proof:\n  %s\n\n", group, strings.Join(missing, "\n  "))
			complete = false
		}
		counts = append(counts, fmt.Sprintf("%s %d/%d proven", group, proven, total))
	}
	text.WriteString(strings.Join(counts, ", ") + "\n")
	_, err = io.WriteString(out, text.String())
	return complete, err
}

// unproved returns a line for each promise of the group that lacks a proof.
// Promises that need none are not in the total.
func unproved(promises []promise, found proofs, group string) (missing []string, proven, total int) {
	for _, p := range promises {
		if p.group() != group || !p.needsTest && !p.needsMark {
			continue
		}
		total++
		var needs []string
		if p.needsTest && !found.tests[p.number] {
			needs = append(needs, "a test")
		}
		if p.needsMark && !found.marks[p.number] {
			needs = append(needs, "a mark in a page")
		}
		if len(needs) == 0 {
			proven++
			continue
		}
		missing = append(missing, fmt.Sprintf("%s  %s (needs %s)", p.number, p.title, strings.Join(needs, " and ")))
	}
	return missing, proven, total
}
