package console

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Console is the web console. The zero value shows the endpoints of the version
// that it is registered in. One value may be registered more than once, also in
// several presenters, and is safe for concurrent use; do not copy or change it
// afterwards. It keeps the page of every presenter it was bound to.
type Console struct {
	Title       string // "": "API console"
	AllVersions bool   // it shows the endpoints of all versions

	// Files stand in for the embedded files of the same names: the templates
	// page.html and form.html of package html/template, console.css, and the
	// modules such as main.js. Others in it are not served. nil: the embedded ones.
	Files fs.FS

	mu    sync.RWMutex
	sites map[place]*site
}

// place is one registration in one program.
type place struct {
	program  *api.Program
	endpoint api.EndpointIdentifier
}

// Describe describes the page.
func (c *Console) Describe() api.Description {
	return api.Description{Summary: cmp.Or(c.Title, defaultTitle)}
}

const defaultTitle = "API console"

// Bind makes the page and the forms of every endpoint that the console serves. The
// presenter calls it. An error tells of a method other than GET, a variable in the
// path, a file that cannot be read, and a template that cannot be used.
func (c *Console) Bind(p *api.Program) error {
	var mistakes []error
	made := map[place]*site{}
	for i := range p.Endpoints {
		e := &p.Endpoints[i]
		if !c.serves(e) {
			continue
		}
		s, err := c.site(p, e.Endpoint)
		if err != nil {
			mistakes = append(mistakes, err)
			continue
		}
		made[place{p, e.Endpoint}] = s
	}
	if err := errors.Join(mistakes...); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sites == nil {
		c.sites = map[place]*site{}
	}
	for at, s := range made {
		c.sites[at] = s
	}
	return nil
}

// serves reports whether the console is the handler, or wrapped by it.
func (c *Console) serves(e *api.Endpoint) bool {
	parts, _ := part.Unwrapped(e.Handler) // a wrapper without an end is reported elsewhere
	for _, h := range parts {
		if own, ok := h.(*Console); ok && own == c {
			return true
		}
	}
	return false
}

// Handle answers with the page; the query names one of its files, or the form of
// an endpoint.
func (c *Console) Handle(_ context.Context, r *api.Request) (api.Response, error) {
	c.mu.RLock()
	s := c.sites[place{r.Program(), r.Endpoint()}]
	c.mu.RUnlock()
	if s == nil {
		return nil, errors.New("console: it is not bound to the program: a wrapper around it has no method Unwrap")
	}
	query := url.Values{}
	if r.Request != nil && r.URL != nil {
		if strings.HasSuffix(r.URL.Path, "/") { // the files of the page are named from where it is
			return api.Redirect(http.StatusPermanentRedirect, "../"+s.name), nil
		}
		query = r.URL.Query() // what it cannot read names nothing of ours
	}
	switch {
	case query.Has("asset"):
		if f := s.asset(query.Get("asset"), query.Get("v")); f != nil {
			return f, nil
		}
		return nil, missing("file")
	case query.Has("form"):
		if f := s.forms[query.Get("form")]; f != nil {
			return f, nil
		}
		return nil, missing("endpoint")
	}
	return s.page, nil
}

func missing(what string) error {
	header := http.Header{}
	guard(header)
	return api.Error{Status: http.StatusNotFound, Message: "There is no such " + what, Header: header}
}
