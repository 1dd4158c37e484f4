package auth

import (
	"net/url"
	"strings"
)

// queryValues are the values of the parameter, without reading the others. A
// pair that net/url would leave out, as its name cannot be read or it holds a
// semicolon, is left out; a value that cannot be read is told.
func queryValues(query, name string) (values []string, readable bool) {
	for pair := range strings.SplitSeq(query, "&") {
		escaped, value, _ := strings.Cut(pair, "=")
		if found, err := url.QueryUnescape(escaped); err != nil || found != name || strings.Contains(pair, ";") {
			continue
		}
		value, err := url.QueryUnescape(value)
		if err != nil {
			return nil, false
		}
		values = append(values, value)
	}
	return values, true
}
