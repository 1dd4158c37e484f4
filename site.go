package sallyport

import (
	"fmt"
	"runtime"
	"strings"
)

// site is where in the program something was registered: the stack from there
// outwards, without Sallyport's own frames.
type site []uintptr

// callSite is the place that called the exported function that calls it.
func callSite() site {
	var pcs [8]uintptr
	n := runtime.Callers(3, pcs[:])
	return append(site(nil), pcs[:n]...)
}

// String is "file:line".
func (s site) String() string { return s.frame(0) }

// full is String and, for a place that registers several endpoints, such as a
// helper or a loop, where that was called from.
func (s site) full(several bool) string {
	if !several {
		return s.String()
	}
	if caller := s.frame(1); caller != "" {
		return fmt.Sprintf("%s (called from %s)", s, caller)
	}
	return s.String()
}

// frame is the nth place outwards; "" behind main and tests.
func (s site) frame(n int) string {
	if len(s) == 0 {
		return "unknown place"
	}
	frames := runtime.CallersFrames(s)
	for i := 0; ; i++ {
		f, more := frames.Next()
		if i == n {
			if strings.HasPrefix(f.Function, "runtime.") || strings.HasPrefix(f.Function, "testing.") {
				return ""
			}
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return ""
		}
	}
}
