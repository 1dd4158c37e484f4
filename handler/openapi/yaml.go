package openapi

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/jsontree"
)

// appendYAML appends a tree as YAML that every version of it reads alike: a text is
// written in the double quotes of JSON unless it is plainly a word, in one line.
func appendYAML(dst []byte, v any, indent int) []byte {
	switch v := v.(type) {
	case *jsontree.Object:
		if len(v.Members) == 0 {
			return append(dst, "{}\n"...)
		}
		for i, m := range v.Members {
			if i > 0 {
				dst = appendIndent(dst, indent)
			}
			dst = append(append(dst, yamlText(m.Name)...), ':')
			dst = appendInner(dst, m.Value, indent+2)
		}
		return dst
	case []any:
		if len(v) == 0 {
			return append(dst, "[]\n"...)
		}
		for i, item := range v {
			if i > 0 {
				dst = appendIndent(dst, indent)
			}
			dst = appendYAML(append(dst, "- "...), item, indent+2)
		}
		return dst
	case string:
		return append(append(dst, yamlText(v)...), '\n')
	case nil:
		return append(dst, "null\n"...)
	}
	return append(fmt.Append(dst, v), '\n') // a json.Number, a bool
}

// appendInner appends the value of a member: in the same line, or below it.
func appendInner(dst []byte, v any, indent int) []byte {
	object, isObject := v.(*jsontree.Object)
	list, isList := v.([]any)
	if isObject && len(object.Members) > 0 || isList && len(list) > 0 {
		return appendYAML(appendIndent(append(dst, '\n'), indent), v, indent)
	}
	return appendYAML(append(dst, ' '), v, indent)
}

func appendIndent(dst []byte, n int) []byte { return append(dst, strings.Repeat(" ", n)...) }

var (
	word = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*(/[A-Za-z0-9_+.-]+)?$`)

	// notTexts are words that some version of YAML takes for something else.
	notTexts = strings.Fields("y n yes no on off true false null nan inf")
)

func yamlText(s string) string {
	if word.MatchString(s) && !slices.Contains(notTexts, strings.ToLower(s)) {
		return s
	}
	quoted, err := jsontree.Append(nil, s)
	if err != nil { // a text can be written
		return `""`
	}
	if !strings.ContainsFunc(string(quoted), unprintable) {
		return string(quoted)
	}
	var b strings.Builder
	for _, r := range string(quoted) {
		if unprintable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable tells what JSON has in texts as it is, and YAML has not.
func unprintable(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff
}
