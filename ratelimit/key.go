package ratelimit

import (
	"context"
	"errors"
	"fmt"
)

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

// BuiltInKey is a key of this package other than the client's address.
type BuiltInKey uint8

const (
	// Identity counts by who calls, as the authorization has proved it. It
	// belongs to the second gate; a request without an identity skips it.
	Identity BuiltInKey = iota + 1
	// Endpoint counts by endpoint: all callers share its counter.
	Endpoint
)

// The tags keep the values of the built-in keys apart in a list of keys.
const (
	tagIP       = "ip:"
	tagIdentity = "identity:"
	tagEndpoint = "endpoint:"
)

// AppendKey appends the identity or the endpoint with its tag.
func (k BuiltInKey) AppendKey(_ context.Context, dst []byte, rc *Context) ([]byte, bool, error) {
	if k == Endpoint {
		return append(append(dst, tagEndpoint...), rc.Endpoint...), true, nil
	}
	if rc.Identity == "" {
		return dst, false, nil
	}
	return append(append(dst, tagIdentity...), rc.Identity...), true, nil
}

func (k BuiltInKey) tag() string {
	if k == Endpoint {
		return tagEndpoint
	}
	return tagIdentity
}

// NeedsIdentity is true for Identity.
func (k BuiltInKey) NeedsIdentity() bool { return k == Identity }

// Validate refuses a value that is neither of the two.
func (k BuiltInKey) Validate() error {
	if k != Identity && k != Endpoint {
		return fmt.Errorf("unknown built-in key %d", k)
	}
	return nil
}

// KeyFunc is a key of one's own as a function: its text, and false to skip the
// limit. It runs at the first gate.
type KeyFunc func(ctx context.Context, rc *Context) (key string, ok bool, err error)

// AppendKey appends what the function returns.
func (f KeyFunc) AppendKey(ctx context.Context, dst []byte, rc *Context) ([]byte, bool, error) {
	key, ok, err := f(ctx, rc)
	return append(dst, key...), ok, err
}

// NeedsIdentity is false.
func (KeyFunc) NeedsIdentity() bool { return false }

// Validate refuses a nil function.
func (f KeyFunc) Validate() error { return requireFunc(f == nil) }

// IdentityKeyFunc is a [KeyFunc] that runs at the second gate, where
// Context.Identity and Context.Subject are known.
type IdentityKeyFunc func(ctx context.Context, rc *Context) (key string, ok bool, err error)

// AppendKey appends what the function returns.
func (f IdentityKeyFunc) AppendKey(ctx context.Context, dst []byte, rc *Context) ([]byte, bool, error) {
	return KeyFunc(f).AppendKey(ctx, dst, rc)
}

// NeedsIdentity is true.
func (IdentityKeyFunc) NeedsIdentity() bool { return true }

// Validate refuses a nil function.
func (f IdentityKeyFunc) Validate() error { return requireFunc(f == nil) }

func requireFunc(isNil bool) error {
	if isNil {
		return errors.New("the function is nil")
	}
	return nil
}

// appendKey calls the keys of this package directly, so that dst can stay on
// the caller's stack.
func appendKey(ctx context.Context, dst []byte, rc *Context, k Key) ([]byte, bool, error) {
	if list, ok := k.(keyList); ok {
		return list.AppendKey(ctx, dst, rc)
	}
	return appendPart(ctx, dst, rc, k)
}

// appendPart is appendKey for what is no list. A key of one's own gets a slice
// of its own, which it may treat as badly as it likes.
func appendPart(ctx context.Context, dst []byte, rc *Context, k Key) ([]byte, bool, error) {
	switch k := k.(type) {
	case IPKey:
		return k.AppendKey(ctx, dst, rc)
	case BuiltInKey:
		return k.AppendKey(ctx, dst, rc)
	}
	own, ok, err := k.AppendKey(ctx, make([]byte, 0, 64), rc)
	return append(dst, own...), ok, err
}
