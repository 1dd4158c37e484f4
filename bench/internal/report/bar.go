// Package report writes down what was measured: tables for people, and the rows
// that have a bar.
package report

import "fmt"

// Bar is one row of the comparison that has to be reached.
type Bar struct {
	Work  string
	Ours  string // the number with its unit
	Peer  string // the best peer's number with its unit; "": there is no peer
	Name  string // of the best peer, or of what else it is held against
	Ratio float64
	Bar   float64
	Most  bool // the bar is a bound from above
}

// OK reports whether the bar is reached.
func (b Bar) OK() bool {
	if b.Most {
		return b.Ratio <= b.Bar
	}
	return b.Ratio >= b.Bar
}

// Verdict is "ok" or "short".
func (b Bar) Verdict() string {
	if b.OK() {
		return "ok"
	}
	return "short"
}

// Need is the bar as text.
func (b Bar) Need() string {
	sign := "≥"
	if b.Most {
		sign = "≤"
	}
	return fmt.Sprintf("%s %.4g", sign, b.Bar)
}

// Against is the best peer as text.
func (b Bar) Against() string {
	if b.Peer == "" {
		return b.Name
	}
	return fmt.Sprintf("%s (%s)", b.Peer, b.Name)
}

// String is the row as a line.
func (b Bar) String() string {
	return fmt.Sprintf("%s, %s, %s, %.2f, %s, %s", b.Work, b.Ours, b.Against(), b.Ratio, b.Need(), b.Verdict())
}

// Faster is a row that says how many times faster ours is, in nanoseconds.
func Faster(work string, ours, peer float64, name string, ratio, bar float64) Bar {
	return Bar{Work: work, Ours: Nanos(ours), Peer: Nanos(peer), Name: name, Ratio: ratio, Bar: bar}
}

// AtMost is a row that says how much of something there is.
func AtMost(work, ours, name string, value, bar float64) Bar {
	return Bar{Work: work, Ours: ours, Name: name, Ratio: value, Bar: bar, Most: true}
}

// NoAllocations is a row that asks for at most so many allocations.
func NoAllocations(work string, allocs, most float64) Bar {
	allocs = float64(int64(allocs*100+0.5)) / 100 // what happens once in a round is none
	return AtMost(work+": allocations", fmt.Sprintf("%.4g", allocs), "none", allocs, most)
}

// Nanos is a time with its unit.
func Nanos(n float64) string {
	switch {
	case n < 100:
		return fmt.Sprintf("%.1f ns", n)
	case n < 10_000:
		return fmt.Sprintf("%.0f ns", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f µs", n/1e3)
	default:
		return fmt.Sprintf("%.1f ms", n/1e6)
	}
}
