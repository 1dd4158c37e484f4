package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/sallyport-go/sallyport/internal/ending"
)

// ServerEnding is closed when the server of a request begins to stop, as
// sallyport.Server does. The context of the request goes on until the grace is
// over, so that it can be answered; what would wait longer, such as a long poll
// or a connection that was hijacked, watches this, too. Outside of such a server
// it is nil, which is never ready. [Stream] and [Events] watch it by themselves.
func ServerEnding(ctx context.Context) <-chan struct{} {
	if e := ending.Of(ctx); e != nil {
		return e.Done()
	}
	return nil
}

// errServerEnding is an Error, as a stream that has not begun is answered with it.
var errServerEnding = Error{Status: http.StatusServiceUnavailable, Err: errors.New("api: the server is stopping")}

// untilEnding is ctx, but it ends with the server, too. cancel has to be called.
func untilEnding(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	e := ending.Of(ctx)
	switch {
	case e == nil:
		return ctx, cancel
	case e.Err() != nil:
		cancel(&errServerEnding)
		return ctx, cancel
	}
	stop := context.AfterFunc(e, func() { cancel(&errServerEnding) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// endedByServer reports whether err says no more than that the server ended ctx.
func endedByServer(ctx context.Context, err error) bool {
	return errors.Is(context.Cause(ctx), &errServerEnding) && (errors.Is(err, &errServerEnding) || errors.Is(err, context.Canceled))
}
