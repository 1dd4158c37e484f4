package redisstorage_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// grant makes the user limits, whose password is secret, with the rights that the
// documentation names for every Redis, and these.
func grant(t *testing.T, addr string, more ...string) {
	t.Helper()
	rules := append([]string{"reset", "on", ">secret", "~myapp:*", "+evalsha", "+eval", "+get", "+set"}, more...)
	require.NoError(t, connect(t, addr).ACLSetUser(t.Context(), "limits", rules...).Err())
}

// A database other than the first needs one right more.
func TestAccessToDatabase(t *testing.T) {
	server := redistest.Start(t)
	for _, row := range []struct {
		rights []string
		want   error
	}{{nil, ratelimit.ErrUnavailable}, {[]string{"+select"}, nil}} {
		grant(t, server.Addr, row.rights...)
		s, err := redisstorage.Open("redis://limits:secret@"+server.Addr+"/1", redisstorage.Options{Prefix: "myapp:", Timeout: 5 * time.Second})
		require.NoError(t, err)
		_, err = s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.ErrorIs(t, err, row.want)
		require.NoError(t, s.Close())
	}
}

// A ring asks its servers whether they are there.
func TestAccessOfRing(t *testing.T) {
	server := redistest.Start(t)
	grant(t, server.Addr, "+ping")
	ring := redis.NewRing(&redis.RingOptions{Addrs: map[string]string{"one": server.Addr}, Username: "limits", Password: "secret",
		ContextTimeoutEnabled: true, HeartbeatFrequency: 10 * time.Millisecond})
	t.Cleanup(func() { ring.Close() })
	s := redisstorage.New(ring, redisstorage.Options{Prefix: "myapp:", Timeout: 5 * time.Second})
	admin, many := connect(t, server.Addr), regexp.MustCompile("cmdstat_ping:calls=[1-9][0-9]") // more than it takes to give a server up
	waitUntil(t, func() bool { return many.MatchString(admin.Info(t.Context(), "commandstats").Val()) })
	_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
	require.NoError(t, err)
}
