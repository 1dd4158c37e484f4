package api

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httpuri"
)

// Link is the absolute URL of an endpoint. params fill the variables of its path;
// what is left of them becomes the query. Without a BaseURL, for an endpoint that
// is not registered and for a variable without a value there is none.
func (p *Program) Link(e EndpointIdentifier, params url.Values) (string, error) {
	if p.BaseURL == "" {
		return "", errors.New("api: a link needs the base URL in the configuration")
	}
	path, err := p.Path(e, params)
	if err != nil {
		return "", err
	}
	return p.BaseURL + path, nil
}

// Link is the absolute URL of an endpoint of the program as [Program.Link] makes
// it; the zero EndpointIdentifier is the one that serves the request. Without a
// configured base URL scheme and host are those that the request came to. A
// client may have made them up, and behind a proxy they are the proxy's choice:
// what others get to see needs the base URL.
//
// A request that no presenter serves has no links.
func (r *Request) Link(e EndpointIdentifier, params url.Values) (string, error) {
	switch {
	case r.program == nil:
		return "", errors.New("api: a link needs a presenter: none serves this request")
	case e == EndpointIdentifier{}:
		if e = r.Endpoint(); e.Validate() != nil {
			return "", errors.New("api: a link to the own endpoint: the request has none")
		}
	}
	base, err := r.BaseURL()
	if err != nil {
		return "", err
	}
	path, err := r.program.Path(e, params)
	if err != nil {
		return "", err
	}
	return base + path, nil
}

// BaseURL is the scheme and host that absolute links of the request begin with,
// see [Request.Link]. A host that fits no URL is as good as none.
func (r *Request) BaseURL() (string, error) {
	if r.program != nil && r.program.BaseURL != "" {
		return r.program.BaseURL, nil
	}
	if r.Request != nil {
		base := "http://" + r.Host
		if r.TLS != nil {
			base = "https://" + r.Host
		}
		if httpuri.Is(base) && !strings.ContainsAny(r.Host, "/?#") {
			return base, nil
		}
	}
	return "", errors.New("api: a link needs the base URL in the configuration, or a request with a host")
}

// Path is the path of an endpoint, with the base path in front and the query
// behind it, as [Program.Link] makes it.
func (p *Program) Path(e EndpointIdentifier, params url.Values) (string, error) {
	if p.Find(e) == nil {
		return "", fmt.Errorf("api: a link to %s, which is not registered", e)
	}
	var b strings.Builder
	b.WriteString((&url.URL{Path: p.BasePath}).EscapedPath() + "/v" + url.PathEscape(e.Version()))
	var used []string
	for _, segment := range e.Segments() {
		b.WriteByte('/')
		name, rest, variable := Variable(segment)
		if !variable {
			b.WriteString(url.PathEscape(segment))
			continue
		}
		escaped, err := escapeVariable(params, name, rest)
		if err != nil {
			return "", fmt.Errorf("api: a link to %s: %w", e, err)
		}
		b.WriteString(escaped)
		used = append(used, name)
	}
	query := url.Values{}
	for name, values := range params {
		if !slices.Contains(used, name) {
			query[name] = values
		}
	}
	if len(query) > 0 {
		b.WriteString("?" + query.Encode())
	}
	return b.String(), nil
}

// escapeVariable writes the value of a variable so that it is read back as it
// was. Segments of dots alone cannot be: clients take them away.
func escapeVariable(params url.Values, name string, rest bool) (string, error) {
	values := params[name]
	if len(values) != 1 || values[0] == "" && !rest {
		return "", fmt.Errorf("the variable %q needs one value", name)
	}
	segments := []string{values[0]}
	if rest {
		segments = strings.Split(values[0], "/")
	}
	for i, segment := range segments {
		if segment == "." || segment == ".." {
			return "", fmt.Errorf("the variable %q has a segment of dots alone", name)
		}
		segments[i] = url.PathEscape(segment)
	}
	return strings.Join(segments, "/"), nil
}
