// Package measure times pieces of work beside each other, so that what disturbs
// the machine disturbs all of them alike.
package measure

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"time"
)

// Work is something to be timed.
type Work struct {
	Name    string
	Workers int // goroutines that share it; 0: 1

	// Start makes what is needed, anew for every round.
	Start func() (Running, error)
}

// Running is a started Work.
type Running struct {
	// Worker is a goroutine's own part: a function that does the work n times and
	// fails unless each time had the outcome that was expected.
	Worker func(i int) (do func(n int) error)

	Stop func() // nil: there is nothing to stop
}

// Pace is how thoroughly work is timed.
type Pace struct {
	Rounds int           // all works are timed once in each; the median counts
	Time   time.Duration // of one work in one round, about
	Full   bool          // with everything that has no bar
	Log    io.Writer     // gets what is being timed
}

// Result is what the rounds have told about one Work. All numbers are those of
// one time and of all workers together.
type Result struct {
	Name          string
	Nanos         float64 // median
	Least, Most   float64 // of the rounds, in nanoseconds
	Allocs, Bytes float64 // medians

	nanos, allocs, bytes []float64
	n                    int
}

// Run times the works: in each round one after the other, each round beginning
// with another one.
func (p Pace) Run(works []Work) (Results, error) {
	results := make(Results, len(works))
	for round := range p.Rounds {
		for i := range works {
			i = (i + round) % len(works)
			results[i].Name = works[i].Name
			if err := p.time(works[i], &results[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", works[i].Name, err)
			}
		}
		_, _ = fmt.Fprint(p.Log, ".")
	}
	for i := range results {
		r := &results[i]
		r.Nanos, r.Allocs, r.Bytes = Median(r.nanos), Median(r.allocs), Median(r.bytes)
		r.Least, r.Most = slices.Min(r.nanos), slices.Max(r.nanos)
	}
	return results, nil
}

// time adds one sample. How often the work is done is found out once.
func (p Pace) time(w Work, r *Result) error {
	running, err := w.Start()
	if err != nil {
		return err
	}
	if running.Stop != nil {
		defer running.Stop()
	}
	workers := make([]func(int) error, max(w.Workers, 1))
	for i := range workers {
		workers[i] = running.Worker(i)
	}
	runtime.GC()
	if r.n == 0 {
		r.n, err = p.times(workers)
	} else {
		_, err = each(workers, r.n/8+1)
	}
	if err != nil {
		return err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took, err := each(workers, r.n)
	runtime.ReadMemStats(&after)
	n := float64(r.n * len(workers))
	r.nanos = append(r.nanos, float64(took)/n)
	r.allocs = append(r.allocs, float64(after.Mallocs-before.Mallocs)/n)
	r.bytes = append(r.bytes, float64(after.TotalAlloc-before.TotalAlloc)/n)
	return err
}

// times is how often each worker has to do the work for the time of the pace.
func (p Pace) times(workers []func(int) error) (int, error) {
	for n := 1; ; n *= 4 {
		took, err := each(workers, n)
		if err != nil {
			return 0, err
		}
		if took >= p.Time/8 {
			return max(1, int(float64(n)*float64(p.Time)/float64(took))), nil
		}
	}
}

// each lets all workers do the work n times.
func each(workers []func(int) error, n int) (time.Duration, error) {
	if len(workers) == 1 {
		start := time.Now()
		err := workers[0](n)
		return time.Since(start), err
	}
	var all sync.WaitGroup
	begin, errs := make(chan struct{}), make([]error, len(workers))
	for i, do := range workers {
		all.Go(func() {
			<-begin
			errs[i] = do(n)
		})
	}
	start := time.Now()
	close(begin)
	all.Wait()
	return time.Since(start), errors.Join(errs...)
}

// Median is the one in the middle, or the mean of the two there.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
