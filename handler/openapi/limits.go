package openapi

import (
	"fmt"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsontree"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const referHeaders = "#/components/headers/"

// structured is a header of structured fields. Content of plain text would say more
// exactly that its value passes through unchanged (OpenAPI 3.2, appendix D), but
// generated clients fail on it.
func structured(description, example string) *jsontree.Object {
	return jsontree.Of("description", description, "schema", jsontree.Of("type", "string"), "example", example)
}

// limitHeaders are on every answer behind the first gate.
func (w *writer) limitHeaders(r *response) {
	w.header(r, "RateLimit-Policy", func() *jsontree.Object {
		return structured("The limits that apply: q requests in w seconds (draft-ietf-httpapi-ratelimit-headers)", `"perIp";q=100;w=60`)
	})
	w.header(r, "RateLimit", func() *jsontree.Object {
		return structured("What is left of each limit: r requests within the next t seconds (draft-ietf-httpapi-ratelimit-headers)", `"perIp";r=99;t=42`)
	})
}

// header refers to a component, which is made when it is needed.
func (w *writer) header(r *response, name string, component func() *jsontree.Object) {
	if !hasMember(w.headers, name) {
		w.headers.Set(name, component())
	}
	r.headers.Set(name, jsontree.Of("$ref", referHeaders+name))
}

// refusal spells out when the endpoint answers 429.
func (w *writer) refusal(e *api.Endpoint, r *response) {
	w.header(r, "Retry-After", func() *jsontree.Object {
		return jsontree.Of("description", "Seconds to wait; missing when no wait would help",
			"schema", jsontree.Of("type", "integer", "minimum", 1))
	})
	lines := []string{r.own + ":"}
	for _, p := range e.Policies {
		lines = append(lines, " * "+spell(p))
	}
	r.own = strings.Join(lines, "\n")
}

func isClosed(p ratelimit.PolicyInfo) bool { return p.Closed }

var (
	algorithms = map[string]string{"fixedWindow": "fixed window", "slidingWindow": "sliding window", "tokenBucket": "token bucket"}
	callers    = map[string]string{"ip": "address", "identity": "caller", "endpoint": "endpoint", "custom": "key of the program"}
)

// spell is a policy in plain words: "`perIp`: 100 requests in 1m (sliding window), for
// each address".
func spell(p ratelimit.PolicyInfo) string {
	name := "a limit of the program"
	if p.Name != "" {
		name = "`" + p.Name + "`"
	}
	if p.Algorithm == "" {
		return name
	}
	algorithm := p.Algorithm
	if words, ok := algorithms[algorithm]; ok {
		algorithm = words
	}
	limit := fmt.Sprint(p.Limit)
	if p.PerCaller {
		limit += " or what the caller is granted"
	}
	var each []string
	for _, key := range p.Keys {
		each = append(each, callers[key])
	}
	return fmt.Sprintf("%s: %s requests in %s (%s), for each %s", name, limit, interval(p.Interval), algorithm, strings.Join(each, " and "))
}

// interval is a duration without the units that are 0: 1h, not 1h0m0s.
func interval(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// policies are the limits for programs that read the document.
func policies(all []ratelimit.PolicyInfo) (list []any) {
	for _, p := range all {
		o := &jsontree.Object{}
		if p.Name != "" {
			o.Set("name", p.Name)
		}
		if p.Algorithm != "" {
			o.Set("algorithm", p.Algorithm)
			o.Set("limit", p.Limit)
			o.Set("window", int64(p.Interval/time.Second))
		}
		if p.PerCaller {
			o.Set("perCaller", true)
		}
		var keys []any
		for _, key := range p.Keys {
			keys = append(keys, key)
		}
		o.Add("keys", keys)
		list = append(list, o)
	}
	return list
}
