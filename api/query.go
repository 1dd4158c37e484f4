package api

import (
	"net/http"
	"net/url"
)

type readQuery struct {
	values url.Values
	err    error
}

// QueryValues are the parameters of the query, read once and strictly: a query
// that breaks the syntax of application/x-www-form-urlencoded is an [Error] with
// the status 400. Nobody changes the result.
func (r *Request) QueryValues() (url.Values, error) {
	if r.query == nil {
		r.query = &readQuery{}
		if r.Request != nil && r.URL != nil && r.URL.RawQuery != "" {
			r.query.values, r.query.err = parseQuery(r.URL.RawQuery)
		}
	}
	return r.query.values, r.query.err
}

func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, Error{Status: http.StatusBadRequest, Err: err, Fields: []FieldError{
			{In: string(InQuery), Code: "syntax", Message: "The query of the request cannot be read"},
		}}
	}
	return values, nil
}
