package handler

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// The keys of struct tags that [Typed] reads.
const (
	tagBody        = "body"
	tagAccept      = "accept"
	tagMaxSize     = "maxSize"
	tagDefault     = "default"
	tagEnum        = "enum"
	tagFormat      = "format"
	tagValidate    = "validate"
	tagDescription = "description"
	tagExample     = "example"
)

// locations are the keys that say where a value comes from.
var locations = []string{
	string(api.InPath), string(api.InQuery), string(api.InHeader), string(api.InCookie),
	string(api.InForm), string(api.InFile), string(api.InJSON), tagBody,
}

var tagKeys = append([]string{
	tagAccept, tagMaxSize, tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample,
}, locations...)

// fits are the keys that each source has besides its location. Members of a JSON
// body are the binder's.
var fits = map[api.Source][]string{
	api.InPath:   {tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
	api.InQuery:  {tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
	api.InHeader: {tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
	api.InCookie: {tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
	api.InForm:   {tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
	api.InFile:   {tagAccept, tagMaxSize, tagValidate, tagDescription},
	api.InRaw:    {tagAccept, tagValidate, tagDescription, tagExample},
	api.InJSON:   {tagValidate, tagDescription, tagExample},
	inMember:     {tagDefault, tagEnum, tagFormat, tagValidate, tagDescription, tagExample},
}

// inMember is a member of the JSON body, as long as the plan is made.
const inMember api.Source = "member"

// tags are those of one field.
type tags map[string]string

// parseTags reads a struct tag in its conventional form and nothing else:
// reflect.StructTag would take a tag with a flaw for an empty one.
func parseTags(text string) (tags, error) {
	all := tags{}
	for rest := strings.TrimLeft(text, " "); rest != ""; {
		key, value, ok := strings.Cut(rest, ":")
		if !ok || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7f }) {
			return nil, errors.New(`the struct tag is no list of key:"value"`)
		}
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil || quoted[0] != '"' {
			return nil, fmt.Errorf("the struct tag has no value in double quotes for %s", key)
		}
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("the struct tag has %s twice", key)
		}
		if all[key], err = strconv.Unquote(quoted); err != nil {
			return nil, fmt.Errorf("the struct tag has no value in double quotes for %s", key)
		}
		after := value[len(quoted):]
		if rest = strings.TrimLeft(after, " "); rest != "" && rest == after {
			return nil, fmt.Errorf("the struct tag has no space behind %s", key)
		}
	}
	return all, nil
}

// misspelled are the mistakes of keys that are nearly ours.
func (t tags) misspelled() (errs []error) {
	for _, key := range t.keys() {
		if slices.Contains(tagKeys, key) || key == "bson" { // bson is json's neighbor, and well known
			continue
		}
		for _, known := range tagKeys {
			if near(strings.ToLower(key), strings.ToLower(known)) {
				errs = append(errs, fmt.Errorf("unknown tag %s: did you mean %s?", key, known))
				break
			}
		}
	}
	return errs
}

// keys are those of the tag, sorted.
func (t tags) keys() []string {
	keys := make([]string, 0, len(t))
	for key := range t {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// located are the keys that say where the value comes from. json:"-" says only
// where it does not come from.
func (t tags) located() (keys []string) {
	for _, key := range locations {
		if value, ok := t[key]; ok && (key != string(api.InJSON) || value != "-") {
			keys = append(keys, key)
		}
	}
	return keys
}

// strangers are the keys of ours that the source does not have.
func (t tags) strangers(source api.Source) (keys []string) {
	for _, key := range t.keys() {
		if slices.Contains(tagKeys, key) && !slices.Contains(locations, key) && !slices.Contains(fits[source], key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// near reports whether a becomes b by one letter that is added, removed or
// changed, or by two neighbors that change places.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i == len(a) || a[i+1:] == b[i+1:] ||
			i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	case 1:
		return a[i:] == b[i+1:]
	}
	return false
}

// list is the value of a tag that holds several, without the spaces around them.
func list(text string) []string {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// size reads the tag maxSize: bytes, KiB, MiB or GiB.
func size(text string) (int64, error) {
	digits, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			digits, shift = number, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > 1<<62>>shift {
		return 0, fmt.Errorf("maxSize %q is no size such as 500, 64KiB or 1MiB", text)
	}
	return n << shift, nil
}
