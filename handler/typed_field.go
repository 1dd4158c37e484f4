package handler

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/textvalue"
)

// field adds one field to the plan.
func (p *planner) field(f *field, embeds bool) {
	located := f.tags.located()
	value, filled := fills[f.Type]
	_, hasJSON := f.tags["json"]
	switch {
	case filled && len(located) > 0:
		p.mistake(f.at, fmt.Errorf("a %s is filled in: it has no tag %s", f.Type, located[0]))
	case filled && f.IsExported():
		p.strangers(f, "", "a "+f.Type.String())
		p.plan.fills = append(p.plan.fills, fill{f.index, value})
	case len(located) > 1:
		p.mistake(f.at, fmt.Errorf("it has the tags %s: a value comes from one place", strings.Join(located, " and ")))
	case len(located) == 1 && !f.IsExported():
		p.mistake(f.at, errUnexported(located[0]))
	case len(located) == 1:
		p.located(f, located[0])
	case hasJSON: // "-"
	case embeds && readsItself(f.Type):
		p.mistake(f.at, fmt.Errorf(`a %s is one value and has no fields to embed: say where it comes from, or write json:"-"`, f.Type))
	case embeds:
		p.strangers(f, "", "an embedded struct")
		p.walk(f.Type, f.index, f.at)
	case f.Anonymous && f.Type.Kind() == reflect.Pointer:
		p.mistake(f.at, errEmbeddedPointer)
	default:
		p.mistake(f.at, errors.New(`it has no tag that says where it comes from: write json:"-" to leave it out`))
	}
}

func errUnexported(key string) error { return fmt.Errorf("it is unexported and has the tag %s", key) }

// readsItself tells a struct that is read as one value.
func readsItself(t reflect.Type) bool {
	_, optional := rules.Optional(t)
	_, err := textvalue.New(t, "")
	return optional || err == nil || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// strangers refuses keys of ours that a source does not have; "" has none.
func (p *planner) strangers(f *field, source api.Source, what string) {
	for _, key := range f.tags.strangers(source) {
		p.mistake(f.at, fmt.Errorf("the tag %s does not fit %s", key, what))
	}
}

// located adds a field that says where it comes from.
func (p *planner) located(f *field, location string) {
	f.name = f.tags[location]
	f.source = api.Source(location)
	switch location {
	case tagBody:
		switch f.name {
		case "json":
			f.source = api.InJSON
		case "raw":
			f.source = api.InRaw
		default:
			p.mistake(f.at, fmt.Errorf("body %q is neither json nor raw", f.name))
			return
		}
		location += ":" + f.name
		f.name = ""
	case string(api.InJSON):
		f.source = inMember
		f.name, _, _ = strings.Cut(f.name, ",")
		if f.name == "" {
			f.name = f.Name
		}
	default:
		if err := checkName(f.source, &f.name); err != nil {
			p.mistake(f.at, err)
			return
		}
	}
	p.strangers(f, f.source, location)
	if !p.take(f) {
		return
	}
	switch f.source {
	case inMember:
		p.members = append(p.members, jsonvalue.Field{Index: f.index, Struct: f.StructField})
	case api.InJSON:
		p.addJSON(f)
	case api.InRaw:
		p.addRaw(f)
	case api.InFile:
		p.addFile(f)
	default:
		p.addText(f)
	}
}

// checkName refuses a name that the source cannot have, and brings that of a
// header field to the form that net/http has.
func checkName(source api.Source, name *string) error {
	switch {
	case *name == "":
		return fmt.Errorf("the name of the %s value is empty", source)
	case strings.Contains(*name, ","):
		return fmt.Errorf("the tag %s holds a name and nothing else", source)
	case (source == api.InHeader || source == api.InCookie) && !httptoken.Is(*name):
		return fmt.Errorf("%q is no name of a %s", *name, source)
	case source == api.InHeader:
		if *name = http.CanonicalHeaderKey(*name); *name == "Host" {
			return errors.New("net/http keeps Host out of the header: take it from a field of type *http.Request")
		}
	}
	return nil
}

// take refuses two fields for one value, and two readings of one body.
func (p *planner) take(f *field) bool {
	kind, body := f.source, f.source == inMember
	if f.source.Body() {
		body = true
		if kind == api.InFile {
			kind = api.InForm // the fields and the files of a form have one set of names
		}
	}
	key := string(kind) + ":" + f.name
	if by, taken := p.taken[key]; taken {
		p.mistake(f.at, fmt.Errorf("it takes what %s takes already", by))
		return false
	}
	p.taken[key] = f.at
	if !body {
		return true
	}
	for other, at := range p.bodies {
		if other != kind {
			p.mistake(f.at, fmt.Errorf("the body is %s, and for %s it is %s: it cannot be both",
				bodyKinds[kind], at, bodyKinds[other]))
			return false
		}
	}
	p.bodies[kind] = f.at
	return true
}

var bodyKinds = map[api.Source]string{
	api.InForm: "a form", api.InRaw: "raw", api.InJSON: "the JSON of one field", inMember: "JSON with members",
}
