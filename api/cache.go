package api

import (
	"net/http"
	"strconv"
	"time"
)

// Expires is a response that may be kept until t: Cache-Control: max-age with the
// seconds until then, and Expires (RFC 9111, sections 5.2.2.1 and 5.3). A time in
// the past is max-age=0. It replaces a Cache-Control that was there.
//
// Without it, and without a Cache-Control of its own, a response is not kept. Answers
// to one caller alone need "private" as well: set it by [WithHeader].
func Expires(response Response, t time.Time) Response {
	return decorate(response, func(h http.Header) { setMaxAge(h, time.Until(t)) }).orNil()
}

// MaxAge is [Expires] by a duration, counted from the moment that the response
// is sent.
func MaxAge(response Response, d time.Duration) Response {
	return decorate(response, func(h http.Header) { setMaxAge(h, d) }).orNil()
}

// setMaxAge rounds down: nothing is kept for longer than it may be.
func setMaxAge(h http.Header, age time.Duration) {
	age = max(age, 0)
	h.Set("Cache-Control", "max-age="+strconv.FormatInt(int64(age/time.Second), 10))
	h.Set("Expires", time.Now().Add(age).UTC().Format(http.TimeFormat))
}
