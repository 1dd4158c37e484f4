package auth_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
)

// keyedHash is the ID of a token with a hash key.
func keyedHash(key []byte, token string) string {
	sum := sha256.Sum256([]byte(token))
	mac := hmac.New(sha256.New, key)
	mac.Write(sum[:])
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// The ID of a caller who has no other depends on the key, wherever his token
// comes from.
func TestAHashKeyHidesTheSecretBehindAnID(t *testing.T) {
	key := []byte("0123456789abcdef")
	path := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(path, []byte(`[{"token": "my-token", "ips": "*"}]`), 0o600))
	repositories := map[string]auth.TokenRepository{
		"static": auth.StaticTokens{"my-token": "*"},
		"tokens": auth.Tokens{"my-token": {IPs: auth.AnyIP()}},
		"function": auth.TokenFunc(func(context.Context, string) (auth.Token, bool, error) {
			return auth.Token{IPs: auth.AnyIP()}, true, nil
		}),
		"file": auth.TokensFile(path, nil),
	}
	for name, tokens := range repositories {
		t.Run(name, func(t *testing.T) {
			for _, test := range []struct {
				options []auth.Option
				want    string
			}{{nil, hash("my-token")}, {[]auth.Option{auth.HashKey(key)}, keyedHash(key, "my-token")}} {
				bearer := auth.Bearer(tokens, test.options...)
				require.NoError(t, bearer.(interface{ Validate() error }).Validate())
				identity, err := bearer.Authorize(t.Context(), request("1.2.3.4", "Bearer my-token"))
				require.NoError(t, err)
				require.Equal(t, api.Identity{Scheme: "bearer", ID: test.want}, identity) // AMB-09
			}
		})
	}
	r := request("1.2.3.4")
	r.Header.Set("X-API-Key", "my-token")
	identity, err := auth.HeaderKey("X-API-Key", repositories["static"], auth.HashKey(key)).Authorize(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, keyedHash(key, "my-token"), identity.ID)

	named := auth.Bearer(auth.Tokens{"my-token": {ID: "ada", IPs: auth.AnyIP()}}, auth.HashKey(key))
	identity, err = named.Authorize(t.Context(), request("1.2.3.4", "Bearer my-token"))
	require.NoError(t, err)
	require.Equal(t, "ada", identity.ID)
}

func TestAHashKeyIsCopiedAndLongEnough(t *testing.T) {
	key := []byte("0123456789abcdef")
	option := auth.HashKey(key)
	key[0] = 'x'
	identity, err := auth.Bearer(auth.StaticTokens{"my-token": "*"}, option).Authorize(t.Context(), request("1.2.3.4", "Bearer my-token"))
	require.NoError(t, err)
	require.Equal(t, keyedHash([]byte("0123456789abcdef"), "my-token"), identity.ID)

	for _, short := range [][]byte{nil, {}, key[:15]} {
		err := auth.Bearer(auth.StaticTokens{}, auth.HashKey(short)).(interface{ Validate() error }).Validate()
		require.EqualError(t, err, fmt.Sprintf("auth: the hash key has %d bytes, fewer than 16", len(short)))
	}
}

func ExampleHashKey() {
	tokens := auth.StaticTokens{"my-token": "*"}
	r := request("192.0.2.1", "Bearer my-token")

	fmt.Println(auth.Bearer(tokens).Authorize(context.Background(), r))
	fmt.Println(auth.Bearer(tokens, auth.HashKey([]byte("a key from a secret store"))).Authorize(context.Background(), r))
	// Output:
	// bearer:fece50d2287f7245aea5819b75f95ee8 <nil>
	// bearer:e1c1b942430c1946f96e279da14a523b <nil>
}

func ExampleTokensFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, "tokens.json")
	content := `[
	  {"token": "sha256:fece50d2287f7245aea5819b75f95ee8bec295a14f8ef1e7a31f17f1dae9df44", "ips": "*", "id": "ada", "scopes": ["reports:read"]}
	]`
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	bearer := auth.Bearer(auth.TokensFile(path, nil)) // warnings go to slog.Default
	fmt.Println(bearer.Authorize(context.Background(), request("192.0.2.1", "Bearer my-token")))
	// Output:
	// bearer:ada <nil>
}

func ExampleTokenFunc() {
	bearer := auth.Bearer(auth.TokenFunc(func(_ context.Context, token string) (auth.Token, bool, error) {
		if sha256.Sum256([]byte(token)) != sha256.Sum256([]byte("my-token")) { // ask a database by the digest
			return auth.Token{}, false, nil
		}
		return auth.Token{ID: "ada", IPs: auth.AnyIP()}, true, nil
	}))
	fmt.Println(bearer.Authorize(context.Background(), request("192.0.2.1", "Bearer my-token")))
	// Output:
	// bearer:ada <nil>
}
