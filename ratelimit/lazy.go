package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// Lazy is the storage that open makes when the first request needs it, so a
// storage that is down when the program starts fails no start, and endpoints
// without a limit never connect to it.
//
// open runs in a goroutine of its own, and never twice at a time. Its context has
// the values of the request that needs the storage, but not its end: it ends
// after 10 seconds, and open must return then. The request waits for it as long
// as its gate's budget lasts. A slower attempt goes on without it, and so does
// one whose client has gone. Meanwhile, and for a second after an attempt has
// failed, the storage is unavailable to everybody else at once.
//
// The storage is asked several limits in one go if it is a [BatchStorage]. A
// [Preparer] is told what it is going to be asked when it is opened: an algorithm
// that it cannot run is then a [Bug], not a mistake at build.
func Lazy(open func(ctx context.Context) (Storage, error)) Storage { return &lazyStorage{open: open} }

const (
	// openingTime is how long an attempt may take. It is much longer than the
	// budget of a gate: a connection that needs more than that must succeed once.
	openingTime = 10 * time.Second

	// retryEvery is how long a failed attempt is not repeated.
	retryEvery = time.Second
)

type lazyStorage struct {
	open func(ctx context.Context) (Storage, error)

	mu      sync.Mutex
	storage Storage       // nil until open has succeeded
	opening bool          // an attempt runs
	failed  time.Time     // when the last one failed, by the monotonic clock
	err     error         // how
	groups  [][]Algorithm // what the storage has to be prepared for
}

var (
	_ BatchStorage = (*lazyStorage)(nil)
	_ Preparer     = (*lazyStorage)(nil)
)

var errOpening = errors.New("it is being opened")

// Validate refuses a nil function.
func (l *lazyStorage) Validate() error { return requireFunc(l.open == nil) }

// Prepare remembers the group until the storage is opened.
func (l *lazyStorage) Prepare(algorithms []Algorithm) error {
	l.mu.Lock()
	s := l.storage
	if s == nil {
		l.groups = append(l.groups, slices.Clone(algorithms))
	}
	l.mu.Unlock()
	if p, ok := s.(Preparer); ok {
		return p.Prepare(algorithms)
	}
	return nil
}

func (l *lazyStorage) Consume(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error) {
	s, err := l.get(ctx)
	if err != nil {
		return Decision{}, err
	}
	return s.Consume(ctx, key, a, t)
}

func (l *lazyStorage) ConsumeAll(ctx context.Context, items []Item, dst []Decision) ([]Decision, error) {
	s, err := l.get(ctx)
	if err != nil {
		return dst, err
	}
	if b, ok := s.(BatchStorage); ok {
		return b.ConsumeAll(ctx, items, dst)
	}
	for _, i := range items {
		d, err := consumeItem(ctx, s, i)
		if err != nil {
			return dst, err
		}
		if dst = append(dst, d); !d.Accepted {
			break
		}
	}
	return dst, nil
}

// consumeItem makes an error of a panic: the items before it have been charged,
// and what was decided about them must not be lost.
func consumeItem(ctx context.Context, s Storage, i Item) (d Decision, err error) {
	defer catch(&err)
	return s.Consume(ctx, i.Key, i.Algorithm, i.Take)
}

// attempt is one call of open. Its fields are valid when it is done.
type attempt struct {
	done     chan struct{}
	storage  Storage
	err      error
	panicked *PanicError
}

// get returns the storage, or why there is none. The request that makes an
// attempt gets the panic of open, too.
func (l *lazyStorage) get(ctx context.Context) (Storage, error) {
	s, mine, err := l.begin(ctx)
	if !mine {
		return s, err
	}
	a := &attempt{done: make(chan struct{})}
	go l.run(context.WithoutCancel(ctx), a)
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if a.panicked != nil {
		panic(a.panicked.Value)
	}
	return a.storage, a.err
}

// begin returns the storage or why there is none, or makes the attempt the
// caller's.
func (l *lazyStorage) begin(ctx context.Context) (s Storage, mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.storage != nil:
		return l.storage, false, nil
	case ctx.Err() != nil:
		return nil, false, ctx.Err()
	case l.opening:
		return nil, false, Unavailable(errOpening)
	case l.err != nil && time.Since(l.failed) < retryEvery:
		return nil, false, l.err
	}
	l.opening = true
	return nil, true, nil
}

// run makes the attempt. Nothing that open does ends the program.
func (l *lazyStorage) run(ctx context.Context, a *attempt) {
	a.err = Bug(errors.New("opening the storage never returned")) // it may end its goroutine
	defer close(a.done)
	defer func() {
		if v := recover(); v != nil {
			a.panicked = &PanicError{Value: v, Stack: debug.Stack()}
			a.err = Bug(fmt.Errorf("opening the storage: %w", a.panicked))
		}
		if a.err != nil {
			l.fail(a.err)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, openingTime)
	defer cancel()
	s, err := l.opened(ctx)
	if err == nil {
		err = l.accept(s)
	}
	if a.err = err; err == nil {
		a.storage = s
	}
}

// opened is a new storage that is valid.
func (l *lazyStorage) opened(ctx context.Context) (Storage, error) {
	s, err := l.open(ctx)
	switch {
	case errors.Is(err, ErrBug):
		return nil, fmt.Errorf("open: %w", err)
	case err != nil: // the end of its context, too, which is nobody's request
		return nil, Unavailable(fmt.Errorf("open: %w", err))
	case s == nil:
		return nil, Bug(errors.New("opening the storage returned none"))
	}
	if err := part.Validate("opening the storage", s); err != nil {
		return nil, Bug(err)
	}
	return s, nil
}

// accept prepares a storage for all groups, also those that come meanwhile, and
// gives it to everybody.
func (l *lazyStorage) accept(s Storage) error {
	preparer, _ := s.(Preparer)
	for n := 0; ; n++ {
		group, more := l.group(n, s)
		if !more {
			return nil
		}
		if preparer == nil {
			continue
		}
		if err := part.Ask(func() error { return preparer.Prepare(group) }); err != nil {
			return Bug(fmt.Errorf("preparing the storage: %w", err))
		}
	}
}

// group returns the nth group, or opens the storage when there are no more.
func (l *lazyStorage) group(n int, s Storage) (group []Algorithm, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < len(l.groups) {
		return l.groups[n], true
	}
	l.storage, l.opening, l.err, l.groups = s, false, nil, nil
	return nil, false
}

func (l *lazyStorage) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opening, l.err, l.failed = false, err, time.Now()
}
