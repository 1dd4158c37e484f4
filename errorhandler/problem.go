package errorhandler

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonpointer"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const (
	typeBlank = "about:blank"

	// typeQuotaExceeded is registered by draft-ietf-httpapi-ratelimit-headers-11,
	// section 5.1, together with the member violated-policies.
	typeQuotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"
)

// ProblemDetails answers with problem details (RFC 9457) as
// application/problem+json, whatever the client accepts: section 3 allows it.
//
//   - type is about:blank, or of a handler's error with a Code the TypeBase and
//     the Code. The Code alone stands as code, too.
//   - title is the phrase of the status, unless Titles has one for the type;
//     detail is the message for the client.
//   - instance is the path of the request as it was sent, without the query,
//     which may hold keys. A target that was too long has none.
//   - A refused limit has the type quota-exceeded, and limit, retryAfter (whole
//     seconds; left out when no wait helps) and policy of the refusal with the
//     longest wait; violated-policies names all that refused.
//   - Wrong input has errors, one for each fault: detail with in and name, or
//     with a pointer into the body (RFC 6901, as the fragment of a URI), and the
//     code of the rule.
//   - debug is the cause of a fault of the server, in debug mode only.
//
// The zero value is ready to use, also concurrently. No failure makes it panic
// or its answer fail to be encoded.
type ProblemDetails struct {
	// TypeBase is the URI in front of the codes of the program's errors, which
	// makes a type of each: "https://api.example.com/problems/". There may be a
	// page behind it, and need not be (RFC 9457, section 3.1.1). "": errors have
	// no types of their own.
	TypeBase string

	// Titles say what the types are, by code. A title belongs to its type and is
	// the same each time (RFC 9457, section 3.1.3); what an error says of its
	// occurrence is the Message. A type without a title has the phrase of the
	// status.
	Titles map[string]string
}

// Validate reports a TypeBase that makes no URIs, and titles without types.
func (h ProblemDetails) Validate() error {
	if h.TypeBase == "" {
		if len(h.Titles) > 0 {
			return errors.New("errorhandler.ProblemDetails: Titles need a TypeBase: what is about:blank has the phrase of the status")
		}
		return nil
	}
	u, err := url.Parse(h.TypeBase)
	if err != nil || !u.IsAbs() || u.User != nil || strings.ContainsFunc(h.TypeBase, notOfURI) || !strings.ContainsAny(h.TypeBase[len(h.TypeBase)-1:], "/#:=") {
		return errors.New(`errorhandler.ProblemDetails: TypeBase: write an absolute URI that ends where a code can follow, like "https://api.example.com/problems/"`)
	}
	return nil
}

// notOfURI tells characters that a URI has to escape (RFC 3986, section 2).
func notOfURI(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`{|}", r) }

// HandleError makes the answer.
func (h ProblemDetails) HandleError(_ context.Context, r *api.Request, f *api.Failure) api.Response {
	p := problem{
		Type:     typeBlank,
		Status:   status(f),
		Detail:   message(f),
		Instance: instance(r),
		Code:     f.Code,
		Debug:    cause(f),
	}
	p.Title = phrase(p.Status)
	if f.Code != "" && h.TypeBase != "" && f.Kind != api.KindRateLimit {
		p.Type = h.TypeBase + escape(f.Code)
		if title := h.Titles[f.Code]; title != "" {
			p.Title = title
		}
	}
	switch f.Kind {
	case api.KindURITooLong:
		p.Instance = ""
	case api.KindRateLimit:
		p.Type = typeQuotaExceeded
		p.refusal = newRefusal(f)
	case api.KindInput:
		p.Errors = inputErrors(f.Fields)
	}
	return api.JSONAs(mediaTypeProblem, p.Status, p)
}

type problem struct {
	Type     string `json:"type"`
	Title    string `json:"title,omitempty"`
	Status   int    `json:"status"`
	Detail   string `json:"detail"`
	Instance string `json:"instance,omitempty"`
	Code     string `json:"code,omitempty"`
	*refusal
	Errors []inputError `json:"errors,omitempty"`
	Debug  string       `json:"debug,omitempty"`
}

// escape writes a code as a part of a URI, wherever in it that is: all but the
// unreserved characters are escaped (RFC 3986, section 2.3).
func escape(code string) string { return strings.ReplaceAll(url.QueryEscape(code), "+", "%20") }

type refusal struct {
	Limit      int64    `json:"limit"`
	RetryAfter int64    `json:"retryAfter,omitempty"`
	Policy     string   `json:"policy"`
	Violated   []string `json:"violated-policies"`
}

// newRefusal is nil when no result of the failure is a refusal.
func newRefusal(f *api.Failure) *refusal {
	longest := f.Refused()
	if longest == nil {
		return nil
	}
	seconds, _ := ratelimit.RetryAfter(f.RateLimits)
	r := &refusal{Limit: longest.Limit, RetryAfter: seconds, Policy: policyName(longest)}
	for i := range f.RateLimits {
		if result := &f.RateLimits[i]; !result.Accepted {
			r.Violated = append(r.Violated, policyName(result))
		}
	}
	return r
}

// policyName is the name as the header fields have it, which hold printable
// ASCII alone, so that a client finds it there.
func policyName(result *ratelimit.Result) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, result.Policy)
}

type inputError struct {
	Detail  string `json:"detail"`
	Code    string `json:"code,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	In      string `json:"in,omitempty"`
	Name    string `json:"name,omitempty"`
}

func inputErrors(fields []api.FieldError) []inputError {
	errs := make([]inputError, len(fields))
	for i, field := range fields {
		errs[i].Detail, errs[i].Code = field.Message, field.Code
		if field.In == "body" {
			errs[i].Pointer = pointer(field.Name)
		} else {
			errs[i].In, errs[i].Name = field.In, field.Name
		}
	}
	return errs
}

// pointer reads the name of a fault in a body as [api.FieldError] defines it.
func pointer(name string) string {
	if name != "" && name[0] != '/' {
		name = jsonpointer.New(name)
	}
	return jsonpointer.Fragment(name)
}

// instance is a reference relative to the host. A path that begins with two
// slashes is none: clients would read a host into it.
func instance(r *api.Request) string {
	if r == nil || r.Request == nil || r.URL == nil {
		return ""
	}
	path := r.URL.EscapedPath()
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return ""
	}
	return path
}

// phrase is the phrase of a status in RFC 9110, section 15, where net/http still
// has some of older RFCs.
func phrase(status int) string {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return "Content Too Large"
	case http.StatusRequestURITooLong:
		return "URI Too Long"
	case http.StatusRequestedRangeNotSatisfiable:
		return "Range Not Satisfiable"
	case http.StatusUnprocessableEntity:
		return "Unprocessable Content"
	case api.StatusClientClosedRequest:
		return "Client Closed Request"
	}
	return http.StatusText(status)
}
