package sallyport_test

import (
	"bufio"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// overUnix is a client of a socket.
func overUnix(t *testing.T, path string) *http.Client {
	client := newClient(t, false)
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "unix", path)
	}
	return client
}

func TestServeAtAPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	for _, before := range []string{"nothing", "nothing, as the server removes it", "a socket that was left behind"} {
		if before == "a socket that was left behind" {
			leaveSocket(t, path)
		}
		s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
		require.Equal(t, path, s.addr.String())
		_, text := call(t, overUnix(t, path), "GET", "http://example.com/")
		require.Equal(t, "ok", text, before)
		require.NoError(t, s.end())
		_, err := os.Lstat(path)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// leaveSocket is what a program that was killed does.
func leaveSocket(t *testing.T, path string) {
	t.Helper()
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	require.NoError(t, err)
	listener.SetUnlinkOnClose(false)
	require.NoError(t, listener.Close())
}

func TestAPathThatIsTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.sock")
	want := "sallyport: serve: the address unix:" + path + " is in use, maybe by another instance of the program: " +
		"listen unix " + path + ": bind: address already in use"

	require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
	require.EqualError(t, sallyport.Serve(t.Context(), "unix:"+path, okPage), want)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
	require.NoError(t, os.Remove(path))

	s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
	require.EqualError(t, sallyport.Serve(t.Context(), "unix:"+path, okPage), want)
	_, answer := call(t, overUnix(t, path), "GET", "http://example.com/")
	require.Equal(t, "ok", answer, "it was asked, and serves on")
	require.NoError(t, s.end())
}

// Serve closes the listener that it was given, also when it never serves.
func TestServeClosesItsListener(t *testing.T) {
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.Error(t, sallyport.Server{Listener: listener}.Serve(t.Context(), nil))
	_, err = listener.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

const passedSocket = "SALLYPORT_TEST_PASSED_SOCKET"

// TestSystemdChild is the program that TestSystemdListener starts.
func TestSystemdChild(t *testing.T) {
	if os.Getenv(passedSocket) == "" {
		return // TestSystemdListener looks at what it does
	}
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGTERM)
	defer stop()
	listener, err := sallyport.SystemdListener()
	require.NoError(t, err)
	require.NotNil(t, listener)
	_, set := os.LookupEnv("LISTEN_FDS")
	require.False(t, set, "a program started from here must not take the socket")
	again, err := sallyport.SystemdListener()
	require.NoError(t, err)
	require.Nil(t, again)
	require.NoError(t, sallyport.Server{Listener: listener}.Serve(ctx, okPage))
}

// The socket is open before the program runs, so a client that comes early waits.
func TestSystemdListener(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	file, err := listener.File()
	require.NoError(t, err)
	addr := listener.Addr()
	require.NoError(t, listener.Close())
	early := dial(t, addr)
	_, err = io.WriteString(early, "GET / HTTP/1.0\r\n\r\n")
	require.NoError(t, err)

	program, err := os.Executable()
	require.NoError(t, err)
	// The shell becomes the program, so its number is the program's.
	child := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, program, "-test.run=^TestSystemdChild$")
	child.Env = append(os.Environ(), passedSocket+"=1", "LISTEN_FDS=1", "LISTEN_FDNAMES=api.socket")
	child.ExtraFiles = []*os.File{file}
	child.Stderr = os.Stderr
	require.NoError(t, child.Start())
	require.NoError(t, file.Close())

	line, err := bufio.NewReader(early).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.0 200 OK\r\n", line)
	require.NoError(t, child.Process.Signal(syscall.SIGTERM))
	require.NoError(t, child.Wait())
}

func TestSystemdListenerWithoutASocket(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for name, row := range map[string]struct {
		pid, fds string
		want     string // the error; "": there is no listener
	}{
		"not started by systemd": {"", "", ""},
		"for another program":    {"1", "1", ""},
		"none":                   {own, "0", ""},
		"no number of a process": {"one", "1", "sallyport: the socket of systemd: LISTEN_PID is not a number"},
		"no process":             {"", "1", "sallyport: the socket of systemd: LISTEN_PID is not a number"},
		"no number":              {own, "", "sallyport: the socket of systemd: LISTEN_FDS is not a number"},
		"a negative one":         {own, "-1", "sallyport: the socket of systemd: LISTEN_FDS is not a number"},
		"several":                {own, "2", "sallyport: the socket of systemd: there are 2 of them: give the service one ListenStream"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LISTEN_PID", row.pid)
			t.Setenv("LISTEN_FDS", row.fds)
			listener, err := sallyport.SystemdListener()
			require.Nil(t, listener)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, row.want)
		})
	}
}
