package typeschema

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// constrain writes the rules that JSON Schema has keywords for. What stands behind
// "omitempty" does not hold of a zero value, so it is left out.
func constrain(node *jsontree.Object, t reflect.Type, r *rules.Rules) {
	for _, tag := range r.Tags() {
		if tag == "omitempty" {
			return
		}
		if strings.Contains(tag, "|") {
			continue
		}
		name, param, _ := strings.Cut(tag, "=")
		param = strings.NewReplacer("0x2C", ",", "0x7C", "|").Replace(param)
		switch t.Kind() {
		case reflect.String:
			constrainText(node, name, param)
		case reflect.Slice, reflect.Array:
			if name == "unique" && param == "" && !isBytes(t, Read) {
				node.Set("uniqueItems", true)
			} else if !isBytes(t, Read) {
				constrainSize(node, "Items", name, param)
			}
		case reflect.Map:
			constrainSize(node, "Properties", name, param)
		case reflect.Struct, reflect.Bool:
		default:
			if t != durationType {
				constrainNumber(node, name, param)
			}
		}
	}
}

func constrainText(node *jsontree.Object, name, param string) {
	switch name {
	case "eq":
		node.Set("const", param)
	case "oneof":
		node.Set("enum", words(param, func(s string) any { return s }))
	case "startswith":
		match(node, "^"+regexp.QuoteMeta(param))
	case "endswith":
		match(node, regexp.QuoteMeta(param)+"$")
	case "contains":
		match(node, regexp.QuoteMeta(param))
	default:
		if pattern, ok := patterns[name]; ok {
			match(node, pattern)
		} else if format, ok := formats[name]; ok {
			node.Set("format", format)
		} else {
			constrainSize(node, "Length", name, param)
		}
	}
}

// match asks for a pattern besides those that are asked for already.
func match(node *jsontree.Object, pattern string) {
	if _, another := node.Get("pattern"); !another {
		node.Set("pattern", pattern)
		return
	}
	list, _ := node.Get("allOf")
	all, _ := list.([]any)
	node.Set("allOf", append(all, jsontree.Of("pattern", pattern)))
}

// constrainSize bounds a number of characters, items or properties.
func constrainSize(node *jsontree.Object, of, name, param string) {
	n, err := strconv.ParseInt(param, 0, 64)
	if err != nil {
		return
	}
	switch name {
	case "gt":
		name, n = "min", n+1
	case "lt":
		name, n = "max", n-1
	}
	if n < 0 {
		return
	}
	switch name {
	case "min", "gte":
		node.Set("min"+of, n)
	case "max", "lte":
		node.Set("max"+of, n)
	case "len", "eq":
		node.Set("min"+of, n)
		node.Set("max"+of, n)
	}
}

func constrainNumber(node *jsontree.Object, name, param string) {
	value, ok := number(param).(json.Number)
	switch name {
	case "oneof":
		node.Set("enum", words(param, number))
		return
	case "isdefault":
		node.Set("const", json.Number("0"))
		return
	}
	if !ok {
		return
	}
	switch name {
	case "min", "gte":
		node.Set("minimum", value)
	case "max", "lte":
		node.Set("maximum", value)
	case "gt":
		node.Set("exclusiveMinimum", value)
	case "lt":
		node.Set("exclusiveMaximum", value)
	case "eq", "len":
		node.Set("const", value)
	}
}

// word is one of a list as validator splits it.
var word = regexp.MustCompile(`'[^']*'|\S+`)

func words(list string, as func(string) any) (values []any) {
	for _, w := range word.FindAllString(list, -1) {
		values = append(values, as(strings.ReplaceAll(w, "'", "")))
	}
	return values
}

// number is a text as validator reads a number, in the digits of JSON.
func number(text string) any {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return json.Number(strconv.FormatInt(n, 10))
	}
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return json.Number(strconv.FormatUint(n, 10))
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) && f == f {
		return json.Number(text)
	}
	return text
}

// patterns are rules about texts that are regular expressions.
var patterns = map[string]string{
	"alpha": "^[a-zA-Z]+$", "alphanum": "^[a-zA-Z0-9]+$", "number": "^[0-9]+$",
	"numeric": `^[-+]?[0-9]+(?:\.[0-9]+)?$`, "hexadecimal": "^(0[xX])?[0-9a-fA-F]+$",
	"e164": `^\+?[1-9]\d{7,14}$`,
}

// formats are rules about texts that JSON Schema has a format for.
var formats = map[string]string{
	"email": "email", "url": "uri", "uri": "uri", "http_url": "uri", "https_url": "uri",
	"uuid": "uuid", "uuid3": "uuid", "uuid4": "uuid", "uuid5": "uuid", "uuid7": "uuid",
	"ipv4": "ipv4", "ipv6": "ipv6", "hostname": "hostname", "hostname_rfc1123": "hostname", "fqdn": "hostname",
}
