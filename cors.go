package sallyport

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS is how the pages of other origins may call the API (Fetch standard,
// section 3.3). The zero value lets every origin call, without credentials.
// Its header fields stand on every answer, so that a page can read a 429.
type CORS struct {
	// Off sends no header field of CORS at all.
	Off bool

	// Origins are the origins that may call, such as "https://shop.example";
	// they are compared byte for byte. Empty: every origin.
	Origins []string

	// Credentials lets pages send cookies and other credentials. It needs
	// Origins, and takes its meaning from "*" in the lists below.
	Credentials bool

	// AllowHeaders are the header fields that a page may send; nil:
	// Authorization, Content-Type and X-Requested-With. "*" is all of them but
	// Authorization.
	AllowHeaders []string

	// ExposeHeaders are the header fields that a page may read beside the few
	// that it always may; nil: RateLimit, RateLimit-Policy, Retry-After and
	// X-Request-Id. "*" is all of them.
	ExposeHeaders []string

	// MaxAge is how long a browser may keep the answer to a preflight, in whole
	// seconds; 0 leaves it to the browser.
	MaxAge time.Duration
}

// Validate reports what is wrong: origins that no browser sends, credentials
// for every origin or beside "*", a negative MaxAge, names of no header field.
func (c CORS) Validate() error {
	var errs []error
	for _, origin := range c.Origins {
		if origin == "*" {
			errs = append(errs, errors.New(`origin "*": leave Origins empty for every origin`))
		} else if !isOrigin(origin) {
			errs = append(errs, fmt.Errorf(`origin %q: write it as browsers do, like "https://shop.example:8443"`, origin))
		}
	}
	if c.Credentials && len(c.Origins) == 0 {
		errs = append(errs, errors.New("credentials for every origin: name the Origins that may send them"))
	}
	if c.MaxAge < 0 {
		errs = append(errs, fmt.Errorf("MaxAge %s is negative", c.MaxAge))
	}
	for _, name := range slices.Concat(c.AllowHeaders, c.ExposeHeaders) {
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' }):
			errs = append(errs, fmt.Errorf("%q is no header field", name))
		case name == "*" && c.Credentials:
			errs = append(errs, errors.New(`"*" beside credentials is not every header field but one of that name: list the fields`))
		}
	}
	return errors.Join(errs...)
}

// isOrigin reports whether a browser could send the origin: scheme, host in
// lower case, a port other than the scheme's own.
func isOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != strings.ToLower(u.Scheme+"://"+u.Host) {
		return false
	}
	ownPort := u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443"
	return !ownPort && !strings.HasSuffix(u.Host, ":")
}

// cors is a CORS configuration as header values, made once.
type cors struct {
	off         bool
	vary        []string            // set when the answer depends on the origin
	origins     map[string][]string // an origin -> its Access-Control-Allow-Origin
	credentials bool
	allow       []string
	expose      []string
	maxAge      []string
}

// Header values that many answers share have no room, so that a handler's Add
// copies them.
func shared(value string) []string { return []string{value}[:1:1] }

var (
	valueAny  = shared("*")
	valueTrue = shared("true")
)

func newCORS(c CORS) *cors {
	built := &cors{off: c.Off, credentials: c.Credentials}
	if !c.Off && len(c.Origins) > 0 {
		built.vary = shared("Origin")
	}
	if c.AllowHeaders == nil {
		c.AllowHeaders = []string{"Authorization", "Content-Type", "X-Requested-With"}
	}
	if c.ExposeHeaders == nil {
		c.ExposeHeaders = []string{"RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"}
	}
	if len(c.AllowHeaders) > 0 {
		built.allow = shared(strings.Join(c.AllowHeaders, ", "))
	}
	if len(c.ExposeHeaders) > 0 {
		built.expose = shared(strings.Join(c.ExposeHeaders, ", "))
	}
	if c.MaxAge > 0 {
		built.maxAge = shared(strconv.FormatInt(int64(c.MaxAge/time.Second), 10))
	}
	built.origins = make(map[string][]string, len(c.Origins))
	for _, origin := range c.Origins {
		built.origins[origin] = shared(origin)
	}
	return built
}

// setHeader sets what stands on every answer. The keys are canonical.
func (c *cors) setHeader(h http.Header, r *http.Request) {
	if c.off {
		return
	}
	origin := valueAny
	if c.vary != nil {
		h["Vary"] = c.vary
		origin = c.origins[r.Header.Get("Origin")]
	}
	if origin == nil {
		return
	}
	h["Access-Control-Allow-Origin"] = origin
	if c.credentials {
		h["Access-Control-Allow-Credentials"] = valueTrue
	}
	if c.expose != nil {
		h["Access-Control-Expose-Headers"] = c.expose
	}
}

// setPreflight sets what a browser asks for before it sends the real request.
// setHeader comes first.
func (c *cors) setPreflight(h http.Header, r *http.Request, methods string) {
	delete(h, "Access-Control-Expose-Headers") // it belongs to the real answer
	if r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" || h["Access-Control-Allow-Origin"] == nil {
		return
	}
	h["Access-Control-Allow-Methods"] = []string{methods}
	if c.allow != nil {
		h["Access-Control-Allow-Headers"] = c.allow
	}
	if c.maxAge != nil {
		h["Access-Control-Max-Age"] = c.maxAge
	}
}
