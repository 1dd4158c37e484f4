package report_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/bench/internal/report"
)

func TestBars(t *testing.T) {
	for want, bar := range map[string]report.Bar{
		"decision, 20.0 ns, 50.0 ns (peer), 2.50, ≥ 1.5, ok":                   report.Faster("decision", 20, 50, "peer", 2.5, 1.5),
		"decision, 20.0 ns, 28.0 ns (peer), 1.40, ≥ 1.5, short":                report.Faster("decision", 20, 28, "peer", 1.4, 1.5),
		"memory, 70 B, none, 70.00, ≤ 64, short":                               report.AtMost("memory", "70 B", "none", 70, 64),
		"decision: allocations, 0, none, 0.00, ≤ 0, ok":                        report.NoAllocations("decision", 0.001, 0),
		"decision: allocations, 1, none, 1.00, ≤ 0, short":                     report.NoAllocations("decision", 1.001, 0),
		"lookup, 1.000 µs, 2 (httprouter), 0.50, ≤ 1.3, ok":                    {Work: "lookup", Ours: "1.000 µs", Peer: "2", Name: "httprouter", Ratio: 0.5, Bar: 1.3, Most: true},
		"sockets, 12345678.0 ns as text, 15.0 µs (net/http), 0.95, ≥ 0.95, ok": {Work: "sockets", Ours: "12345678.0 ns as text", Peer: report.Nanos(15_000), Name: "net/http", Ratio: 0.95, Bar: 0.95},
		"sockets, 20.0 ms, 1500 ns (net/http), 0.94, ≥ 0.95, short":            {Work: "sockets", Ours: report.Nanos(20e6), Peer: report.Nanos(1500), Name: "net/http", Ratio: 0.94, Bar: 0.95},
	} {
		require.Equal(t, want, bar.String())
	}
}

func TestPage(t *testing.T) {
	machine := report.Table{Columns: []string{"What", "Which"}}
	machine.Add("Go", "go1.26")
	table := report.Table{Title: "hot", Columns: []string{"Limiter", "Time"}}
	table.Add("ours", "15 µs")
	page := report.Page(machine, []report.Section{{
		Title: "Decisions", Text: "One request.", Tables: []report.Table{table}, Bars: []report.Bar{report.Faster("decision", 20, 50, "peer", 2.5, 1.5)},
	}})
	_, rest, ok := strings.Cut(page, "## What has to be reached\n\n")
	require.True(t, ok)
	require.Equal(t, `| Work     |    Ours |      Best peer | Ratio |   Bar | Verdict |
| -------- | ------: | -------------: | ----: | ----: | ------: |
| decision | 20.0 ns | 50.0 ns (peer) |  2.50 | ≥ 1.5 |      ok |

## Machine and versions

| What |  Which |
| ---- | -----: |
| Go   | go1.26 |

## Decisions

One request.

### hot

| Limiter |  Time |
| ------- | ----: |
| ours    | 15 µs |
`, rest)
}

func TestMachineTellsWhatIsThere(t *testing.T) {
	var names []string
	for _, row := range report.Machine(t.Context()).Rows {
		names = append(names, row[0])
		require.NotEmpty(t, row[1])
	}
	require.Subset(t, names, []string{"Processor", "Memory", "Go", "redis-server", "wrk"})
}
