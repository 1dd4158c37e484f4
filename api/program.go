package api

import "github.com/sallyport-go/sallyport/ratelimit"

// Program is what a presenter serves, with every default in its place. It is
// made when the presenter is built, and immutable.
type Program struct {
	BasePath     string // "/api"; "" for none
	BaseURL      string // scheme and host in front of it, "https://api.example.com"; "" when they are not configured
	Endpoints    []Endpoint
	ErrorHandler ErrorHandler

	index map[EndpointIdentifier]int
}

// Endpoint is one registration of a [Program].
type Endpoint struct {
	Api         // as registered, with the defaults in their places
	Scheme      Scheme
	Description Description            // of the handler; zero when it says nothing
	Inputs      []Input                // of the declared parameters, and those that the handler reads itself
	Outputs     []OutputInfo           // of the declared answers
	Lifecycle   Lifecycle              // its own, and that of its version for what it leaves open
	Policies    []ratelimit.PolicyInfo // its rate limits, in the order in which they are asked
}

// A Binder is a part of a program that needs to know the whole of it, such as a
// handler that lists the endpoints. Bind is called once for each presenter that
// the part belongs to, when everything else is built. Its errors are mistakes of
// the program. A part that serves requests finds the program of each by
// [Request.Program].
type Binder interface {
	Bind(p *Program) error
}

// NewProgram makes a program that finds its endpoints. The presenter calls it.
func NewProgram(p Program) *Program {
	p.index = make(map[EndpointIdentifier]int, len(p.Endpoints))
	for i := range p.Endpoints {
		p.index[p.Endpoints[i].Endpoint] = i
	}
	return &p
}

// Find returns what is registered for an endpoint, or nil.
func (p *Program) Find(e EndpointIdentifier) *Endpoint {
	if i, ok := p.index[e]; ok {
		return &p.Endpoints[i]
	}
	return nil
}

// Program is the program that serves the request, or nil when none does.
func (r *Request) Program() *Program { return r.program }

// SetProgram is called by the presenter.
func (r *Request) SetProgram(p *Program) { r.program = p }
