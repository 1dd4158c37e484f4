package standards_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// RFC 6750, RFC 7617
var authentication = map[string]runner{
	"auth/bearer_parse": func(t *testing.T, input json.RawMessage) any {
		var asked tokenLog
		r := &api.Request{Request: request("192.0.2.1:1")}
		r.Header["Authorization"] = decode[struct{ Authorization []string }](t, input).Authorization
		_, err := auth.Bearer(&asked).Authorize(t.Context(), r)
		if err == nil {
			require.Len(t, asked, 1)
			return answer{"result": "token", "token": asked[0]}
		}
		require.Empty(t, asked)
		refusal := api.AsRefusal(err)
		require.NotNil(t, refusal)
		switch refusal.Challenge {
		case `Bearer realm="api", error="invalid_request"`:
			require.Equal(t, api.KindInput, refusal.Kind)
			return answer{"result": "invalid_request"}
		case `Bearer realm="api"`:
			require.Equal(t, api.KindUnauthorized, refusal.Kind)
			if refusal.Message == "Authorization header doesn't contain bearer token" {
				return answer{"result": "other_scheme"}
			}
			return answer{"result": "no_credentials"}
		default:
			return answer{"result": refusal.Challenge}
		}
	},
}

// tokenLog is a repository that knows every token and keeps what it was asked.
type tokenLog []string

func (l *tokenLog) Lookup(_ context.Context, token string) (auth.Token, bool, error) {
	*l = append(*l, token)
	return auth.Token{IPs: auth.AnyIP()}, true, nil
}
