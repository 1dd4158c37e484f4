package ratelimit

import "context"

// A Key tells who shares a counter: requests with the same key count together.
//
// An implementation must
//   - be safe for concurrent use;
//   - append its text to dst and return the longer slice, never change
//     dst[:len(dst)] and never keep dst;
//   - return ok=false to skip the limit for this request: it is then neither
//     counted nor shown. An empty text is a key like any other;
//   - return an error for what must not be skipped: the request is answered 500.
//
// A header that the client can choose is no good key: it can send another value
// with every request. Use one only when your proxy or the authorization checks it.
type Key interface {
	AppendKey(ctx context.Context, dst []byte, rc *Context) (key []byte, ok bool, err error)

	// NeedsIdentity moves the limit to the second gate, after the
	// authorization. It is asked at build time and constant.
	NeedsIdentity() bool
}
