package report

import "strings"

const head = `# Benchmarks

Sallyport beside what users would take instead, all in one run on one machine: ` + "`make bench`" + ` makes this page, and
` + "`make bench-check`" + ` the rows of the first table in a few minutes. The programs stand in ` + "`bench/`" + `.

Times are medians of rounds in which everything took its turn, beginning with another one each time. A ratio is one of
medians; where it has the bar "≥" it says how many times faster Sallyport is. Absolute times depend on the
machine and on what else it does; ratios do so less, and those of parallel work more than others. Whatever was left out is told where it would stand.

## What has to be reached

`

// Page is the whole report.
func Page(machine Table, sections []Section) string {
	var b strings.Builder
	b.WriteString(head)
	var bars []Bar
	for _, s := range sections {
		bars = append(bars, s.Bars...)
	}
	WriteBars(&b, bars)
	Section{Title: "Machine and versions", Tables: []Table{machine}}.Write(&b)
	for _, s := range sections {
		s.Write(&b)
	}
	return b.String()
}
