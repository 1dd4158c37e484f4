package console

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

//go:embed files
var embedded embed.FS

// site is all that one registration answers with. It is immutable.
type site struct {
	name    string // the last segment of its path, escaped
	page    api.Response
	version string                  // of the assets, together
	assets  map[string]api.Response // by name
	kept    map[string]api.Response // the same for those who ask for the version
	forms   map[string]api.Response // by endpoint
}

const mediaHTML = "text/html; charset=utf-8"

// assetTypes are the media types of the files that are served as they are.
var assetTypes = map[string]string{
	".js":  "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
}

func (c *Console) site(p *api.Program, own api.EndpointIdentifier) (*site, error) {
	if err := check(own); err != nil {
		return nil, err
	}
	sources, err := c.sources()
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	s := &site{name: url.PathEscape(path.Base(own.URL())), assets: map[string]api.Response{}, kept: map[string]api.Response{}, forms: map[string]api.Response{}}
	s.addAssets(sources)
	return s, errors.Join(s.addPage(c, p, own, sources["page.html"]), s.addForms(c, p, own, sources["form.html"]))
}

// check refuses a registration that the addresses within the page cannot name.
func check(own api.EndpointIdentifier) error {
	var mistakes []error
	if own.Method() != http.MethodGet {
		mistakes = append(mistakes, fmt.Errorf("console: %s: register it for GET, by which browsers load pages and their files", own))
	}
	for _, segment := range own.Segments() {
		if _, _, variable := api.Variable(segment); variable {
			mistakes = append(mistakes, fmt.Errorf("console: %s: the path has the variable %s: register it under one that has none", own, segment))
		}
	}
	return errors.Join(mistakes...)
}

// sources are the files by name, those of the program before the embedded ones.
func (c *Console) sources() (map[string][]byte, error) {
	entries, err := fs.ReadDir(embedded, "files")
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{}
	for _, entry := range entries {
		name := entry.Name()
		if c.Files != nil {
			own, err := fs.ReadFile(c.Files, name)
			if err == nil {
				sources[name] = own
				continue
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
		if sources[name], err = embedded.ReadFile("files/" + name); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

// imported is how a module names another one.
var imported = regexp.MustCompile(`(\bfrom |\bimport )"\./([a-z0-9_-]+\.js)"`)

// addAssets makes the files that are served as they are, but for the names of
// modules in modules, which become addresses under the console's own.
func (s *site) addAssets(sources map[string][]byte) {
	var all [][]byte
	for _, name := range sortedNames(sources) {
		all = append(all, []byte(name), sources[name])
	}
	s.version = digest(all...)
	for name, source := range sources {
		mediaType, served := assetTypes[path.Ext(name)]
		if !served {
			continue
		}
		if path.Ext(name) == ".js" {
			source = imported.ReplaceAll(source, []byte(`${1}"./`+strings.ReplaceAll(s.name, "$", "$$")+`?asset=${2}&v=`+s.version+`"`))
		}
		s.assets[name] = file(mediaType, source, askAgain)
		s.kept[name] = file(mediaType, source, forEver)
	}
}

// asset finds a file; v is the version that the page has asked for.
func (s *site) asset(name, v string) api.Response {
	if v == s.version {
		return s.kept[name]
	}
	return s.assets[name]
}

func (s *site) addPage(c *Console, p *api.Program, own api.EndpointIdentifier, source []byte) (err error) {
	s.page, err = render("page.html", source, pageData{
		Title:   cmp.Or(c.Title, defaultTitle),
		Base:    escaped(p.BasePath),
		Self:    escaped(own.URL()),
		Version: s.version,
		Count:   len(c.shown(p, own)),
		Groups:  groups(p, c.shown(p, own)),
	})
	return err
}

func (s *site) addForms(c *Console, p *api.Program, own api.EndpointIdentifier, source []byte) error {
	t, err := template.New("form.html").Parse(string(source))
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	shown := c.shown(p, own)
	for _, e := range shown {
		f, err := execute(t, newForm(p, e, shown))
		if err != nil {
			return err // the next ones would tell the same
		}
		s.forms[e.Endpoint.String()] = f
	}
	return nil
}

// shown are the endpoints that the page has.
func (c *Console) shown(p *api.Program, own api.EndpointIdentifier) (all []*api.Endpoint) {
	for i := range p.Endpoints {
		if c.AllVersions || p.Endpoints[i].Endpoint.Version() == own.Version() {
			all = append(all, &p.Endpoints[i])
		}
	}
	return all
}

func render(name string, source []byte, data any) (api.Response, error) {
	t, err := template.New(name).Parse(string(source))
	if err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return execute(t, data)
}

func execute(t *template.Template, data any) (api.Response, error) {
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	return file(mediaHTML, out.Bytes(), askAgain), nil
}

// escaped is a path as a browser shows it.
func escaped(path string) string { return (&url.URL{Path: path}).EscapedPath() }
