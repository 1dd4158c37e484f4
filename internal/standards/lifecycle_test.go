package standards_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/internal/sfv"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// RFC 9745, RFC 8594 and RFC 5829
var lifecycles = map[string]runner{
	"lifecycle/lifecycle": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Value        *string
			Sunset       *string
			DeprecatedAt time.Time `json:"deprecated_at"`
			SunsetAt     time.Time `json:"sunset_at"`
			Doc          string
			Successor    string
		}](t, input)
		switch {
		case in.Value != nil: // what a client must not take for a Deprecation, and so is never sent
			_, err := sfv.ParseItem([]string{*in.Value})
			return answer{"valid": err == nil}
		case in.Sunset != nil:
			_, err := http.ParseTime(*in.Sunset)
			return answer{"valid": err == nil}
		}
		l := api.Lifecycle{Deprecated: in.DeprecatedAt, Sunset: in.SunsetAt, Documentation: in.Doc}
		if !in.DeprecatedAt.IsZero() && !in.SunsetAt.IsZero() {
			_, err := program{config: sallyport.Config{Versions: map[string]api.Lifecycle{"1": l}}}.build()
			return answer{"config_error": err != nil}
		}
		sent := send(t, deprecated(t, l, in.Successor), call{})
		fields := answer{}
		for _, name := range []string{"Deprecation", "Sunset", "Link"} {
			if value := sent.field(name); value != "" {
				fields[name] = strings.Replace(value, "</api/v2/x>", "<"+in.Successor+">", 1)
			}
		}
		return answer{"headers": fields}
	},
	"lifecycle/lifecycle/deprecated resource behaviour": func(t *testing.T, _ json.RawMessage) any { //nolint:misspell // as the vector spells it
		limited := program{limits: []ratelimit.Rule{ratelimit.Policy{Limit: 2, Interval: time.Hour}}}
		statuses := func() (list []int) {
			h := limited.start(t)
			for range 3 {
				list = append(list, send(t, h, call{}).status)
			}
			return list
		}
		before := statuses()
		limited.config.Versions = map[string]api.Lifecycle{"1": {Deprecated: time.Unix(1, 0), Sunset: time.Unix(2, 0)}}
		require.Equal(t, before, statuses())
		return answer{"changed": false, "rate_limited_harder_silently": false}
	},
}

// deprecated is a program with one endpoint in the version 1 and, when it has a
// successor, one in the version 2.
func deprecated(t *testing.T, l api.Lifecycle, successor string) http.Handler {
	t.Helper()
	if successor != "" {
		l.Successor = "2"
	}
	d := sallyport.NewApiDecider(sallyport.Config{Versions: map[string]api.Lifecycle{"1": l}})
	d.AddApi(api.GET("1", "x"), handler.AlwaysOk{}, auth.None())
	if successor != "" {
		d.CarryOver(api.GET("1", "x"), "2")
	}
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	return presenter
}
