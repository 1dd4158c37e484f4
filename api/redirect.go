package api

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Redirect answers with another location, an absolute or relative URL. Status is
// 301, 302, 303, 307 or 308 (RFC 9110, section 15.4), and 0 is 302. Any other
// status, a location that is empty or does not parse and one with control
// characters are errors when the response is sent. GET and HEAD get a small page
// with a link as well.
//
// Nothing is made of the location: one that a client may choose has to be checked
// before. The response is a [RedirectResponse].
func Redirect(status int, location string) Response { return RedirectResponse{status, location} }

// RedirectResponse is the response of [Redirect], for those who read it back.
type RedirectResponse struct {
	Code     int // 0: 302
	Location string
}

// Status is the code, or 302 without one.
func (d RedirectResponse) Status() int {
	if d.Code == 0 {
		return http.StatusFound
	}
	return d.Code
}

// Send sends the location.
func (d RedirectResponse) Send(w http.ResponseWriter, r *http.Request) error {
	status := d.Status()
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return fmt.Errorf("api: %d cannot be the status of a redirect", status)
	}
	u, err := parseLocation(d.Location)
	if err != nil {
		return err
	}
	location := escapeLocation(d.Location)
	w.Header().Set("Location", location)
	if !linked(u, r) {
		return empty(status).Send(w, r)
	}
	page := fmt.Sprintf("<a href=\"%s\">%s</a>\n", html.EscapeString(location), http.StatusText(status))
	return send(w, r, status, "text/html; charset=utf-8", []byte(page))
}

// linked reports whether the answer has a page with the link. A link of another
// scheme than that of the web could be a script.
func linked(u *url.URL, r *http.Request) bool {
	if r != nil && r.Method != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return u.Scheme == "" || u.Scheme == "http" || u.Scheme == "https"
}

// parseLocation does not repeat the location, which may hold keys.
func parseLocation(location string) (*url.URL, error) {
	if location == "" || !httptoken.IsValue(location) || strings.Contains(location, "\t") {
		return nil, errors.New("api: the location is empty or has characters that no URL has")
	}
	u, err := url.Parse(location)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("api: the location is no URL: %w", err)
	}
	return u, nil
}

// escapeLocation escapes what RFC 3986 does not allow and people write all the
// same: spaces and text beyond ASCII.
func escapeLocation(location string) string {
	var b strings.Builder
	for i := range len(location) {
		if c := location[i]; c == ' ' || c > 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
