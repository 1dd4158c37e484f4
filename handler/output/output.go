// Package output has the answers that a handler declares in its description:
//
//	api.Description{Outputs: []api.Output{
//		output.JSON(200, `{"type": "object", "required": ["id"]}`).Description("the user"),
//		output.Redirect(303),
//		output.Empty(204),
//	}}
//
// An answer fits when it fits one of them; several may have one status.
package output

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/schema"
)

// Output is one answer of a handler. It is immutable, and safe for concurrent
// use: Description, Example and NamedExample return another one. Mistakes of the
// declaration are told when the program is built. The zero Output is a mistake.
type Output struct {
	kind        kind
	status      int
	mediaType   string
	description string
	text        string // the schema
	schema      *schema.Schema
	broken      error // why the schema cannot be read
	examples    []api.Example
}

type kind uint8

const (
	kindNone kind = iota
	kindJSON
	kindText
	kindXML
	kindRaw
	kindRedirect
	kindEmpty
)

// JSON is an answer of application/json, or of a media type that ends in +json,
// whose body fits the JSON Schema. "" is any JSON.
func JSON(status int, text string) Output {
	o := Output{kind: kindJSON, status: status, mediaType: "application/json", text: text}
	if text != "" {
		o.schema, o.broken = schema.Compile([]byte(text))
	}
	return o
}

// Text is an answer of plain text.
func Text(status int) Output { return Output{kind: kindText, status: status, mediaType: "text/plain"} }

// XML is an answer of text/xml, application/xml, or of a media type that ends in +xml.
func XML(status int) Output { return Output{kind: kindXML, status: status, mediaType: "text/xml"} }

// Raw is an answer of the media type, whatever its body is; "image/*" are all of
// that kind, and "*/*" all that have one. Parameters do not count.
func Raw(status int, mediaType string) Output {
	return Output{kind: kindRaw, status: status, mediaType: mediaType}
}

// Redirect is an answer with another location. Status 0 is 302.
func Redirect(status int) Output {
	if status == 0 {
		status = http.StatusFound
	}
	return Output{kind: kindRedirect, status: status}
}

// Empty is an answer without a body.
func Empty(status int) Output { return Output{kind: kindEmpty, status: status} }

// Description is the output with a text that says what it means; CommonMark.
func (o Output) Description(text string) Output {
	o.description = text
	return o
}

// Example is the output with one more example. The first one has no name, the
// others are NamedExamples.
func (o Output) Example(v any) Output { return o.NamedExample("", v) }

// NamedExample is the output with one more example.
func (o Output) NamedExample(name string, v any) Output {
	o.examples = append(slices.Clip(o.examples), api.Example{Name: name, Value: v})
	return o
}

// Describe describes the output. The error joins its mistakes.
func (o Output) Describe() (api.OutputInfo, error) {
	info := api.OutputInfo{
		Status:      o.status,
		MediaType:   o.mediaType,
		Description: o.description,
		Examples:    slices.Clone(o.examples),
		Location:    o.kind == kindRedirect,
	}
	if o.text != "" && o.broken == nil {
		info.Schema.JSON = []byte(o.text)
	}
	return info, errors.Join(o.checkStatus(), o.checkMediaType(), o.broken, o.checkExamples())
}

func (o Output) checkStatus() error {
	redirects := o.status >= 301 && o.status <= 303 || o.status == 307 || o.status == 308
	bodyless := o.status == http.StatusNoContent || o.status == http.StatusResetContent || o.status == http.StatusNotModified
	switch {
	case o.kind == kindNone:
		return errors.New("output: the zero Output is none: make one with a function of the package")
	case o.status < 200 || o.status > 999:
		return fmt.Errorf("output: %d cannot be the status of an answer", o.status)
	case o.kind == kindRedirect && !redirects:
		return fmt.Errorf("output: %d cannot be the status of a redirect", o.status)
	case o.kind != kindEmpty && bodyless:
		return fmt.Errorf("output: an answer with the status %d has no body: it is output.Empty", o.status)
	}
	return nil
}

func (o Output) checkExamples() error {
	var errs []error
	for i, example := range o.examples {
		if slices.ContainsFunc(o.examples[:i], func(e api.Example) bool { return e.Name == example.Name }) {
			errs = append(errs, fmt.Errorf("output: two examples have the name %q", example.Name))
		}
	}
	return errors.Join(errs...)
}
