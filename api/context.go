package api

import "context"

// requestContext is a context that knows its request. It is a part of the
// request, so that no request pays for it.
type requestContext struct {
	context.Context //nolint:containedctx // it is a context
	request         *Request
}

type requestKey struct{}

func (c *requestContext) Value(key any) any {
	if key == (requestKey{}) {
		return c.request
	}
	return c.Context.Value(key)
}

// Context ends when the client goes away and when the time of the endpoint is
// up. It is the context that the handler gets, and [RequestFrom] finds the
// request in it.
func (r *Request) Context() context.Context {
	if r.ctx.Context == nil {
		ctx := context.Background()
		if r.Request != nil {
			ctx = r.Request.Context()
		}
		return &requestContext{ctx, r}
	}
	return &r.ctx
}

// SetContext replaces the context of the request. The presenter calls it, before
// anyone has asked for the context.
func (r *Request) SetContext(ctx context.Context) { r.ctx = requestContext{ctx, r} }

// RequestFrom finds the request in the context of a handler, or nil when the
// context is that of no request. Like the request, it is not for use after the
// answer.
func RequestFrom(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// IdentityFrom is who calls, in the context of a handler. It is zero when
// nobody was identified, and when the context is that of no request.
func IdentityFrom(ctx context.Context) Identity {
	if r := RequestFrom(ctx); r != nil {
		return r.Identity
	}
	return Identity{}
}
