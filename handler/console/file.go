package console

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// How long browsers keep a file: until they have asked whether it is still the
// same, or for ever, where its URL changes when it does.
const (
	askAgain = "no-cache"
	forEver  = "max-age=31536000, immutable"
)

// file is what the console answers with, made at start.
func file(mediaType string, body []byte, caching string) api.Response {
	header := http.Header{"Cache-Control": {caching}}
	guard(header)
	return api.WithHeader(api.Static(mediaType, body), header)
}

// digest names contents.
func digest(contents ...[]byte) string {
	h := sha256.New()
	for _, c := range contents {
		sum := sha256.Sum256(c)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// policy lets the page load its own files and call its own origin, and nothing
// else: whatever text finds its way into the page, it cannot act.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

func guard(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}
