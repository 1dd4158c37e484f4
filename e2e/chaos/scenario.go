package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"
)

// scenario is one thing that goes wrong, and what is promised for it.
type scenario struct {
	name    string // "redis/killed"
	promise string
	bound   time.Duration // of a short run; 0: a minute. A long one has ten times as much
	run     func(t *trial)
}

// outcome is what became of a scenario.
type outcome struct {
	scenario
	measured string
	broken   []string // promises that were not kept
	starved  bool     // while others had the machine
}

func (o outcome) verdict() string {
	if len(o.broken) > 0 {
		return "broken"
	}
	return "ok"
}

// trial is a scenario at work. It is a testing.TB, so that the helpers of tests
// work in it.
type trial struct {
	testing.TB                 // what is not overridden here must not be called
	ctx        context.Context //nolint:containedctx // a trial is a test
	short      bool

	mu       sync.Mutex
	starved  bool // others had the machine, see watchStalls
	measured []string
	broken   []string
	cleanups []func()
}

// abandoned is the panic of a trial that cannot go on.
type abandoned struct{ why string }

// started is when this program was.
var started = time.Now()

// try runs a scenario. One that is broken is tried again, twice at most, when
// others had the machine meanwhile: no server keeps 100 ms without a processor.
func (s scenario) try(ctx context.Context, short bool) outcome {
	o := s.once(ctx, short)
	for n := 2; n <= 3 && len(o.broken) > 0 && o.starved && ctx.Err() == nil && (!short || time.Since(started) < 4*time.Minute); n++ {
		o = s.once(ctx, short)
		o.measured += fmt.Sprintf("; at the %d. attempt, as the machine was starved", n)
	}
	return o
}

// once runs a scenario for no longer than its bound.
func (s scenario) once(ctx context.Context, short bool) outcome {
	bound := s.bound
	if bound == 0 {
		bound = time.Minute
	}
	if !short {
		bound *= 10
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	t := &trial{ctx: ctx, short: short}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		defer func() {
			switch p := recover().(type) {
			case nil:
			case abandoned:
				t.check(false, "%s", p.why)
			default:
				t.check(false, "panic: %v\n%s", p, debug.Stack())
			}
		}()
		s.run(t)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(10 * time.Second):
			t.check(false, "it did not end in %s", bound)
			t.cleanUp()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return outcome{scenario: s, measured: strings.Join(t.measured, "; "), broken: t.broken, starved: t.starved}
}

// check notes a broken promise and goes on. It returns ok.
func (t *trial) check(ok bool, format string, args ...any) bool {
	if !ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		if len(t.broken) < 20 {
			t.broken = append(t.broken, fmt.Sprintf(format, args...))
		}
	}
	return ok
}

// measure adds to what the table shows.
func (t *trial) measure(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.measured = append(t.measured, fmt.Sprintf(format, args...))
}

// must ends the trial: the scenario itself could not be set up.
func (t *trial) must(err error) {
	if err != nil {
		panic(abandoned{err.Error()})
	}
}

// pick is a size or a duration of a short and of a long run.
func pick[T any](t *trial, short, long T) T {
	if t.short {
		return short
	}
	return long
}

// sleep waits, and ends the trial with its context.
func (t *trial) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.ctx.Done():
		panic(abandoned{"out of time"})
	}
}

// within waits for something to come true and returns how long that took.
func (t *trial) within(d time.Duration, what string, ok func() bool) time.Duration {
	begin := time.Now()
	for !ok() {
		if time.Since(begin) > d {
			t.check(false, "%s: not within %s", what, d)
			break
		}
		t.sleep(10 * time.Millisecond)
	}
	return time.Since(begin)
}

func (t *trial) cleanUp() {
	for {
		t.mu.Lock()
		if len(t.cleanups) == 0 {
			t.mu.Unlock()
			return
		}
		last := t.cleanups[len(t.cleanups)-1]
		t.cleanups = t.cleanups[:len(t.cleanups)-1]
		t.mu.Unlock()
		last()
	}
}

// The rest is what helpers of tests call.

func (t *trial) Helper()                  {}
func (t *trial) Context() context.Context { return t.ctx }
func (t *trial) FailNow()                 { panic(abandoned{"the scenario cannot go on"}) }
func (t *trial) Fatal(args ...any)        { panic(abandoned{fmt.Sprint(args...)}) }

func (t *trial) Errorf(format string, args ...any) { t.check(false, format, args...) }

func (t *trial) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

func (t *trial) TempDir() string {
	dir, err := os.MkdirTemp("", "chaos")
	t.must(err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
