package output

import (
	"fmt"
	"mime"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/schema"
)

// Check returns why an answer is not this output; nil: it fits. What a body lacks
// has its place in front: "[Property hello] ...". Of an answer that is not there
// as a whole, status and media type are checked.
func (o Output) Check(a *api.Answer) []string {
	if a.Status != o.status {
		return []string{"Response code doesn't match"}
	}
	switch o.kind {
	case kindRedirect:
		if a.Header.Get("Location") == "" {
			return []string{"Response is not a redirect: it has no Location"}
		}
		return nil
	case kindEmpty:
		if len(a.Body) > 0 || a.Partial {
			return []string{"Response is not empty"}
		}
		return nil
	}
	if reason := o.checkAnswerType(a.Header.Get("Content-Type")); reason != "" {
		return []string{reason}
	}
	if o.kind != kindJSON || a.Partial {
		return nil
	}
	return o.checkBody(a.Body)
}

func (o Output) checkBody(body []byte) (reasons []string) {
	document, faults := jsonvalue.Parse(body, jsonvalue.Limits{})
	for _, f := range faults {
		reasons = append(reasons, "Response is not JSON: "+schema.Prefixed(f.Pointer, f.Message))
	}
	if len(faults) > 0 || o.schema == nil {
		return reasons
	}
	for _, v := range o.schema.Check(document.Any()) {
		reasons = append(reasons, schema.Prefixed(v.Pointer, v.Message))
	}
	return reasons
}

// checkAnswerType tells a response of another kind by its Content-Type.
func (o Output) checkAnswerType(contentType string) string {
	name := map[kind]string{kindJSON: "JSON", kindText: "text", kindXML: "XML", kindRaw: o.mediaType}[o.kind]
	if contentType == "" {
		return fmt.Sprintf("Response is not %s: it has no Content-Type", name)
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fmt.Sprintf("Response is not %s: its Content-Type cannot be read", name)
	}
	if !o.matches(mediaType) {
		return fmt.Sprintf("Response is not %s: it is %s", name, mediaType)
	}
	return ""
}

func (o Output) matches(mediaType string) bool {
	switch o.kind {
	case kindJSON:
		return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
	case kindXML:
		return mediaType == "text/xml" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml")
	}
	wanted, _, err := mime.ParseMediaType(o.mediaType)
	if err != nil {
		return false
	}
	if all, ok := strings.CutSuffix(wanted, "*"); ok {
		return wanted == "*/*" || strings.HasPrefix(mediaType, all)
	}
	return mediaType == wanted
}

// checkMediaType finds what no answer could have.
func (o Output) checkMediaType() error {
	if o.kind != kindRaw {
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(o.mediaType)
	if err == nil {
		main, sub, ok := strings.Cut(mediaType, "/")
		if ok && main != "" && sub != "" && (main != "*" || sub == "*") {
			return nil
		}
	}
	return fmt.Errorf("output: %q is no media type", o.mediaType)
}
