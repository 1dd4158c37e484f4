package sallyport

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/safelog"
)

// checkInterval is the time between two runs of the checks.
const checkInterval = time.Second

// readiness runs the checks, for all who ask at once.
type readiness struct {
	health  Health
	log     *slog.Logger
	names   []string
	failing map[string]bool // as the log knows it; of the run alone

	mu   sync.Mutex
	last *checking       // nil: none yet
	busy map[string]bool // checks that have not returned
}

// checking is one run.
type checking struct {
	done   chan struct{} // closed at its end
	ended  time.Time     // zero: it is running
	report report
}

func newReadiness(h Health, log *slog.Logger) *readiness {
	return &readiness{
		health: h, log: log, names: slices.Sorted(maps.Keys(h.Checks)),
		failing: map[string]bool{}, busy: map[string]bool{},
	}
}

func (r *readiness) report(ctx context.Context, stopping bool) report {
	if stopping {
		return unavailable
	}
	if len(r.names) == 0 {
		return alive(ctx)
	}
	c, mine := r.current()
	if mine {
		r.run(context.WithoutCancel(ctx), c) // others wait for it, too
	}
	select {
	case <-c.done:
		return c.report
	case <-ctx.Done():
		return unavailable
	}
}

// current is the run to wait for; mine: the caller has to do it.
func (r *readiness) current() (c *checking, mine bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c = r.last; c != nil && (c.ended.IsZero() || time.Since(c.ended) < checkInterval) {
		return c, false
	}
	r.last = &checking{done: make(chan struct{})}
	return r.last, true
}

func (r *readiness) run(ctx context.Context, c *checking) {
	ctx, cancel := context.WithTimeout(ctx, r.health.Timeout)
	defer cancel()
	answer := alive(ctx)
	for name, err := range r.failures(ctx) {
		if answer.Checks == nil {
			answer = report{Status: "unavailable", Checks: map[string]string{}}
		}
		answer.Checks[name] = "failed"
		if !r.failing[name] {
			safelog.Warn(ctx, r.log, "a check of readiness fails", slog.String("check", name), slog.Any("error", err))
		}
	}
	for _, name := range r.names {
		failing := answer.Checks[name] != ""
		if r.failing[name] && !failing {
			safelog.Warn(ctx, r.log, "a check of readiness passes again", slog.String("check", name))
		}
		r.failing[name] = failing
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c.ended, c.report = time.Now(), answer
	close(c.done)
}

var errCheckRuns = errors.New("it has not returned since it was called before")

// failures runs the checks and returns what does not pass in time.
func (r *readiness) failures(ctx context.Context) map[string]error {
	type result struct {
		name string
		err  error
	}
	failures := make(map[string]error)
	results := make(chan result, len(r.names)) // nobody may be there for a late one
	started := 0
	for _, name := range r.names {
		if !r.begin(name) {
			failures[name] = errCheckRuns
			continue
		}
		started++
		failures[name] = context.DeadlineExceeded // until it says something else
		go func() {
			err := part.Ask(func() error { return r.health.Checks[name](ctx) })
			r.end(name)
			results <- result{name, err}
		}()
	}
	for range started {
		select {
		case done := <-results:
			if failures[done.name] = done.err; done.err == nil {
				delete(failures, done.name)
			}
		case <-ctx.Done():
			return failures
		}
	}
	return failures
}

func (r *readiness) begin(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy[name] {
		return false
	}
	r.busy[name] = true
	return true
}

func (r *readiness) end(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, name)
}
