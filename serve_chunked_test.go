package sallyport_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// What follows a chunked body over the same connection may be what a proxy took for
// a part of it, so it is never a request.
func TestNoRequestFollowsAChunkedBody(t *testing.T) {
	const second = "GET /second HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, tc := range map[string]struct {
		first string
		paths string
	}{
		"a length beside the chunks": {"POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "/first"},
		"chunks alone":               {"POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "/first"},
		"a length alone":             {"POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", "/first /second"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := make(chan string, 2)
			s := startServer(t, sallyport.Server{IdleTimeout: time.Second}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				seen <- r.URL.Path
			}))
			conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp", s.addr.String())
			require.NoError(t, err)
			defer conn.Close()
			require.NoError(t, conn.SetDeadline(time.Now().Add(10*time.Second)))
			_, err = io.WriteString(conn, tc.first+second)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, bufio.NewReader(conn)) // until the server closes
			if err != nil {
				require.ErrorContains(t, err, "reset") // with the second request unread
			}
			close(seen)
			var paths []string
			for path := range seen {
				paths = append(paths, path)
			}
			require.Equal(t, tc.paths, strings.Join(paths, " "))
		})
	}
}
