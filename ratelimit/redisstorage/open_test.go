package redisstorage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// Open needs no Redis that is up. What it makes needs no more rights than the
// documentation names.
func TestOpen(t *testing.T) { // RL-237
	server := redistest.Start(t)
	admin := connect(t, server.Addr)
	require.NoError(t, admin.ACLSetUser(t.Context(), "limits", "on", ">secret", "~myapp:*", "resetchannels", "-@all", "+evalsha", "+eval", "+get", "+set").Err())
	s, err := redisstorage.Open("redis://limits:secret@"+server.Addr+"/0", redisstorage.Options{Prefix: "myapp:", Timeout: 5 * time.Second})
	require.NoError(t, err)
	require.NoError(t, s.Prepare([]ratelimit.Algorithm{ratelimit.FixedWindow}))
	d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.NoError(t, err)
	require.Equal(t, int64(4), d.Remaining)
	require.NoError(t, s.Close())
	_, err = s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.ErrorIs(t, err, ratelimit.ErrUnavailable)

	// the client of somebody else stays open
	require.NoError(t, redisstorage.New(admin, redisstorage.Options{}).Close())
	require.NoError(t, admin.Ping(t.Context()).Err())
}

// Without the right password nothing is admitted unseen.
func TestOpenDenied(t *testing.T) { // peer 76
	server := redistest.Start(t, "--requirepass", "right")
	for _, url := range []string{"redis://" + server.Addr, "redis://:wrong@" + server.Addr} {
		s, err := redisstorage.Open(url, redisstorage.Options{Timeout: 5 * time.Second})
		require.NoError(t, err)
		_, err = s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.ErrorIs(t, err, ratelimit.ErrUnavailable)
		require.ErrorContains(t, err, "redis denies access")
		require.NoError(t, s.Close())
	}
}

func TestOpenMistakes(t *testing.T) {
	for _, row := range []struct {
		url     string
		options redisstorage.Options
		want    string
	}{
		{"http://localhost", redisstorage.Options{}, "redisstorage: open: redis: invalid URL scheme: http"},
		{"redis://:secret@localhost:port", redisstorage.Options{}, `redisstorage: open: invalid port ":port" after host`},
		{"redis://localhost/0?read_timeout=soon", redisstorage.Options{}, "redisstorage: open: "},
		{"redis://localhost?addr=other:1&pool_size=many", redisstorage.Options{}, "redisstorage: open: "},
		{"redis://localhost?master_name=m&pool_size=many", redisstorage.Options{}, "redisstorage: open: "},
		{"redis://localhost", redisstorage.Options{Prefix: "{"}, `redisstorage: the prefix "{" has a brace`},
	} {
		_, err := redisstorage.Open(row.url, row.options)
		require.ErrorContains(t, err, row.want)
		require.NotContains(t, err.Error(), "secret")
	}
}
