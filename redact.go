package sallyport

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/sallyport-go/sallyport/api"
)

// redacted stands in a record where a secret was.
const redacted = "REDACTED"

// redactor takes the secrets out of what is recorded of a request. It is made
// with the presenter and never changes. Names are compared folded.
type redactor struct {
	headers map[string]bool // names of header fields, beside those of isSecretField
	params  map[string]bool // names of query parameters
}

// secretParams are the query parameters that hold secrets by their name.
var secretParams = []string{
	"api_key", "key", "access_key", "private_key", "subscription_key",
	"token", "access_token", "refresh_token", "id_token", "auth_token", "session_token", "csrf_token", "jwt", "bearer",
	"auth", "authorization", "assertion", "client_assertion", "saml_response", "code", "otp",
	"password", "passwd", "passphrase", "pass", "pwd", "secret", "client_secret", "credentials", "session", "session_id", "sid",
	"signature", "sig", "hmac", "x_amz_signature", "x_amz_credential", "x_amz_security_token", "x_goog_signature", "x_goog_credential",
}

// secretWords are what makes a header field secret wherever it stands in its name.
var secretWords = []string{
	"authorization", "authentication", "cookie", "token", "secret", "password", "passwd", "credential",
	"apikey", "jwt", "session", "signature", "assertion",
}

// newRedactor knows, beside the usual names, those that the authorizations of
// the endpoints read.
func newRedactor(endpoints []*endpoint) *redactor {
	r := &redactor{headers: map[string]bool{"dpop": true, "secwebsocketprotocol": true}, params: map[string]bool{}}
	r.add(nil, secretParams)
	for _, e := range endpoints {
		r.add(secretNames(e.scheme))
	}
	return r
}

// secretNames are the header fields and the query parameters in which an
// authorization looks for secrets. A cookie needs no name: all of them are secret.
func secretNames(s api.Scheme) (headers, params []string) {
	switch s.In {
	case "header":
		headers = append(headers, s.ParameterName)
	case "query":
		params = append(params, s.ParameterName)
	}
	for _, member := range slices.Concat(s.Any, s.All) {
		h, p := secretNames(member)
		headers, params = append(headers, h...), append(params, p...)
	}
	return headers, params
}

func (r *redactor) add(headers, params []string) {
	for _, name := range headers {
		r.headers[fold(name)] = true
	}
	for _, name := range params {
		r.params[fold(name)] = true
	}
}

// fold makes one of the spellings of a name: apiKey, API_KEY, api-key.
func fold(name string) string {
	return strings.Map(func(c rune) rune {
		if c == '-' || c == '_' {
			return -1
		}
		return unicode.ToLower(c)
	}, strings.TrimSpace(name))
}

// uri is the path and the query as they were sent, without the secrets.
func (r *redactor) uri(u *url.URL) string {
	if u.RawQuery == "" {
		return plain(u.EscapedPath())
	}
	return plain(u.EscapedPath() + "?" + r.query(u.RawQuery))
}

// query replaces the values of secret parameters. What cannot be parsed is
// replaced as a whole, as nobody knows where the secrets stand in it.
func (r *redactor) query(raw string) string {
	if _, err := url.ParseQuery(raw); err != nil {
		return redacted
	}
	pairs := strings.Split(raw, "&")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); value != "" && r.isSecretParam(name) {
			pairs[i] = name + "=" + redacted
		}
	}
	return strings.Join(pairs, "&")
}

// isSecretParam looks at each part of a name like user[password] or login.token.
func (r *redactor) isSecretParam(escaped string) bool {
	name, _ := url.QueryUnescape(escaped) // the query was parsed
	if r.params[fold(name)] {
		return true
	}
	parts := strings.FieldsFunc(name, func(c rune) bool { return c == '[' || c == ']' || c == '.' })
	return slices.ContainsFunc(parts, func(part string) bool { return r.params[fold(part)] })
}

// header is a copy without secrets. It has the lines of the original.
func (r *redactor) header(h http.Header) http.Header {
	h = h.Clone()
	for name, lines := range h {
		clean := plain
		switch name = fold(name); {
		case r.headers[name] || isSecretField(name):
			clean = func(string) string { return redacted }
		case isURLField(name):
			clean = r.url
		}
		for i, line := range lines {
			lines[i] = clean(line)
		}
	}
	return h
}

// isSecretField errs on the safe side: one field too many is a gap in a log.
func isSecretField(folded string) bool {
	return strings.HasSuffix(folded, "key") || slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(folded, word) })
}

// isURLField reports whether a field holds a URL: Referer, and what proxies tell
// of the one that they were asked for.
func isURLField(folded string) bool {
	return folded == "referer" || strings.HasSuffix(folded, "uri") || strings.HasSuffix(folded, "url") || strings.HasSuffix(folded, "path")
}

// url redacts the query of a URL in a header field, and all of one that has
// other places for a secret or cannot be parsed.
func (r *redactor) url(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || u.Fragment != "" {
		return redacted
	}
	if rest, query, _ := strings.Cut(text, "?"); query != "" {
		text = rest + "?" + r.query(query)
	}
	return plain(text)
}

// plain makes the text of a client fit for a line of a log: control and format
// characters and line separators are escaped, and bytes that are no UTF-8 replaced.
func plain(s string) string { return printable(strings.ToValidUTF8(s, "\uFFFD")) }

// plainEndpoint is for the names that a client has made up.
func plainEndpoint(e api.EndpointIdentifier) api.EndpointIdentifier {
	return api.NewEndpointIdentifier(plain(e.Method()), plain(e.Version()), plain(e.Package()), plain(e.Action()))
}
