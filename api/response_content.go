package api

import (
	"net/http"

	"github.com/sallyport-go/sallyport/internal/headervalue"
)

var (
	valueJSON = headervalue.Shared(mediaJSON)
	valueText = headervalue.Shared(mediaText)
)

// setContent sets the media type and the length of a body.
func setContent(h http.Header, mediaType string, length int) {
	switch mediaType {
	case mediaJSON:
		h["Content-Type"] = valueJSON
	case mediaText:
		h["Content-Type"] = valueText
	default:
		h["Content-Type"] = headervalue.Shared(mediaType)
	}
	h["Content-Length"] = headervalue.Int(int64(length))
}
