package console

import (
	"encoding/json"
	"html/template"
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
	Description       template.HTML
	Tags              []string
	Deprecated        bool
	Since, Sunset     string // dates; "": they are not known
	Documentation     string // URL of a page about the end of the endpoint
	Successor         string // the version that has it now
	SuccessorID       string // the endpoint there; "": the page does not have it
	Policies          []policyData
	PolicyJSON        string // the same, for the gauges
	Authorization     []alternative
	Sources           []source
	Others            []*field // those whose empty values are seldom sent
	Answers           []answer
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
	Key         string // "page"
	Description template.HTML
	Rules       string // "1 to 50"
	Hint        string // what to write
	Required    bool
	Offers      bool   // whether to send an empty value is asked beside it
	Kind        string // "text", "select", "file", "area"
	Prompt      string // of a select
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
	Hidden    bool
	Choices   []choice
}

type choice struct {
	Value, Label string
	Selected     bool
}

type example struct{ Name, Text string }

// manySlots are the controls of a parameter of several values.
const manySlots = 5

func newForm(p *api.Program, e *api.Endpoint, shown []*api.Endpoint) formData {
	d := formData{
		ID:            e.Endpoint.String(),
		Method:        e.Endpoint.Method(),
		Class:         strings.ToLower(e.Endpoint.Method()),
		Path:          p.BasePath + "/" + e.Endpoint.URL(),
		Template:      e.Endpoint.URL(),
		Summary:       e.Description.Summary,
		Description:   markup(e.Description.Description),
		Tags:          e.Description.Tags,
		Deprecated:    e.Description.Deprecated || !e.Lifecycle.Deprecated.IsZero(),
		Since:         date(e.Lifecycle.Deprecated),
		Sunset:        date(e.Lifecycle.Sunset),
		Documentation: e.Lifecycle.Documentation,
		Successor:     e.Lifecycle.Successor,
		Policies:      policies(e.Policies),
		Authorization: alternatives(e.Scheme),
		Answers:       answers(e),
	}
	if successor := succeeding(e, shown); successor != nil {
		d.SuccessorID = successor.Endpoint.String()
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
			for _, f := range s.Fields {
				if !f.Offers {
					d.Others = append(d.Others, f)
				}
			}
		}
	}
	return d
}

// succeeding is the endpoint of the same method and path in the version that has it
// now; nil: it is not shown.
func succeeding(e *api.Endpoint, shown []*api.Endpoint) *api.Endpoint {
	i := slices.IndexFunc(shown, func(other *api.Endpoint) bool {
		return other.Endpoint.Version() == e.Lifecycle.Successor && other.Endpoint.Method() == e.Endpoint.Method() &&
			slices.Equal(other.Endpoint.Segments(), e.Endpoint.Segments())
	})
	if i < 0 || shown[i] == e {
		return nil
	}
	return shown[i]
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
