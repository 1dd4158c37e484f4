package auth_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// vector is one input of the topic auth with the answer that the standards want.
type vector struct {
	ID    string
	Input struct {
		Op            string
		Authorization []string
		Reason        string
		Realm         *string
		Description   string
	}
	Expect struct {
		Result          string
		Token           string
		Status          int
		WWWAuthenticate string `json:"www_authenticate"`
	}
}

func readVectors(t *testing.T, op string) (found []vector) {
	t.Helper()
	data, err := os.ReadFile("../internal/standards/testdata/vectors.json")
	require.NoError(t, err)
	var all []json.RawMessage
	require.NoError(t, json.Unmarshal(data, &all))
	for _, raw := range all {
		var head struct{ Input struct{ Op string } }
		require.NoError(t, json.Unmarshal(raw, &head))
		if head.Input.Op != op {
			continue
		}
		var v vector
		require.NoError(t, json.Unmarshal(raw, &v))
		found = append(found, v)
	}
	return found
}

func TestVectorsOfAuthorizationHeaders(t *testing.T) {
	vectors := readVectors(t, "bearer_parse")
	require.Len(t, vectors, 12)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			var token string
			_, err := auth.Bearer(lookup(func(_ context.Context, sent string) (auth.Token, bool, error) {
				token = sent
				return auth.Token{IPs: auth.AnyIP()}, true, nil
			})).Authorize(t.Context(), request("1.2.3.4", v.Input.Authorization...))

			require.Equal(t, v.Expect.Token, token)
			switch refusal := api.AsRefusal(err); v.Expect.Result {
			case "token":
				require.NoError(t, err)
			case "no_credentials", "other_scheme":
				require.Equal(t, api.KindUnauthorized, refusal.Kind)
				require.Equal(t, bare, refusal.Challenge)
			case "invalid_request":
				require.Equal(t, api.KindInput, refusal.Kind)
				require.Equal(t, invalidRequest, refusal.Challenge)
			default:
				t.Fatalf("unknown result %q", v.Expect.Result)
			}
		})
	}
}

func TestVectorsOfChallenges(t *testing.T) {
	seen := 0
	for _, v := range readVectors(t, "bearer_challenge") {
		if v.Input.Realm == nil || v.Input.Reason == "scope" {
			continue // about texts and scopes, see TestARepositoryMayTellTheClientMore
		}
		seen++
		t.Run(v.ID, func(t *testing.T) {
			var lines []string
			var answer error
			if v.Input.Reason == "expired" {
				lines = []string{"Bearer expired"}
				if v.Input.Description != "" {
					answer = api.Unauthorized(v.Input.Description)
				}
			}
			bearer := auth.Bearer(lookup(func(context.Context, string) (auth.Token, bool, error) {
				return auth.Token{}, false, answer
			}), auth.Realm(*v.Input.Realm))
			_, err := bearer.Authorize(t.Context(), request("1.2.3.4", lines...))
			require.Equal(t, v.Expect.WWWAuthenticate, api.AsRefusal(err).Challenge)
			require.Equal(t, api.KindUnauthorized, api.AsRefusal(err).Kind)
		})
	}
	require.Equal(t, 3, seen)
}
