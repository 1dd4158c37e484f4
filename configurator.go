package sallyport

import (
	"errors"
	"net/http"
	"os"

	"github.com/sallyport-go/sallyport/api"
)

// An OutputConfigurator switches on what helps developers and nobody else, for
// each request. An implementation is safe for concurrent use.
type OutputConfigurator interface {
	// ValidateSchema reports whether the answer is checked by the outputs that
	// the handler declares. One that fits none of them is a 500.
	ValidateSchema(r *http.Request) bool

	// ShowErrorDetail reports whether the client gets to see causes of failures.
	ShowErrorDetail(r *http.Request) bool
}

// Switches is an [OutputConfigurator] that is the same for every request. The
// zero value is off.
type Switches struct{ Schema, Detail bool }

// ValidateSchema is the field Schema.
func (s Switches) ValidateSchema(*http.Request) bool { return s.Schema }

// ShowErrorDetail is the field Detail.
func (s Switches) ShowErrorDetail(*http.Request) bool { return s.Detail }

// EnvConfigurator switches both on unless an environment variable says that this
// is production, or is not set. It is read when the configurator is made. "" is
// the variable APP_ENV, and the value "production".
func EnvConfigurator(variable, production string) OutputConfigurator {
	if variable == "" {
		variable = "APP_ENV"
	}
	if production == "" {
		production = "production"
	}
	value, set := os.LookupEnv(variable)
	on := set && value != "" && value != production
	return Switches{Schema: on, Detail: on}
}

// QueryConfigurator lets a request switch by its query: schema_validate and
// error_detail, each on when it is there and neither "0" nor "false". Whoever may
// do that sees the inside of the program, so it does nothing without a Guard.
type QueryConfigurator struct {
	// Guard tells who may switch: the addresses of developers, a secret header
	// field. It is required.
	Guard func(r *http.Request) bool

	SchemaParam string // "": "schema_validate"
	DetailParam string // "": "error_detail"
}

// Validate refuses a missing Guard.
func (q QueryConfigurator) Validate() error {
	if q.Guard == nil {
		return errors.New("QueryConfigurator has no Guard: any client could switch")
	}
	return nil
}

// ValidateSchema looks for the schema's parameter.
func (q QueryConfigurator) ValidateSchema(r *http.Request) bool {
	return q.on(r, q.SchemaParam, "schema_validate")
}

// ShowErrorDetail looks for the detail's parameter.
func (q QueryConfigurator) ShowErrorDetail(r *http.Request) bool {
	return q.on(r, q.DetailParam, "error_detail")
}

func (q QueryConfigurator) on(r *http.Request, name, otherwise string) bool {
	if r.URL.RawQuery == "" {
		return false
	}
	if name == "" {
		name = otherwise
	}
	values, sent := r.URL.Query()[name]
	return sent && values[0] != "0" && values[0] != "false" && q.Guard != nil && q.Guard(r)
}

// showDetail and validateSchema ask the configurator about a request. What
// panics there is off.
func (p *Presenter) showDetail(r *api.Request) bool {
	return p.config.Debug || p.asks(func(c OutputConfigurator) bool { return c.ShowErrorDetail(r.Request) })
}

func (p *Presenter) validateSchema(r *api.Request) bool {
	return p.asks(func(c OutputConfigurator) bool { return c.ValidateSchema(r.Request) })
}

func (p *Presenter) asks(question func(OutputConfigurator) bool) (on bool) {
	if p.config.Output == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			on = false
		}
	}()
	return question(p.config.Output)
}
