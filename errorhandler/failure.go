package errorhandler

import (
	"net/http"
	"strconv"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// status is the status of the answer: always 429 for a refused limit, and never
// one that tells of success.
func status(f *api.Failure) int {
	if f.Kind == api.KindRateLimit || f.Status < http.StatusBadRequest || f.Status > 599 {
		return f.Kind.Status()
	}
	return f.Status
}

// message is what the client reads.
func message(f *api.Failure) string {
	if f.Kind == api.KindRateLimit {
		seconds, known := ratelimit.RetryAfter(f.RateLimits)
		if !known {
			return f.Kind.Message()
		}
		var room [64]byte
		text := append(append(room[:0], f.Kind.Message()...), " Retry after "...)
		return string(append(strconv.AppendInt(text, seconds, 10), " seconds."...))
	}
	if f.Message == "" {
		return f.Kind.Message()
	}
	return f.Message
}

// cause is the text of what broke in the server, in debug mode only; "" for none.
func cause(f *api.Failure) string {
	if !f.Debug || f.Err == nil || f.Kind.Status() < http.StatusInternalServerError {
		return ""
	}
	return part.Text(f.Err) // and not Err.Error(), which panics on many a typed nil
}
