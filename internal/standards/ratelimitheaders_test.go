package standards_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/sfv"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// draft-ietf-httpapi-ratelimit-headers-11
var rateLimitHeaders = map[string]runner{
	"ratelimit-headers/serialize_policy": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Policies []struct {
				Name string
				Q    int64
				Qu   string
				W    *int64
				Pk   []byte
			}
		}](t, input)
		policies := make([]ratefield.Policy, len(in.Policies))
		for i, p := range in.Policies {
			policies[i] = ratefield.Policy{Name: p.Name, Quota: p.Q, Unit: p.Qu, PartitionKey: p.Pk}
			if p.W != nil {
				policies[i].Window, policies[i].HasWindow = *p.W, true
			}
		}
		return written(ratefield.AppendPolicies(nil, policies))
	},
	"ratelimit-headers/serialize_limit": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Limits []struct {
				Name string
				R    int64
				T    *int64
				Pk   []byte
			}
		}](t, input)
		limits := make([]ratefield.Limit, len(in.Limits))
		for i, l := range in.Limits {
			limits[i] = ratefield.Limit{Name: l.Name, Available: l.R, PartitionKey: l.Pk}
			if l.T != nil {
				limits[i].Reset, limits[i].HasReset = *l.T, true
			}
		}
		return written(ratefield.AppendLimits(nil, limits))
	},
	"ratelimit-headers/parse_policy": func(t *testing.T, input json.RawMessage) any {
		return read(ratefield.ParsePolicies(decode[struct{ Lines []string }](t, input).Lines))
	},
	"ratelimit-headers/parse_limit": func(t *testing.T, input json.RawMessage) any {
		return read(ratefield.ParseLimits(decode[struct{ Lines []string }](t, input).Lines))
	},
	"ratelimit-headers/response/throttled by one policy": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Policies []struct {
				Name string
				Q, W int64
			}
			Violated []string
			Wait     json.Number `json:"wait_s"`
		}](t, input)
		said := make([]ratelimit.Result, len(in.Policies))
		for i, p := range in.Policies {
			said[i] = ratelimit.Result{Policy: p.Name, Limit: p.Q, Window: time.Duration(p.W) * time.Second, Accepted: true, ResetAfter: ratelimit.Unknown}
			if slices.Contains(in.Violated, p.Name) {
				said[i].Accepted, said[i].RetryAfter = false, wait(t, in.Wait)
			}
		}
		res := send(t, program{limits: saying(said...)}.start(t), call{})
		retryAfter := res.field("Retry-After")
		return answer{
			"status": res.status, "retry_after": retryAfter, "ratelimit": res.field(ratefield.LimitField),
			"retry_after_ge_t": decode[int64](t, []byte(retryAfter)) >= longest(t, res.header.Values(ratefield.LimitField)),
		}
	},
	"ratelimit-headers/response/two policies violated": func(t *testing.T, input json.RawMessage) any {
		waits := decode[struct {
			Waits map[string]json.Number `json:"waits_s"`
		}](t, input).Waits
		var refusals []ratelimit.Result
		for name, seconds := range waits {
			refusals = append(refusals, ratelimit.Result{Policy: name, RetryAfter: wait(t, seconds)})
		}
		slices.SortFunc(refusals, func(a, b ratelimit.Result) int { return cmp.Compare(a.RetryAfter, b.RetryAfter) })
		p := program{config: sallyport.Config{ErrorHandler: errorhandler.ProblemDetails{}}, limits: saying(refusals...)}
		res := send(t, p.start(t), call{})
		return answer{
			"retry_after":       res.field("Retry-After"),
			"violated_policies": decode[map[string]any](t, []byte(res.body))["violated-policies"],
		}
	},
	"ratelimit-headers/response/200 with r=0": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Status, R, T int64 }](t, input)
		res := send(t, program{limits: saying(accepting(in.R, in.T))}.start(t), call{})
		field := fmt.Sprintf(`"perIp";r=%d;t=%d`, in.R, in.T)
		return answer{"legal": int64(res.status) == in.Status && res.field(ratefield.LimitField) == field}
	},
	"ratelimit-headers/response/redirect with exhausted quota": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Status int
			R, T   int64
		}](t, input)
		redirect := handler.HTTP(http.RedirectHandler("/elsewhere", in.Status))
		res := send(t, program{handler: redirect, limits: saying(accepting(in.R, in.T))}.start(t), call{})
		require.Equal(t, in.Status, res.status)
		if res.field(ratefield.LimitField) == "" {
			return answer{"emit_ratelimit": "avoid"}
		}
		return answer{"emit_ratelimit": "emit"}
	},
	"ratelimit-headers/response/t when there is no window (concurrency or lifetime quota)": func(t *testing.T, _ json.RawMessage) any {
		field := ratelimit.AppendLimitField(nil, []ratelimit.Result{{Policy: "conc", Accepted: true, Remaining: 3, ResetAfter: ratelimit.Unknown}})
		members, err := ratefield.ParseLimits([]string{string(field)})
		require.NoError(t, err)
		require.Len(t, members, 1)
		if members[0].Params.Get("t") == nil {
			return answer{"t": "omitted"}
		}
		return answer{"t": "written"}
	},
	"ratelimit-headers/response/header name case on the wire (Go net/http)": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Set, Wire string }](t, input)
		header := http.Header{}
		header.Set(in.Set, "x")
		return answer{"equal": header.Get(in.Wire) == "x" && in.Wire == ratefield.LimitField}
	},
}

// accepting is a limit that has admitted a request.
func accepting(r, t int64) ratelimit.Result {
	return ratelimit.Result{Policy: "perIp", Limit: 100, Window: time.Minute, Accepted: true, Remaining: r, ResetAfter: time.Duration(t) * time.Second}
}

func wait(t *testing.T, s json.Number) time.Duration {
	t.Helper()
	return time.Duration(micros(t, s)) * time.Microsecond
}

// longest is the greatest t of a RateLimit field.
func longest(t *testing.T, lines []string) (most int64) {
	t.Helper()
	members, err := ratefield.ParseLimits(lines)
	require.NoError(t, err)
	for _, m := range members {
		if reset, ok := m.Params.Get("t").(sfv.Integer); ok {
			most = max(most, int64(reset))
		}
	}
	return most
}

func written(field []byte, err error) any {
	switch {
	case err != nil:
		return refused
	case len(field) == 0:
		return omitted
	}
	return answer{"header": string(field)}
}

func read(members []ratefield.Member, err error) any {
	if err != nil {
		return ignored
	}
	items := make([]answer, len(members))
	for i, m := range members {
		items[i] = plainParams(m.Params)
		items[i]["name"] = m.Name
	}
	return answer{"items": items}
}
