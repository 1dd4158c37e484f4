package measure

import (
	"math"
	"slices"
)

// Results are those of one run, in the order of its works.
type Results []Result

// Of is the result with that name. There is one, or the program is wrong.
func (r Results) Of(name string) Result {
	i := slices.IndexFunc(r, func(one Result) bool { return one.Name == name })
	if i < 0 {
		panic("measure: nothing was timed under the name " + name)
	}
	return r[i]
}

// Fastest is the fastest of those that are named; all of them are there.
func (r Results) Fastest(names ...string) Result {
	best := Result{Nanos: math.Inf(1)}
	for _, name := range names {
		if one := r.Of(name); one.Nanos < best.Nanos {
			best = one
		}
	}
	return best
}

// Ratio is how many times as long the other one takes.
func (r Result) Ratio(other Result) float64 { return other.Nanos / r.Nanos }
