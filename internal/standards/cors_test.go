package standards_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

const (
	pageOrigin     = "https://a.example"
	privateNetwork = "Access-Control-Allow-Private-Network"
)

// Fetch standard, section 3.3
var crossOrigin = map[string]runner{
	"cors/cors": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Method           string
			Headers          map[string]string
			Enabled          bool
			Origin           string
			AllowList        []string `json:"allow_list"`
			AllowOrigin      string   `json:"allow_origin"`
			AllowCredentials string   `json:"allow_credentials"`
			Mode             string   `json:"credentials_mode"`
		}](t, input)
		header := http.Header{}
		for name, value := range in.Headers {
			header.Set(name, value)
		}
		c := sallyport.CORS{Origins: in.AllowList, Credentials: in.Mode == "include"}
		switch {
		case in.AllowList != nil:
			require.True(t, shares(t, c, in.AllowList[0], in.AllowList[0], "true"))
			return answer{"match": shares(t, c, in.Origin, in.Origin, "true")}
		case in.AllowOrigin != "":
			if in.AllowOrigin != "*" {
				c.Origins = []string{in.Origin}
			}
			return answer{"shared": shares(t, c, in.Origin, in.AllowOrigin, in.AllowCredentials)}
		case in.Method != "":
			p := program{methods: []string{http.MethodGet, http.MethodPut}}
			res := send(t, p.start(t), call{method: in.Method, header: header})
			return answer{"preflight": res.field("Access-Control-Allow-Methods") != ""}
		default:
			var p program
			if in.Enabled { // by a field that the program adds to its preflights
				p.preflight = handler.CorsPreflight{Header: http.Header{privateNetwork: {"true"}}}
			}
			res := send(t, p.start(t), call{method: http.MethodOptions, header: header})
			return answer{"headers": answer{privateNetwork: res.field(privateNetwork)}}
		}
	},
	"cors/cors/preflight answer": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Origin  string `json:"allowed_origin"`
			Method  string `json:"request_method"`
			Headers string `json:"request_headers"`
		}](t, input)
		p := program{methods: []string{http.MethodGet, in.Method}, config: sallyport.Config{CORS: sallyport.CORS{Origins: []string{in.Origin}}}}
		res := send(t, p.start(t), preflight(in.Origin, in.Method, in.Headers))
		return answer{"status": res.status, "headers": answer{
			"Access-Control-Allow-Origin":  res.field("Access-Control-Allow-Origin"),
			"Access-Control-Allow-Methods": holding(res.field("Access-Control-Allow-Methods"), in.Method),
			"Access-Control-Allow-Headers": holding(strings.ToLower(res.field("Access-Control-Allow-Headers")), strings.Split(in.Headers, ",")...),
			"Vary":                         res.field("Vary"),
		}}
	},
	"cors/cors/preflight answered 401 or 429 or 302": func(t *testing.T, _ json.RawMessage) any {
		p := program{authorization: auth.Bearer(auth.StaticTokens{"token": "*"}), limits: refusing(time.Minute)}.start(t)
		require.Equal(t, http.StatusTooManyRequests, send(t, p, call{}).status)
		return answer{"status": send(t, p, preflight(pageOrigin, http.MethodGet, "authorization")).status}
	},
	"cors/cors/Allow-Headers: * and request has Authorization": func(t *testing.T, _ json.RawMessage) any {
		res := send(t, program{}.start(t), preflight(pageOrigin, http.MethodGet, "authorization"))
		return answer{"Access-Control-Allow-Headers": holding(res.field("Access-Control-Allow-Headers"), "Authorization")}
	},
	"cors/cors/expose value": func(t *testing.T, _ json.RawMessage) any {
		res := send(t, program{}.start(t), fromPage(pageOrigin))
		const field = "Access-Control-Expose-Headers"
		return answer{field: holding(res.field(field), "RateLimit", "RateLimit-Policy", "Retry-After")}
	},
	"cors/cors/Expose-Headers: * with credentials include": func(t *testing.T, _ json.RawMessage) any {
		c := sallyport.CORS{Origins: []string{pageOrigin}, Credentials: true}
		_, err := program{config: sallyport.Config{CORS: c}}.build()
		require.NoError(t, err)
		c.ExposeHeaders = []string{"*"}
		_, err = program{config: sallyport.Config{CORS: c}}.build()
		return answer{"wildcard_effective": err == nil}
	},
	"cors/cors/429 to an actual cross-origin request": func(t *testing.T, input json.RawMessage) any {
		origin := decode[struct {
			Origin string `json:"allowed_origin"`
		}](t, input).Origin
		p := program{config: sallyport.Config{CORS: sallyport.CORS{Origins: []string{origin}}}, limits: refusing(time.Minute)}
		res := send(t, p.start(t), fromPage(origin))
		require.Equal(t, http.StatusTooManyRequests, res.status)
		missing := func(line string) bool {
			name, member, found := strings.Cut(line, ": ")
			return res.field(name) == "" || found && !listed(res.field(name), member)
		}
		return answer{"must_have": slices.DeleteFunc(
			[]string{"Access-Control-Allow-Origin", "Vary: Origin", "Access-Control-Expose-Headers"}, missing)}
	},
	"cors/cors/origin-dependent allow list, response without Origin": func(t *testing.T, _ json.RawMessage) any {
		p := program{config: sallyport.Config{CORS: sallyport.CORS{Origins: []string{pageOrigin, "https://b.example"}}}}
		return answer{"vary": send(t, p.start(t), call{}).field("Vary")}
	},
	"cors/cors/static Allow-Origin: *": func(t *testing.T, _ json.RawMessage) any {
		res := send(t, program{}.start(t), fromPage(pageOrigin))
		require.Equal(t, "*", res.field("Access-Control-Allow-Origin"))
		return answer{"vary_origin_needed": listed(res.field("Vary"), "Origin")}
	},
	"cors/cors/Max-Age 600": func(t *testing.T, _ json.RawMessage) any {
		p := program{config: sallyport.Config{CORS: sallyport.CORS{MaxAge: 10 * time.Minute}}}
		return answer{"header": send(t, p.start(t), preflight(pageOrigin, http.MethodGet, "")).field("Access-Control-Max-Age")}
	},
}

// shares tells whether a program so configured shares its answer with a page by
// exactly these values. A configuration that is a mistake shares nothing, and
// without credentials their value does not matter.
func shares(t *testing.T, c sallyport.CORS, page, allowOrigin, allowCredentials string) bool {
	t.Helper()
	presenter, err := program{config: sallyport.Config{CORS: c}}.build()
	if err != nil {
		return false
	}
	res := send(t, presenter, fromPage(page))
	return res.field("Access-Control-Allow-Origin") == allowOrigin &&
		(!c.Credentials || res.field("Access-Control-Allow-Credentials") == allowCredentials)
}

func fromPage(origin string) call { return call{header: http.Header{"Origin": {origin}}} }

func preflight(origin, method, headers string) call {
	c := call{method: http.MethodOptions, header: http.Header{"Origin": {origin}, "Access-Control-Request-Method": {method}}}
	if headers != "" {
		c.header.Set("Access-Control-Request-Headers", headers)
	}
	return c
}
