package sallyport

import (
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/internal/headervalue"
)

var (
	valueNoCache = headervalue.Shared("no-cache")
	valuePrivate = headervalue.Shared("private")
)

// caching is how long the answers of an endpoint may be kept (RFC 9111, section
// 5.2.2), where the handler leaves it open.
type caching struct {
	private bool // there is an authorization: an answer is for its caller alone
}

// setHeader completes the Cache-Control of an answer. Without one, what was made
// for one caller is kept by nobody, and everything else is asked for again. An
// age that the handler gives to an answer for one caller does not open it to
// others: shared caches know that of the Authorization field alone (section 3.5).
func (c caching) setHeader(h http.Header) {
	lines := h["Cache-Control"]
	switch {
	case lines == nil && c.private:
		h["Cache-Control"] = valueNoStore
	case lines == nil:
		h["Cache-Control"] = valueNoCache
	case c.private && !decided(lines):
		h["Cache-Control"] = append(valuePrivate[:1:1], lines...)
	}
}

// decided reports whether a Cache-Control says who may keep the answer.
func decided(lines []string) bool {
	for _, line := range lines {
		for directive := range strings.SplitSeq(line, ",") {
			switch strings.ToLower(strings.TrimSpace(directive)) {
			case "private", "public", "no-store":
				return true
			}
		}
	}
	return false
}
