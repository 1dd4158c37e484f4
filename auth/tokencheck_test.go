package auth_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/ipdetector"
)

func TestBearerAsksItsRepository(t *testing.T) {
	type plan struct{ name string }
	tests := []struct {
		name  string
		token auth.Token
		want  api.Identity
	}{
		{"hash as ID", auth.Token{IPs: auth.AnyIP()}, api.Identity{Scheme: "bearer", ID: hash("secret")}}, // AMB-09
		{"ID and value", auth.Token{ID: "user 7", IPs: auth.AnyIP(), Value: plan{"gold"}}, // FW-138
			api.Identity{Scheme: "bearer", ID: "user 7", Value: plan{"gold"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			type key struct{}
			ctx := context.WithValue(t.Context(), key{}, "of the request")
			bearer := auth.Bearer(lookup(func(ctx context.Context, token string) (auth.Token, bool, error) {
				require.Equal(t, "of the request", ctx.Value(key{}))
				require.Equal(t, "secret", token)
				return test.token, true, nil
			}))
			identity, err := bearer.Authorize(ctx, request("1.2.3.4", "Bearer secret"))
			require.NoError(t, err)
			require.Equal(t, test.want, identity)
		})
	}
}

func TestATokenWithoutARestrictionIsDisabled(t *testing.T) {
	bearer := auth.Bearer(lookup(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, true, nil }))
	want := &api.Refusal{Kind: api.KindUnauthorized, Message: invalidIP, Challenge: invalidToken}
	for _, client := range []string{"1.2.3.4", "2001:db8::7"} {
		_, err := bearer.Authorize(t.Context(), request(client, "Bearer secret"))
		require.Equal(t, want, api.AsRefusal(err)) // FW-125, TC-016
	}
}

// The order is: read the token, ask the repository, check the restriction. What
// is refused earlier asks nobody later.
func TestBearerAsksNobodyInVain(t *testing.T) {
	asked := 0
	bearer := auth.Bearer(lookup(func(context.Context, string) (auth.Token, bool, error) {
		asked++
		return auth.Token{}, false, nil
	}))
	_, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer a b"))
	require.EqualError(t, err, badStructure)
	require.Zero(t, asked) // FW-107

	withoutDetector := &api.Request{Request: request("", "Bearer secret").Request}
	_, err = bearer.Authorize(t.Context(), withoutDetector)
	require.EqualError(t, err, unknownToken)
	require.Equal(t, 1, asked) // FW-107
}

func TestBearerThatCannotDecide(t *testing.T) {
	down := errors.New("dial tcp 10.0.0.9:5432: connection refused")
	failing := func(err error) auth.TokenRepository {
		return lookup(func(context.Context, string) (auth.Token, bool, error) {
			return auth.Token{IPs: auth.AnyIP()}, true, err
		})
	}
	withoutDetector := &api.Request{Request: request("", "Bearer my-token").Request}
	tests := []struct {
		name    string
		tokens  auth.TokenRepository
		request *api.Request
		want    string
		cause   error
	}{
		{"repository down", failing(down), request("1.2.3.4", "Bearer my-token"), "auth: look up the token: " + down.Error(), down}, // FW-142
		{"request has ended", failing(context.Canceled), request("1.2.3.4", "Bearer my-token"), "auth: look up the token: context canceled", context.Canceled},
		{"no repository", nil, request("1.2.3.4", "Bearer my-token"), "auth: there is no token repository", nil},
		{"nil repository", (*brokenRepository)(nil), request("1.2.3.4", "Bearer my-token"), "auth: the token repository is a nil *auth_test.brokenRepository", nil},
		{"a refusal without a kind", failing(&api.Refusal{Message: "the password is wrong"}), request("1.2.3.4", "Bearer my-token"), "auth: look up the token: the password is wrong", nil},
		{"the token as ID", auth.TokenFunc(func(_ context.Context, token string) (auth.Token, bool, error) {
			return auth.Token{ID: token, IPs: auth.AnyIP()}, true, nil
		}), request("1.2.3.4", "Bearer my-token"), "auth: look up the token: the ID is the token itself, which would stand in logs", nil},
		{"no detector", auth.StaticTokens{"my-token": "1.2.3.4"}, withoutDetector,
			"auth: check the IP restriction: ratelimit: : the client address is needed, but there is no IP detector", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			identity, err := auth.Bearer(test.tokens).Authorize(t.Context(), test.request)
			require.EqualError(t, err, test.want)
			require.Nil(t, api.AsRefusal(err), "a client would see it")
			require.Equal(t, api.Identity{}, identity)
			if test.cause != nil {
				require.ErrorIs(t, err, test.cause)
			}
		})
	}
}

func TestARepositoryMayTellTheClientMore(t *testing.T) {
	scope := `Bearer realm="api", error="insufficient_scope", scope="orders:write"`
	tests := []struct {
		name string
		err  error
		want api.Refusal
	}{
		{"expired", api.Unauthorized("The access token expired"), api.Refusal{Kind: api.KindUnauthorized,
			Message: "The access token expired", Challenge: invalidToken + `, error_description="The access token expired"`}},
		{"characters that a description must not have", api.Unauthorized("bad \"quote\" \\ é\r\nX: y"), api.Refusal{Kind: api.KindUnauthorized,
			Message: "bad \"quote\" \\ é\r\nX: y", Challenge: invalidToken + `, error_description="bad 'quote' ? ???X: y"`}},
		{"forbidden", api.Forbidden("Your plan has ended"), api.Refusal{Kind: api.KindForbidden, Message: "Your plan has ended"}}, // FW-157
		{"challenge of its own", &api.Refusal{Kind: api.KindForbidden, Message: "Read only", Challenge: scope},
			api.Refusal{Kind: api.KindForbidden, Message: "Read only", Challenge: scope}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bearer := auth.Bearer(lookup(func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, test.err }))
			_, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer secret"))
			require.Equal(t, &test.want, api.AsRefusal(err))
		})
	}
}

// The address is what the detector of the program says, and no header that the
// detector does not trust.
func TestTheClientAddressIsThatOfTheDetector(t *testing.T) {
	tests := []struct {
		name     string
		detector ipdetector.Detector
		admitted bool
	}{
		{"connection", ipdetector.RemoteAddr{}, false},                                           // FW-137
		{"proxies, but the peer is none", ipdetector.NewTrustedProxies("", "10.0.0.0/8"), false}, // FW-137
		{"trusted proxy", ipdetector.NewTrustedProxies("", "203.0.113.9"), true},
		{"own detector", ownDetector{}, true}, // RL-314
	}
	bearer := auth.Bearer(auth.StaticTokens{"my-token": "1.2.3.4"})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request("", "Bearer my-token")
			r.RemoteAddr = "203.0.113.9:4000"
			r.Header.Set("X-Forwarded-For", "1.2.3.4")
			r.Limits.Detector = test.detector
			_, err := bearer.Authorize(t.Context(), r)
			require.Equal(t, test.admitted, err == nil)
		})
	}
}

// ownDetector trusts a header, as a program may on its own account.
type ownDetector struct{}

func (ownDetector) IP(r *http.Request) string { return r.Header.Get("X-Forwarded-For") }
