package ratelimit

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// Lazy is the storage that open makes when the first request needs it, so a
// storage that is down when the program starts fails no start, and endpoints
// without a limit never connect to it.
//
// open gets the context of that request, with the budget of its gate, and obeys
// it. Meanwhile, and for a second after it has failed, the storage is
// unavailable to everybody else at once: nobody waits for an attempt but the
// request that makes it. An attempt whose request was canceled does not count.
func Lazy(open func(ctx context.Context) (Storage, error)) Storage { return &lazyStorage{open: open} }

// retryEvery is how long a failed attempt is not repeated.
const retryEvery = time.Second

type lazyStorage struct {
	open func(ctx context.Context) (Storage, error)

	mu      sync.Mutex
	storage Storage   // nil until open has succeeded
	opening bool      // an attempt runs
	failed  time.Time // when the last one failed, by the monotonic clock
	err     error     // how
}

var errOpening = errors.New("it is being opened")

// Validate refuses a nil function.
func (l *lazyStorage) Validate() error { return requireFunc(l.open == nil) }

func (l *lazyStorage) Consume(ctx context.Context, key []byte, a Algorithm, t Take) (Decision, error) {
	s, err := l.get(ctx)
	if err != nil {
		return Decision{}, err
	}
	return s.Consume(ctx, key, a, t)
}

func (l *lazyStorage) get(ctx context.Context) (s Storage, err error) {
	if s, mine, err := l.begin(); !mine {
		return s, err
	}
	err = Bug(errors.New("opening the storage panicked")) // unless it returns
	defer func() { l.end(s, err) }()
	if s, err = l.open(ctx); err != nil {
		return nil, outage(ctx, "open", err)
	}
	if s == nil {
		return nil, Bug(errors.New("opening the storage returned none"))
	}
	if err = part.Validate("opening the storage", s); err != nil {
		return nil, Bug(err)
	}
	return s, nil
}

// begin returns the storage or why there is none, or makes the attempt the caller's.
func (l *lazyStorage) begin() (s Storage, mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.storage != nil:
		return l.storage, false, nil
	case l.opening:
		return nil, false, Unavailable(errOpening)
	case l.err != nil && time.Since(l.failed) < retryEvery:
		return nil, false, l.err
	}
	l.opening = true
	return nil, true, nil
}

func (l *lazyStorage) end(s Storage, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opening = false
	switch {
	case err == nil:
		l.storage, l.err = s, nil
	case errors.Is(err, ErrBug):
		l.err, l.failed = err, time.Now()
	case errors.Is(err, context.Canceled):
	default: // one request's time was up; to the others that is an outage
		l.err, l.failed = Unavailable(err), time.Now()
	}
}
