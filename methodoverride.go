package sallyport

import (
	"net/http"
	"strings"
)

// overrideMethod is the request with the method that X-HTTP-Method-Override
// names, or the request itself when it names none. The server's own request
// keeps the method that was sent, which others around the presenter have seen.
//
// Only POST may stand for another method, or a link would be enough to delete
// something. Only PUT, PATCH and DELETE may be meant: they change something as
// POST does, and pass both gates. OPTIONS would pass none, and GET and HEAD are
// what caches answer. Several lines are none: what stands in front of the
// program may have read another one.
func overrideMethod(sent *http.Request) *http.Request {
	lines := sent.Header["X-Http-Method-Override"]
	if len(lines) != 1 || !strings.EqualFold(sent.Method, http.MethodPost) {
		return sent
	}
	switch method := strings.ToUpper(strings.TrimSpace(lines[0])); method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		if sent.Trailer == nil && sent.ContentLength < 0 { // the server fills it at the end of the body, for both
			sent.Trailer = http.Header{}
		}
		r := sent.WithContext(sent.Context())
		r.Method = method
		return r
	}
	return sent
}

// giveBack tells the server's request what became known of its copy: the form,
// whose files the server removes, and the pattern, which others count by.
func giveBack(sent, served *http.Request) {
	sent.MultipartForm, sent.Pattern = served.MultipartForm, served.Pattern
}
