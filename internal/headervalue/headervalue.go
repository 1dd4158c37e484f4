// Package headervalue has values of header fields that many answers share, so that
// none of them costs an allocation.
package headervalue

import (
	"strconv"
	"sync/atomic"
)

// Shared is a value for many answers. It has no room, so that an Add copies it.
func Shared(text string) []string { return []string{text}[:1:1] }

// numbers are those that have been asked for.
var numbers [4096]atomic.Pointer[[1]string]

// Int is a number as a value. Small ones are shared, see [Shared].
func Int(n int64) []string {
	if n < 0 || n >= int64(len(numbers)) {
		return Shared(strconv.FormatInt(n, 10))
	}
	text := numbers[n].Load()
	if text == nil {
		text = &[1]string{strconv.FormatInt(n, 10)}
		numbers[n].Store(text)
	}
	return text[:1:1]
}
