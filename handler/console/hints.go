package console

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// rulesText are the rules of a parameter in words, "1 to 50 · at most 3 values".
func rulesText(input api.Input) string {
	var all []string
	if n := input.MaxSize; n > 0 {
		all = append(all, "at most "+sizeText(n))
	}
	if input.In != api.InJSON && input.In != api.InRaw && input.Schema.JSON != nil {
		r := newReader(input.Schema.JSON)
		if n, ok := r.node(r.root); ok {
			all = append(all, r.rules(n, input.Allowed != nil)...)
		}
	}
	return strings.Join(all, " · ")
}

// rules are those of a value. Allowed values are in a list already.
func (r *reader) rules(n *node, allowed bool) (all []string) {
	if n.kind() == "array" {
		if element, ok := r.node(n.keywords["items"]); ok {
			all = r.rules(element, allowed)
		}
		all = append(all, span(n.bound("minItems"), n.bound("maxItems"), "value"))
		if string(n.keywords["uniqueItems"]) == "true" {
			all = append(all, "no two alike")
		}
		return without(all)
	}
	all = append(all, formats[text(n.keywords["format"])], n.interval())
	all = append(all, span(n.bound("minLength"), n.bound("maxLength"), "character"))
	if step := n.bound("multipleOf"); step != "" {
		all = append(all, "a multiple of "+step)
	}
	if pattern := text(n.keywords["pattern"]); pattern != "" {
		all = append(all, "matches "+pattern)
	}
	if values := list(n.keywords["enum"]); len(values) > 0 && len(values) <= 20 && !allowed {
		all = append(all, "one of "+joined(values))
	}
	return without(all)
}

// formats are those that the type of a parameter does not tell yet.
var formats = map[string]string{
	"email": "an e-mail address", "idn-email": "an e-mail address", "uri": "a URL", "url": "a URL", "iri": "a URL", "uuid": "a UUID",
	"hostname": "a host name", "ipv4": "an IPv4 address", "ipv6": "an IPv6 address", "regex": "a regular expression",
}

// interval is between which numbers the value is.
func (n *node) interval() string {
	low, high := n.bound("minimum"), n.bound("maximum")
	if low != "" && n.isExclusive("minimum") {
		low = ""
	}
	if high != "" && n.isExclusive("maximum") {
		high = ""
	}
	parts := []string{span(low, high, "")}
	for _, of := range []struct{ keyword, bound, words string }{
		{"exclusiveMinimum", "minimum", "more than "}, {"exclusiveMaximum", "maximum", "less than "},
	} {
		bound := n.bound(of.keyword)
		if string(n.keywords[of.keyword]) == "true" {
			bound = n.bound(of.bound)
		}
		if bound != "" {
			parts = append(parts, of.words+bound)
		}
	}
	return strings.Join(without(parts), " and ")
}

// bound is a number as the schema writes it; "": it has none.
func (n *node) bound(keyword string) string {
	if _, ok := n.number(keyword); !ok {
		return ""
	}
	return string(n.keywords[keyword])
}

// span is a range in words, of things that a word counts.
func span(low, high, word string) string {
	if word != "" {
		last := high
		if last == "" {
			last = low
		}
		if last != "1" {
			word += "s"
		}
		word = " " + word
		if low == "0" {
			low = ""
		}
	}
	switch {
	case low == "" && high == "":
		return ""
	case low == "":
		return "at most " + high + word
	case high == "":
		return "at least " + low + word
	case low == high:
		return "exactly " + low + word
	}
	return low + " to " + high + word
}

func without(all []string) (filled []string) {
	for _, text := range all {
		if text != "" {
			filled = append(filled, text)
		}
	}
	return filled
}

func joined(values []json.RawMessage) string {
	all := make([]string, len(values))
	for i, value := range values {
		if all[i] = text(value); all[i] == "" {
			all[i] = string(value)
		}
	}
	return strings.Join(all, ", ")
}

// sizeText is a number of bytes for people, "1 MiB".
func sizeText(n int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		size := int64(1) << (30 - 10*i)
		if n < size {
			continue
		}
		return strconv.FormatFloat(float64(n*10/size)/10, 'f', -1, 64) + " " + unit
	}
	return fmt.Sprintf("%d bytes", n)
}
