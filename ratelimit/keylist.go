package ratelimit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// Keys counts by several keys together: requests share a counter when all parts
// are the same. When one part skips the limit, the whole key does; when one
// needs the identity, the whole key does. Lists in the list are flattened.
//
// The parts are joined by "|"; "|" and "\" in them are escaped, so no value of
// one part can pass for another part.
func Keys(keys ...Key) Key {
	var list keyList
	for _, k := range keys {
		if nested, ok := k.(keyList); ok {
			list = append(list, nested...)
		} else {
			list = append(list, k)
		}
	}
	return list
}

type keyList []Key

func (l keyList) AppendKey(ctx context.Context, dst []byte, rc *Context) ([]byte, bool, error) {
	start := len(dst)
	for i, k := range l {
		if i > 0 {
			dst = append(dst, '|')
		}
		part, ok, err := len(dst), false, error(nil)
		dst, ok, err = appendPart(ctx, dst, rc, k)
		if !ok || err != nil {
			return dst[:start], false, err
		}
		dst = escapePart(dst, part)
	}
	return dst, true, nil
}

func (l keyList) NeedsIdentity() bool {
	for _, k := range l {
		if k.NeedsIdentity() {
			return true
		}
	}
	return false
}

func (l keyList) Validate() error {
	if len(l) == 0 {
		return errors.New("the list of keys is empty")
	}
	var errs []error
	checked := checker{}
	for i, k := range l {
		if k == nil {
			errs = append(errs, fmt.Errorf("part %d is nil", i+1))
		}
		errs = append(errs, checked.key(fmt.Sprintf("part %d", i+1), k))
	}
	return unreported(errors.Join(errs...))
}

// has reports whether key is k or a list with k in it.
func has(key, k Key) bool {
	list, ok := key.(keyList)
	if !ok {
		list = keyList{key}
	}
	for _, part := range list {
		if builtIn, ok := part.(BuiltInKey); ok && builtIn == k {
			return true
		}
	}
	return false
}

// withEndpoint is key and the endpoint: an inline limit counts for each
// endpoint on its own.
func withEndpoint(key Key) Key {
	if has(key, Endpoint) {
		return key
	}
	return Keys(key, Endpoint)
}

// escapePart escapes the part that begins at start, in place.
func escapePart(dst []byte, start int) []byte {
	special := bytes.Count(dst[start:], []byte{'|'}) + bytes.Count(dst[start:], []byte{'\\'})
	if special == 0 {
		return dst
	}
	from := len(dst) - 1
	dst = append(dst, make([]byte, special)...)
	for to := len(dst) - 1; from >= start; from-- {
		dst[to] = dst[from]
		to--
		if dst[from] == '|' || dst[from] == '\\' {
			dst[to] = '\\'
			to--
		}
	}
	return dst
}

const (
	maxKeyLength = 200       // bytes of a key that reach the storage as they are
	hashMark     = "sha256:" // begins what stands for a longer one
)

// boundKey replaces the key that begins at start by its hash when it is too
// long, or when it looks like such a hash itself and could pass for one.
func boundKey(dst []byte, start int) []byte {
	key := dst[start:]
	if len(key) <= maxKeyLength && string(key[:min(len(key), len(hashMark))]) != hashMark {
		return dst
	}
	sum := sha256.Sum256(key)
	return hex.AppendEncode(append(dst[:start], hashMark...), sum[:])
}
