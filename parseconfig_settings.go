package sallyport

import (
	"errors"
	"math"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ipdetector"
)

func (r *fileReader) basePath(v value) string {
	path := r.text(v)
	if path != "/" { // an empty one is reported already
		r.report(v, validateBasePath(path))
	}
	return path
}

func (r *fileReader) baseURL(v value) string {
	base := r.text(v)
	if base != "" {
		r.report(v, validateBaseURL(base))
	}
	return base
}

// maxBody reads a number of bytes, or false for no bound.
func (r *fileReader) maxBody(v value) int64 { return r.bytes(v, math.MaxInt64) }

func (r *fileReader) maxURL(v value) int { return int(r.bytes(v, math.MaxInt32)) }

func (r *fileReader) bytes(v value, most int64) int64 {
	if v.isFalse() {
		return unlimited
	}
	return r.wholeNumber(v, 1, most, "write a number of bytes, or false for no bound")
}

// versions reads the lifecycles of whole versions. Whether they are there is
// found when the presenter is built.
func (r *fileReader) versions(v value) map[string]api.Lifecycle {
	versions := map[string]api.Lifecycle{}
	for e := range r.entries(v, "write a map of versions and their lifecycles") {
		versions[e.name] = r.lifecycle(e.value)
	}
	return versions
}

func (r *fileReader) lifecycle(v value) (l api.Lifecycle) {
	before := r.faults.count
	r.object(v, fields{
		{"deprecated", set(&l.Deprecated, r.date)},
		{"sunset", set(&l.Sunset, r.date)},
		{"documentation", set(&l.Documentation, r.text)},
		{"successor", set(&l.Successor, r.text)},
	})
	if r.faults.count == before {
		r.report(v, l.Validate())
	}
	return l
}

// date reads a day, which begins at midnight UTC, or a moment (RFC 3339).
func (r *fileReader) date(v value) time.Time {
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, v.Value); err == nil {
			return t
		}
	}
	r.fault(v, "%s: write a day, such as 2027-06-30, or a moment, such as 2027-06-30T23:59:59Z", v)
	return time.Time{}
}

// trustedProxies reads the proxies, or a map of them and the header that they
// append to.
func (r *fileReader) trustedProxies(v value) ipdetector.Detector {
	header, list := "", v
	if v.isMap() {
		list = value{}
		has := r.object(v, fields{
			{"header", set(&header, r.proxyHeader)},
			{"proxies", func(v value) { list = v }},
		})
		if !has["proxies"] {
			r.fault(v, "proxies are missing: name the addresses that send the header")
		}
	}
	if list.Node == nil { // reported
		return nil
	}
	var proxies []string
	for proxy := range r.texts(list) {
		r.reportProxies(proxy, ipdetector.NewTrustedProxies("", proxy.Value))
		proxies = append(proxies, proxy.Value)
	}
	return ipdetector.NewTrustedProxies(header, proxies...)
}

func (r *fileReader) proxyHeader(v value) string {
	header := r.text(v)
	r.reportProxies(v, ipdetector.NewTrustedProxies(header, "unix")) // only the header is looked at
	return header
}

// reportProxies leaves out the name of the package, which no file knows.
func (r *fileReader) reportProxies(v value, t *ipdetector.TrustedProxies) {
	for _, err := range part.Flatten(t.Validate()) {
		r.report(v, errors.New(strings.TrimPrefix(err.Error(), "ipdetector: ")))
	}
}

// cors reads "*", off, origins, or a map of all that there is to say.
func (r *fileReader) cors(v value) (c CORS) {
	switch {
	case v.isText() && v.Value == "off" || v.isFalse(): // what YAML 1.1 takes for the same
		c.Off = true
	case !v.isMap():
		c.Origins = r.origins(v)
	default:
		before := r.faults.count
		r.object(v, fields{
			{"origins", set(&c.Origins, r.origins)},
			{"credentials", set(&c.Credentials, r.boolean)},
			{"allowHeaders", set(&c.AllowHeaders, r.headers)},
			{"exposeHeaders", set(&c.ExposeHeaders, r.headers)},
			{"maxAge", set(&c.MaxAge, r.interval)},
		})
		if r.faults.count == before {
			r.report(v, c.Validate())
		}
	}
	return c
}

// origins reads the origins that may call; nil, which is "*", lets all of them.
func (r *fileReader) origins(v value) (origins []string) {
	if v.isText() && v.Value == "*" {
		return nil
	}
	for origin := range r.texts(v) {
		r.report(origin, CORS{Origins: []string{origin.Value}}.Validate())
		origins = append(origins, origin.Value)
	}
	return origins
}

// headers reads the names of header fields. An empty list is none at all, which
// is not the same as the usual ones.
func (r *fileReader) headers(v value) []string {
	names := []string{}
	if v.isList() && len(v.Content) == 0 {
		return names
	}
	for name := range r.texts(v) {
		r.report(name, CORS{AllowHeaders: []string{name.Value}}.Validate())
		names = append(names, name.Value)
	}
	return names
}
