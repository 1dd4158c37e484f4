package route

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

const module = "github.com/sallyport-go/sallyport"

// lookup is one line of BenchmarkRouter, the median of the rounds.
type lookup struct {
	name      string
	endpoints int
	variables bool
	ours      float64 // nanoseconds
	bare      float64
	ratio     float64
}

// find runs the benchmark where it stands.
func find(ctx context.Context, p measure.Pace) ([]lookup, error) {
	place, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("the module is not found: %w", err)
	}
	kinds := "^BenchmarkRouter$/^500$"
	if p.Full {
		kinds = "^BenchmarkRouter$"
	}
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", kinds, //nolint:gosec // numbers of this program
		"-benchtime", p.Time.String(), "-count", strconv.Itoa(p.Rounds), ".")
	command.Dir = strings.TrimSpace(string(place))
	out, err := command.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("BenchmarkRouter: %w\n%s", err, out)
	}
	return parse(string(out))
}

// parse reads the lines of the benchmark; those of one name are one lookup.
func parse(out string) (lookups []lookup, err error) {
	samples := map[string][3][]float64{}
	var names []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) == 0 || !strings.HasPrefix(fields[0], "BenchmarkRouter/") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(fields[0], "BenchmarkRouter/"), "-")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		three := samples[name]
		for i, unit := range []string{"ns/match", "ns/httprouter", "ratio"} {
			at := slices.Index(fields, unit)
			if at < 1 {
				return nil, fmt.Errorf("BenchmarkRouter tells no %s", unit)
			}
			value, err := strconv.ParseFloat(fields[at-1], 64)
			if err != nil {
				return nil, fmt.Errorf("BenchmarkRouter: %w", err)
			}
			three[i] = append(three[i], value)
		}
		samples[name] = three
	}
	for _, name := range names {
		count, kind, _ := strings.Cut(name, "/")
		n, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("BenchmarkRouter: %w", err)
		}
		three := samples[name]
		lookups = append(lookups, lookup{
			name: count + ", " + strings.ReplaceAll(kind, "_", " "), endpoints: n, variables: strings.Contains(kind, "variable"),
			ours: measure.Median(three[0]), bare: measure.Median(three[1]), ratio: measure.Median(three[2]),
		})
	}
	if len(lookups) == 0 {
		return nil, fmt.Errorf("BenchmarkRouter has not run:\n%s", out)
	}
	return lookups, nil
}
