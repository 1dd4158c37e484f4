package output

import (
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/schema"
)

// Check returns why an answer is not this output; nil: it fits. What a body lacks
// has its place in front: "[Property hello] ...". Of an answer that is not there
// as a whole, status and media type are checked.
//
// What HTTP answers in place of 200, because the request asks for it, fits as well:
// 304 every output (RFC 9110, section 15.4.5), and 206, a part, one with 200.
func (o Output) Check(a *api.Answer) []string {
	part := a.Status == http.StatusPartialContent && o.status == http.StatusOK
	switch {
	case a.Status == http.StatusNotModified && o.status != http.StatusNotModified:
		return nil
	case a.Status != o.status && !part:
		return []string{"Response code doesn't match"}
	}
	switch o.kind {
	case kindRedirect:
		if a.Header.Get("Location") == "" {
			return []string{"Response is not a redirect: it has no Location"}
		}
		return nil
	case kindEmpty:
		if len(a.Body) > 0 || a.Partial || part {
			return []string{"Response is not empty"}
		}
		return nil
	}
	contentType := a.Header.Get("Content-Type")
	if part && mediatype.Of(contentType) == "multipart/byteranges" { // several parts
		return nil
	}
	if reason := o.checkAnswerType(contentType); reason != "" {
		return []string{reason}
	}
	if o.kind != kindJSON || a.Partial || part {
		return nil
	}
	return o.checkBody(a.Body)
}

// maxDepth bounds the arrays and objects in each other. It is no limit on answers,
// which the program itself has made, but on what a check may cost.
const maxDepth = 10_000

func (o Output) checkBody(body []byte) (reasons []string) {
	document, faults := jsonvalue.Parse(body, jsonvalue.Limits{Depth: maxDepth})
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
		return mediatype.IsJSON(mediaType)
	case kindXML:
		return mediaType == "text/xml" || mediaType == "application/xml" || strings.HasSuffix(mediaType, "+xml")
	}
	return mediatype.Match(mediatype.Of(o.mediaType), mediaType)
}

// checkMediaType finds what no answer could have.
func (o Output) checkMediaType() error {
	if o.kind != kindRaw || mediatype.Valid(mediatype.Of(o.mediaType)) {
		return nil
	}
	return fmt.Errorf("output: %q is no media type", o.mediaType)
}
