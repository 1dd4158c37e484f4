package api

import (
	"net/http"
	"strconv"
	"sync/atomic"
)

// Header values that answers share. They have no room, so that a handler's Add copies
// them.
var (
	valueJSON = []string{mediaJSON}[:1:1]
	valueText = []string{mediaText}[:1:1]

	lengths [4096]atomic.Pointer[[1]string] // the Content-Length of short bodies
)

// setContent sets the media type and the length of a body.
func setContent(h http.Header, mediaType string, length int) {
	switch mediaType {
	case mediaJSON:
		h["Content-Type"] = valueJSON
	case mediaText:
		h["Content-Type"] = valueText
	default:
		h["Content-Type"] = []string{mediaType}
	}
	if length >= len(lengths) {
		h["Content-Length"] = []string{strconv.Itoa(length)}
		return
	}
	text := lengths[length].Load()
	if text == nil {
		text = &[1]string{strconv.Itoa(length)}
		lengths[length].Store(text)
	}
	h["Content-Length"] = text[:1:1]
}
