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
		{"http://localhost", redisstorage.Options{}, "redisstorage: open: the URL has none of the schemes"},
		{"localhost:6379", redisstorage.Options{}, "write redis://host:6379"},
		{"user:secret@localhost", redisstorage.Options{}, "write redis://host:6379"},
		{"", redisstorage.Options{}, "write redis://host:6379"},
		{"redis://", redisstorage.Options{}, "the URL has no host: write redis://host:6379"},
		{"redis://:6379", redisstorage.Options{}, "the URL has no host: write redis://host:6379"},
		{"redis:secret", redisstorage.Options{}, "the URL has no host: write redis://host:6379"},
		{"unix:", redisstorage.Options{}, "write unix:///path"},
		{"redis://:secret@localhost:port", redisstorage.Options{}, "the URL cannot be read"},
		{"redis://user:secret/x@localhost:6379", redisstorage.Options{}, "the URL cannot be read"},
		{"redis://:secret#x@localhost", redisstorage.Options{}, "the URL cannot be read"},
		{"redis://user#secret@localhost", redisstorage.Options{}, "the URL cannot be read"},
		{"redis://user:12/secret@host:6379", redisstorage.Options{}, "the path is no number of a database"},
		{"redis://user:12?secret@host:6379", redisstorage.Options{}, "a parameter of the URL"},
		{"redis://localhost:0", redisstorage.Options{}, "the port is no number"},
		{"redis://localhost:65536", redisstorage.Options{}, "the port is no number"},
		{"redis://localhost/secret", redisstorage.Options{}, "the path is no number of a database"},
		{"redis://localhost/0?read_timeout=soon", redisstorage.Options{}, "a parameter of the URL"},
		{"redis://localhost?addr=other:1&pool_size=many", redisstorage.Options{}, "a parameter of the URL"},
		{"redis://localhost?master_name=m&pool_size=many", redisstorage.Options{}, "a parameter of the URL"},
		{"redis://localhost", redisstorage.Options{Prefix: "{"}, `redisstorage: the prefix "{" has a brace`},
	} {
		_, err := redisstorage.Open(row.url, row.options)
		require.ErrorContains(t, err, row.want)
		require.NotContains(t, err.Error(), "secret")
	}
}

// Whatever a password does to the rest of its URL, no error shows it.
func FuzzOpen(f *testing.F) {
	for _, userinfo := range []string{":s3cret", "us3r:s3cret/x", ":s3cret#x", "us3r:12/s3cret", "us3r:12?s3cret", "us3r:%zz", "[::1", "us3r:s3cret?addr=other:1&x="} {
		f.Add(userinfo)
	}
	f.Fuzz(func(t *testing.T, userinfo string) {
		for _, suffix := range []string{"@localhost:6379", "@localhost:port", "@localhost/0?pool_size=many"} {
			s, err := redisstorage.Open("redis://"+userinfo+suffix, redisstorage.Options{})
			if err == nil {
				require.NoError(t, s.Close())
				continue
			}
			// What a fixed text has in common with a part is no leak.
			_, known := openErrors[err.Error()]
			require.True(t, known, err.Error())
		}
	})
}

// openErrors are the errors of URLs, found with passwords that nobody has.
var openErrors = func() map[string]struct{} {
	texts := map[string]struct{}{}
	for _, url := range []string{"redis://%zz", "http://localhost", "redis://", "redis://h:0", "redis://h/x", "redis://h?x=y"} {
		_, err := redisstorage.Open(url, redisstorage.Options{})
		texts[err.Error()] = struct{}{}
	}
	return texts
}()
