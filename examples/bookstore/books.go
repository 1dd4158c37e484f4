package main

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
)

// isbn is an ISBN-13 in digits alone. It is read with hyphens and without.
type isbn string

// UnmarshalText reads an ISBN from a path, a query or a JSON string.
func (n *isbn) UnmarshalText(text []byte) error {
	digits := strings.ReplaceAll(string(text), "-", "")
	if len(digits) != 13 {
		return errNoISBN
	}
	sum := 0
	for i, digit := range []byte(digits) {
		if digit < '0' || digit > '9' {
			return errNoISBN
		}
		sum += int(digit-'0') * (1 + i%2*2) // 1 and 3 in turn
	}
	if sum%10 != 0 {
		return errNoISBN
	}
	*n = isbn(digits)
	return nil
}

var errNoISBN = errors.New("this is no ISBN-13")

// text is free text in one line, such as a title. It has no control characters (for
// SQLite a NUL ends a pattern), and something that can be seen unless it is empty.
type text string

// UnmarshalText reads a text from a query or a JSON string.
func (s *text) UnmarshalText(from []byte) error {
	if *s = text(from); *s != "" && isBlank(*s) || !utf8.Valid(from) || strings.ContainsFunc(string(from), breaksLine) {
		return errNoText
	}
	return nil
}

func isBlank(s text) bool {
	return !strings.ContainsFunc(string(s), func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

func breaksLine(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) }

var errNoText = errors.New("this is no text in one line")

// paging is a part of every list.
type paging struct {
	Page    int `query:"page" default:"1" validate:"min=1,max=10000" description:"from 1"`
	PerPage int `query:"perPage" default:"20" validate:"min=1,max=100"`
}

func (p paging) offset() int { return (p.Page - 1) * p.PerPage }

// pathOf is the path of an endpoint with one variable, in the version that the
// request was sent to.
func pathOf(r *api.Request, e api.EndpointIdentifier, variable, value string) (string, error) {
	return r.Program().Path(e.InVersion(r.Endpoint().Version()), url.Values{variable: {value}})
}

const maxCents = 100_000_00 // of one book
