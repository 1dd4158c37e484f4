package console

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
)

// formData is what form.html shows.
type formData struct {
	ID, Method, Class string
	Path              string // with the base path
	Template          string // behind it
	Summary           string
	Description       string
	Tags              []string
	Deprecated        bool
	Since, Sunset     string // dates; "": they are not known
	Documentation     string // URL of a page about the end of the endpoint
	Policies          []policyData
	PolicyJSON        string // the same, for the gauges
	Authorization     []alternative
	Sources           []source
}

// Steps are the parts of the path, between which a line may break.
func (d formData) Steps() []string { return steps(d.Path) }

// source has the fields of one part of the request.
type source struct {
	Title  string
	Fields []*field
}

// field is a parameter in the form.
type field struct {
	ID          string // of its first control
	Name        string // "query:page"
	Label       string // "Page * (integer)"
	Short       string // "Page"
	Description string
	Hint        string // what to write
	Required    bool
	Kind        string // "text", "select", "file", "area"
	Multi       bool
	InputMode   string
	Values      []slot // what stands in its controls
	Choices     []choice
	MediaType   string // of a body
	Accept      string // of a file
	Schema      string
	Examples    []example
}

// slot is one control of a field.
type slot struct {
	ID, Value string
	Number    int // from 1
	Choices   []choice
}

type choice struct {
	Value, Label string
	Selected     bool
}

type example struct{ Name, Text string }

// manySlots are the controls of a parameter of several values.
const manySlots = 5

func newForm(p *api.Program, e *api.Endpoint) formData {
	d := formData{
		ID:            e.Endpoint.String(),
		Method:        e.Endpoint.Method(),
		Class:         strings.ToLower(e.Endpoint.Method()),
		Path:          p.BasePath + "/" + e.Endpoint.URL(),
		Template:      e.Endpoint.URL(),
		Summary:       e.Description.Summary,
		Description:   e.Description.Description,
		Tags:          e.Description.Tags,
		Deprecated:    e.Description.Deprecated || !e.Lifecycle.Deprecated.IsZero(),
		Since:         date(e.Lifecycle.Deprecated),
		Sunset:        date(e.Lifecycle.Sunset),
		Documentation: e.Lifecycle.Documentation,
		Policies:      policies(e.Policies),
		Authorization: alternatives(e.Scheme),
	}
	text, err := json.Marshal(d.Policies)
	if err == nil { // texts and numbers can be encoded
		d.PolicyJSON = string(text)
	}
	inputs := undeclared(e)
	inputs = append(inputs, e.Inputs...)
	for _, title := range []string{"Path", "Query", "Header", "Cookies", "Form", "Body", "Other"} {
		if s := newSource(title, inputs); len(s.Fields) > 0 {
			d.Sources = append(d.Sources, s)
		}
	}
	return d
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

// undeclared are the variables of the path that the handler says nothing of: no
// call can do without them.
func undeclared(e *api.Endpoint) (all []api.Input) {
	for _, segment := range e.Endpoint.Segments() {
		name, _, ok := api.Variable(segment)
		if ok && !slices.ContainsFunc(e.Inputs, func(i api.Input) bool { return i.In == api.InPath && i.Name == name }) {
			all = append(all, api.Input{In: api.InPath, Name: name, Required: true, Type: "string"})
		}
	}
	return all
}

func newSource(title string, inputs []api.Input) source {
	s := source{Title: title}
	for i, input := range inputs {
		if titleOf(input.In) == title {
			s.Fields = append(s.Fields, newField(i, input))
		}
	}
	return s
}

func titleOf(in api.Source) string {
	switch in {
	case api.InPath:
		return "Path"
	case api.InQuery:
		return "Query"
	case api.InHeader:
		return "Header"
	case api.InCookie:
		return "Cookies"
	case api.InForm, api.InFile:
		return "Form"
	case api.InJSON, api.InRaw:
		return "Body"
	}
	return "Other"
}

// label is the name of a parameter for people: "user_name" is "User name".
func label(name string) string {
	name = strings.ReplaceAll(name, "_", " ")
	first, size := utf8.DecodeRuneInString(name)
	if size == 0 {
		return "Body"
	}
	return string(unicode.ToUpper(first)) + name[size:]
}
