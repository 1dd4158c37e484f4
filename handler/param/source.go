package param

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// one is the first text that was sent under the name itself, and how many.
func (d *declaration[T]) one(r *api.Request) (text string, n int, err error) {
	if d.source == api.InPath {
		for _, p := range r.PathValues {
			if p.Name == d.name {
				return p.Value, 1, nil
			}
		}
		return "", 0, nil
	}
	var texts []string
	switch d.source {
	case api.InHeader:
		texts = header(r, d.name)
	case api.InCookie:
		if r.Request != nil {
			for _, c := range r.CookiesNamed(d.name) {
				texts = append(texts, c.Value)
			}
		}
	default:
		values, err := d.fields(r)
		if err != nil {
			return "", 0, err
		}
		texts = values[d.name]
	}
	if len(texts) == 0 {
		return "", 0, nil
	}
	return texts[0], len(texts), nil
}

// fields are those of the query or the form.
func (d *declaration[T]) fields(r *api.Request) (map[string][]string, error) {
	if d.source == api.InQuery {
		return r.QueryValues()
	}
	form, err := r.FormFields()
	if err != nil {
		return nil, err
	}
	return form.Value, nil
}

// header are the lines of a field; net/http keeps Host apart.
func header(r *api.Request, name string) []string {
	switch {
	case r.Request == nil:
		return nil
	case http.CanonicalHeaderKey(name) == "Host" && r.Host != "":
		return []string{r.Host}
	}
	return r.Header.Values(name)
}

// element is one of several values.
type element struct {
	name string // "": it has none
	text string
}

// many are the values that were sent as a list.
func (d *declaration[T]) many(r *api.Request) (all []element, err error) {
	if d.source == api.InHeader {
		for _, line := range header(r, d.name) {
			for text := range strings.SplitSeq(line, ",") {
				if text = strings.Trim(text, " \t"); text != "" { // RFC 9110, section 5.6.1
					all = append(all, element{text: text})
				}
			}
		}
		return all, nil
	}
	fields, err := d.fields(r)
	if err != nil {
		return nil, err
	}
	if plain := fields[d.name]; len(plain) > 1 {
		all = appendTexts(all, plain)
	}
	all = appendTexts(all, fields[d.name+"[]"])
	unnamed := len(all)
	faults := faults{in: string(d.source), name: d.name}
	for key, texts := range fields {
		switch name, form := bracketed(key, d.name); {
		case form == nestedList:
			faults.add("nested", "Field contains nested values")
		case form != listElement || name == "":
		case len(texts) > 1:
			faults.add("repeated", "Field was sent more than once")
		default:
			all = append(all, element{name, texts[0]})
		}
	}
	slices.SortFunc(all[unnamed:], byName)
	slices.SortFunc(faults.list, func(a, b api.FieldError) int { return cmp.Compare(a.Code, b.Code) })
	return all, faults.err()
}

func appendTexts(all []element, texts []string) []element {
	for _, text := range texts {
		all = append(all, element{text: text})
	}
	return all
}

// form is what a key is to a parameter.
type form uint8

const (
	unrelated form = iota
	listElement
	nestedList
)

// bracketed reads the key "name[a]".
func bracketed(key, name string) (element string, f form) {
	inner, ok := strings.CutPrefix(key, name)
	if !ok || inner == "" || inner[0] != '[' {
		return "", unrelated
	}
	element, rest, closed := strings.Cut(inner[1:], "]")
	switch {
	case closed && rest == "":
		return element, listElement
	case closed && rest[0] == '[':
		return "", nestedList
	}
	return "", unrelated
}

// byName puts numbers first, in their order.
func byName(a, b element) int {
	m, errA := strconv.ParseUint(a.name, 10, 64)
	n, errB := strconv.ParseUint(b.name, 10, 64)
	switch {
	case errA == nil && errB == nil:
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a.name, b.name))
	case errA == nil:
		return -1
	case errB == nil:
		return 1
	}
	return cmp.Compare(a.name, b.name)
}
