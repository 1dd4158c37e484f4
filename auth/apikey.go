package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// HeaderKey admits whoever sends an API key of the repository in a header field:
//
//	auth.HeaderKey("X-API-Key", tokens)
//
// The name of the field ignores case. The caller's identity has the scheme
// "apikey", the ID and the Value of the key; see [Token].
//
// A request without a key, or with an empty one, is answered 401, as is one whose
// key is unknown, disabled or used from a wrong address. Two keys are answered
// 400. A 401 must have a challenge, and for API keys none is registered: it is
// ApiKey with the realm.
//
// A cache in front does not know that the field is a credential, as it knows of
// Authorization (RFC 9111, section 3.5): answers that are not for everybody need
// "Cache-Control: private" or "no-store".
//
// [StaticTokens] and [Tokens] are read once, here. Mistakes in them, in the name
// and in the options are reported when the presenter is built.
func HeaderKey(name string, tokens TokenRepository, options ...Option) api.Authorization {
	canonical := http.CanonicalHeaderKey(name)
	return newAPIKey("header", name, tokens, options, func(r *api.Request) ([]string, bool) { return r.Header[canonical], true })
}

// QueryKey is [HeaderKey] for a parameter of the query, whose name is compared
// exactly: "api_key[]" is another one.
//
// What stands in a query ends up in the logs of proxies, in histories and in
// Referer. Use it for clients that cannot set a header field, and with keys that
// can do little.
func QueryKey(name string, tokens TokenRepository, options ...Option) api.Authorization {
	return newAPIKey("query", name, tokens, options, func(r *api.Request) ([]string, bool) {
		if r.URL == nil {
			return nil, true
		}
		return queryValues(r.URL.RawQuery, name)
	})
}

// CookieKey is [HeaderKey] for a cookie.
//
// A browser sends a cookie with every request to its host, also with one that the
// page of a stranger has caused. The presenter's CORS keeps such a page from
// reading the answer: without Credentials no page of another origin may, and with
// them only those of the Origins that are named. It does not keep the request from
// being served, as a form needs no preflight. So set the cookie with SameSite=Lax
// or Strict, HttpOnly and Secure, let no GET change anything, and put
// [http.CrossOriginProtection] around the presenter, as the example does. Where no
// browser is meant to call, take [HeaderKey].
func CookieKey(name string, tokens TokenRepository, options ...Option) api.Authorization {
	return newAPIKey("cookie", name, tokens, options, func(r *api.Request) (values []string, readable bool) {
		for _, cookie := range r.CookiesNamed(name) {
			values = append(values, cookie.Value)
		}
		return values, true
	})
}

// newAPIKey makes the scheme of a place. values tells what stands there by the
// name, and whether all of it can be read.
func newAPIKey(in, name string, tokens TokenRepository, options []Option, values func(*api.Request) (values []string, readable bool)) api.Authorization {
	s := apply(options)
	k := &apiKey{settings: s, in: in, name: name, values: values, challenge: challenge("ApiKey", parameter{"realm", s.realm})}
	k.check = newTokenCheck("apikey", tokens, s.hashKey, keyChecks[in], func(string) string { return k.challenge })
	return k
}

type apiKey struct {
	settings  settings
	check     tokenCheck
	in, name  string
	values    func(*api.Request) (values []string, readable bool)
	challenge string
}

func (k *apiKey) Scheme() api.Scheme {
	return api.Scheme{
		Name: "apikey", Challenge: k.challenge, Identifies: api.IdentifiesAlways,
		Type: "apiKey", In: k.in, ParameterName: k.name,
	}
}

func (k *apiKey) Validate() error {
	var err error
	switch {
	case k.name == "":
		err = errors.New("auth: the API key has no name")
	case k.in == "query" && (!utf8.ValidString(k.name) || hasControl(k.name)):
		err = errors.New("auth: the name of the API key has control characters or is no UTF-8")
	case k.in == "header" && slices.Contains(notInHeader, http.CanonicalHeaderKey(k.name)):
		err = fmt.Errorf("auth: the API key cannot stand in %s, which net/http keeps out of the header", http.CanonicalHeaderKey(k.name))
	case k.in != "query" && !httptoken.Is(k.name):
		err = fmt.Errorf("auth: the name of the API key cannot be that of a %s: it is no token (RFC 9110, section 5.6.2)", k.in)
	}
	return errors.Join(k.settings.validate(), err, k.check.validate())
}

var notInHeader = []string{"Host", "Trailer", "Transfer-Encoding"}

// Carries is for [Any].
func (k *apiKey) Carries(r *api.Request) bool {
	values, readable := k.values(r)
	return !readable || strings.Join(values, "") != ""
}

func (k *apiKey) Authorize(ctx context.Context, r *api.Request) (api.Identity, error) {
	switch values, readable := k.values(r); {
	case !readable:
		return api.Identity{}, refuse(api.KindInput, "API key cannot be read", k.challenge)
	case len(values) > 1:
		return api.Identity{}, refuse(api.KindInput, "API key is set more than once", k.challenge)
	case len(values) == 0 || values[0] == "":
		return api.Identity{}, refuse(api.KindUnauthorized, "API key is not set", k.challenge)
	default:
		return k.check.authorize(ctx, r, values[0])
	}
}

// keyChecks tell of each place why it cannot carry a key.
var keyChecks = map[string]func(key string) error{
	"header": checkKey(func(key string) bool {
		return !hasControl(strings.ReplaceAll(key, "\t", "")) && len(strings.Trim(key, " \t")) == len(key) // RFC 9110, section 5.5
	}),
	"query": checkKey(func(string) bool { return true }),
	"cookie": checkKey(func(key string) bool {
		return !strings.ContainsFunc(key, func(c rune) bool { // RFC 6265, section 4.1.1
			return c <= ' ' || c > '~' || strings.ContainsRune(`",;\`, c)
		})
	}),
}

func checkKey(fits func(key string) bool) func(key string) error {
	return func(key string) error {
		switch {
		case key == "":
			return errors.New("it is empty")
		case !fits(key):
			return errors.New("no client can send it: it has characters that its place cannot carry")
		default:
			return nil
		}
	}
}
