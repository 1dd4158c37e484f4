package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Section is one subject of the report.
type Section struct {
	Title  string
	Text   string // what was measured and how it was kept honest
	Tables []Table
	Bars   []Bar
}

// Table is a table of the report. The columns behind the first are numbers. No
// name of a column is shorter than two characters.
type Table struct {
	Title   string // "": that of the section
	Columns []string
	Rows    [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write appends the section in Markdown.
func (s Section) Write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n", s.Title)
	if s.Text != "" {
		fmt.Fprintf(b, "\n%s\n", s.Text)
	}
	for _, t := range s.Tables {
		if t.Title != "" {
			fmt.Fprintf(b, "\n### %s\n", t.Title)
		}
		b.WriteString("\n")
		t.write(b)
	}
}

// WriteBars appends the rows that have a bar, in Markdown.
func WriteBars(b *strings.Builder, bars []Bar) {
	t := Table{Columns: []string{"Work", "Ours", "Best peer", "Ratio", "Bar", "Verdict"}}
	for _, bar := range bars {
		t.Add(bar.Work, bar.Ours, bar.Against(), fmt.Sprintf("%.2f", bar.Ratio), bar.Need(), bar.Verdict())
	}
	t.write(b)
}

func (t Table) write(b *strings.Builder) {
	widths := make([]int, len(t.Columns))
	for _, row := range append([][]string{t.Columns}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	line := func(cells []string) {
		for i, cell := range cells {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				fmt.Fprintf(b, "| %s%s |", cell, space)
			} else {
				fmt.Fprintf(b, " %s%s |", space, cell)
			}
		}
		b.WriteString("\n")
	}
	line(t.Columns)
	rule := make([]string, len(t.Columns))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", width-1) + ":"
	}
	rule[0] = strings.Repeat("-", widths[0])
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
}
