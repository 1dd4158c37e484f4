package auth_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

// A secret stands neither in the answer nor in a log, and what went wrong inside
// stands in the log alone, whatever the repository does.
func TestNoSecretLeavesTheProgram(t *testing.T) {
	const secret, inside = "s3cr3t-v4lu3", "dial tcp 10.0.0.9:5432"
	credentials := base64.StdEncoding.EncodeToString([]byte("ada:" + secret))
	outcomes := map[string]struct {
		status int
		tokens auth.TokenFunc
	}{
		"admitted": {200, func(context.Context, string) (auth.Token, bool, error) {
			return auth.Token{IPs: auth.AnyIP()}, true, nil
		}},
		"refused": {401, func(context.Context, string) (auth.Token, bool, error) { return auth.Token{}, false, nil }},
		"lacking": {403, func(context.Context, string) (auth.Token, bool, error) {
			return auth.Token{}, false, api.Forbidden("Not yours")
		}},
		"fails": {500, func(context.Context, string) (auth.Token, bool, error) {
			return auth.Token{}, false, errors.New(inside)
		}},
		"panics": {500, func(context.Context, string) (auth.Token, bool, error) { panic(inside) }},
		"named by it": {500, func(_ context.Context, token string) (auth.Token, bool, error) {
			return auth.Token{ID: token, IPs: auth.AnyIP()}, true, nil
		}},
	}
	kinds := map[string]struct {
		authorization func(auth.TokenFunc) api.Authorization
		header        http.Header
		query         string
	}{
		"bearer": {func(f auth.TokenFunc) api.Authorization { return auth.Bearer(f) }, http.Header{"Authorization": {"Bearer " + secret}}, ""},
		"header": {func(f auth.TokenFunc) api.Authorization { return auth.HeaderKey("X-Door", f) }, http.Header{"X-Door": {secret}}, ""},
		"query":  {func(f auth.TokenFunc) api.Authorization { return auth.QueryKey("door", f) }, http.Header{}, "door=" + secret},
		"cookie": {func(f auth.TokenFunc) api.Authorization { return auth.CookieKey("door", f) }, http.Header{"Cookie": {"door=" + secret}}, ""},
		"basic": {func(f auth.TokenFunc) api.Authorization {
			return auth.Basic(auth.PasswordFunc(func(ctx context.Context, user string) (auth.Password, bool, error) {
				token, ok, err := f(ctx, "")
				return auth.Password{Hash: secret + token.ID}, ok, err
			}))
		}, http.Header{"Authorization": {"Basic " + credentials}}, ""},
		"several": {func(f auth.TokenFunc) api.Authorization {
			return auth.All(auth.Any(auth.Basic(auth.Passwords{}), auth.HeaderKey("X-Door", f)))
		}, http.Header{"X-Door": {secret}}, ""},
	}
	for kind, k := range kinds {
		for outcome, o := range outcomes {
			if kind == "basic" && outcome == "named by it" {
				continue // the name is no secret
			}
			t.Run(kind+"/"+outcome, func(t *testing.T) {
				var log bytes.Buffer
				logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				d := sallyport.NewApiDecider(sallyport.Config{ErrorLog: logger, Logger: everything{logger}})
				d.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, k.authorization(o.tokens))
				presenter, err := sallyport.NewPresenter(d)
				require.NoError(t, err)

				r := httptest.NewRequest(http.MethodGet, "/api/v1/users?"+k.query, nil)
				r.Header = k.header.Clone()
				w := httptest.NewRecorder()
				presenter.ServeHTTP(w, r)
				require.Equal(t, o.status, w.Code)
				answer := fmt.Sprint(w.Header(), w.Body)
				for _, hidden := range []string{secret, credentials} {
					require.NotContains(t, answer, hidden)
					require.NotContains(t, log.String(), hidden) // FW-124
				}
				require.NotContains(t, answer, inside)
				if outcome == "fails" || outcome == "panics" {
					require.Contains(t, log.String(), inside)
				}
				if o.status == http.StatusUnauthorized {
					require.Contains(t, w.Header().Get("Www-Authenticate"), `realm="api"`)
				}
			})
		}
	}
}

// everything logs all that there is of a record.
type everything struct{ logger *slog.Logger }

func (e everything) Log(_ context.Context, rec *api.Record) {
	e.logger.Info("request", slog.String("record", fmt.Sprintf("%+v", *rec)))
}
