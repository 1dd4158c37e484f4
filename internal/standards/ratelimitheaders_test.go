package standards_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
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
