package sallyport

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/internal/headervalue"
	"github.com/sallyport-go/sallyport/internal/httptoken"
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
	// X-Request-Id, and Deprecation, Sunset and Link where an endpoint has an
	// [api.Lifecycle]. "*" is all of them.
	ExposeHeaders []string

	// MaxAge is how long a browser may keep the answer to a preflight, in whole
	// seconds; 0 leaves it to the browser.
	MaxAge time.Duration
}

// Validate reports what is wrong: origins that no browser sends, credentials
// for every origin or beside "*", a MaxAge that is negative or not in whole
// seconds, names that no header field can have.
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
	switch {
	case c.MaxAge < 0:
		errs = append(errs, fmt.Errorf("MaxAge %s is negative", c.MaxAge))
	case c.MaxAge%time.Second != 0:
		errs = append(errs, fmt.Errorf("MaxAge %s: write whole seconds", c.MaxAge))
	}
	for _, name := range slices.Concat(c.AllowHeaders, c.ExposeHeaders) {
		switch {
		case !httptoken.Is(name):
			errs = append(errs, fmt.Errorf("%q is no header field", name))
		case name == "*" && c.Credentials:
			errs = append(errs, errors.New(`"*" beside credentials is not every header field but one of that name: list the fields`))
		}
	}
	return errors.Join(errs...)
}

// isOrigin reports whether a browser could send the origin: scheme and host in
// lower case and in ASCII, and a port when it is not the scheme's own, as the
// URL standard writes them.
func isOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != strings.ToLower(u.Scheme+"://"+u.Host) {
		return false
	}
	host, port := u.Host, ""
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host, port = host[:colon], host[colon+1:]
		ownPort := u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443"
		if ownPort || !isPort(port) {
			return false
		}
	}
	return isHost(host)
}

// isPort reports whether the port is written as a browser does, without zeros in
// front.
func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == port
}

// isHost reports whether the host is an address in its canonical form or a name:
// labels of a DNS name in lower case, those of other scripts in Punycode. "_" is
// no letter of host names, but browsers take it.
func isHost(host string) bool {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		return ok && err == nil && addr.Is6() && !addr.Is4In6() && addr.Zone() == "" && addr.String() == inner
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" { // the URL standard takes it for an address
		addr, err := netip.ParseAddr(host)
		return err == nil && addr.Is4()
	}
	return len(host) <= 254 && !slices.ContainsFunc(labels, func(label string) bool {
		return label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != ""
	})
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

var (
	valueAny  = headervalue.Shared("*")
	valueTrue = headervalue.Shared("true")
)

func newCORS(c CORS, lifecycles bool) *cors {
	built := &cors{off: c.Off, credentials: c.Credentials}
	if !c.Off && len(c.Origins) > 0 {
		built.vary = headervalue.Shared("Origin")
	}
	if c.AllowHeaders == nil {
		c.AllowHeaders = []string{"Authorization", "Content-Type", "X-Requested-With"}
	}
	if c.ExposeHeaders == nil {
		c.ExposeHeaders = []string{"RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"}
		if lifecycles {
			c.ExposeHeaders = append(c.ExposeHeaders, "Deprecation", "Sunset", "Link")
		}
	}
	if len(c.AllowHeaders) > 0 {
		built.allow = headervalue.Shared(strings.Join(c.AllowHeaders, ", "))
	}
	if len(c.ExposeHeaders) > 0 {
		built.expose = headervalue.Shared(strings.Join(c.ExposeHeaders, ", "))
	}
	if c.MaxAge > 0 {
		built.maxAge = headervalue.Shared(strconv.FormatInt(int64(c.MaxAge/time.Second), 10))
	}
	built.origins = make(map[string][]string, len(c.Origins))
	for _, origin := range c.Origins {
		built.origins[origin] = headervalue.Shared(origin)
	}
	return built
}

// setHeader sets what stands on every answer and, when methods are given, what a
// browser asks for in a preflight, before it sends the real request. The keys are
// canonical. What a handler has set is replaced; Vary is added to.
func (c *cors) setHeader(h http.Header, r *http.Request, methods string) {
	if c.off {
		return
	}
	origin := valueAny
	if c.vary != nil {
		addVary(h, c.vary[0])
		origin = c.origins[r.Header.Get("Origin")]
	}
	delete(h, "Access-Control-Allow-Origin")
	delete(h, "Access-Control-Allow-Credentials")
	if origin == nil {
		return
	}
	h["Access-Control-Allow-Origin"] = origin
	if c.credentials {
		h["Access-Control-Allow-Credentials"] = valueTrue
	}
	switch {
	case methods == "":
		if c.expose != nil { // it belongs to the real answer
			h["Access-Control-Expose-Headers"] = c.expose
		}
	case r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != "":
		c.setPreflight(h, methods)
	}
}

func (c *cors) setPreflight(h http.Header, methods string) {
	h["Access-Control-Allow-Methods"] = []string{methods}
	if c.allow != nil {
		h["Access-Control-Allow-Headers"] = c.allow
	}
	if c.maxAge != nil {
		h["Access-Control-Max-Age"] = c.maxAge
	}
}

// addVary adds a name to Vary unless it stands there. The slice may be shared,
// so it is copied.
func addVary(h http.Header, name string) {
	lines := h["Vary"]
	for _, line := range lines {
		for member := range strings.SplitSeq(line, ",") {
			if member = strings.TrimSpace(member); member == "*" || strings.EqualFold(member, name) {
				return
			}
		}
	}
	h["Vary"] = append(lines[:len(lines):len(lines)], name)
}
