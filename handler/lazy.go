package handler

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// LazyInfo is what a program must know of a handler that is not built yet.
type LazyInfo struct {
	// RateLimits are the handler's own limits, as of [api.RateLimited]. Those
	// that the built handler itself brings come too late and are not looked at.
	RateLimits []ratelimit.Rule

	// Description is what documents say of the handler. The presenter reads the
	// parameters that stand here, so those of the built handler have to be among
	// them, and checks its answers by the outputs that stand here.
	Description api.Description
}

// Lazy is the handler that build makes when its first request comes, for what is
// dear to make and seldom asked for. Other requests for it wait meanwhile, each
// no longer than its own context.
//
// build runs until it succeeds once. Its error is the error of all requests that
// waited for it, and the next request tries again; so it is after a panic, and
// with a handler that is nil, whose Validate reports a mistake, or that declares a
// parameter that info does not have.
func Lazy(build func() (api.Handler, error), info LazyInfo) api.Handler {
	return &lazy{build: build, info: info}
}

type lazy struct {
	build func() (api.Handler, error)
	info  LazyInfo

	// current is the attempt that runs or that succeeded. Only the request that
	// put it here takes it away.
	current atomic.Pointer[attempt]
}

// attempt is one run of build. Its result may be read when done is closed.
type attempt struct {
	done    chan struct{}
	handler api.Handler
	err     error
}

// Validate refuses a nil function.
func (l *lazy) Validate() error {
	if l.build == nil {
		return errors.New("handler.Lazy: the function is nil")
	}
	return nil
}

// RateLimits are those of the LazyInfo.
func (l *lazy) RateLimits() []ratelimit.Rule { return l.info.RateLimits }

// Describe is the description of the LazyInfo.
func (l *lazy) Describe() api.Description { return l.info.Description }

// Unwrap is the built handler, or nil as long as there is none.
func (l *lazy) Unwrap() api.Handler {
	a := l.current.Load()
	if a == nil {
		return nil
	}
	select {
	case <-a.done:
		return a.handler
	default:
		return nil
	}
}

func (l *lazy) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	h, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	return h.Handle(ctx, r)
}

func (l *lazy) get(ctx context.Context) (api.Handler, error) {
	for {
		if a := l.current.Load(); a != nil {
			select {
			case <-a.done:
				return a.handler, a.err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if a := (&attempt{done: make(chan struct{})}); l.current.CompareAndSwap(nil, a) {
			l.run(a)
			return a.handler, a.err
		}
	}
}

func (l *lazy) run(a *attempt) {
	a.err = errors.New("handler: the build of a lazy handler did not return") // unless it does
	defer func() {
		if a.err != nil {
			a.handler = nil
			l.current.Store(nil)
		}
		close(a.done)
	}()
	h, err := l.build()
	switch {
	case err != nil:
		a.err = fmt.Errorf("handler: build a lazy handler: %w", err)
	case h == nil:
		a.err = errors.New("handler: the build of a lazy handler returned neither a handler nor an error")
	default:
		a.handler = h
		a.err = part.Within("handler: build a lazy handler", errors.Join(part.Mistakes(h), l.unread(h)))
	}
}

// unread are the parameters of a built handler that nobody reads, because the
// presenter did not know of them.
func (l *lazy) unread(h api.Handler) error {
	var errs []error
	err := part.Ask(func() error {
		parts, err := part.Unwrapped(h)
		if err != nil {
			return err
		}
		known := map[declared]bool{}
		for _, p := range l.info.Description.Params {
			known[declarationOf(p)] = true
		}
		for _, p := range describedBy(parts).Params {
			if d := declarationOf(p); !known[d] {
				errs = append(errs, fmt.Errorf("its %s parameter %q is not read: LazyInfo.Description has no such one", d.in, d.name))
			}
		}
		return nil
	})
	return errors.Join(append(errs, err)...)
}

// declared tells parameters apart.
type declared struct {
	in   api.Source
	name string
	kind reflect.Type // of the parameter, and so of its value
}

func declarationOf(p api.Param) declared {
	input, _ := p.Input() // of one with a mistake as well
	return declared{input.In, input.Name, reflect.TypeOf(p)}
}
