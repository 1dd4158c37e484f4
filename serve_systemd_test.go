package sallyport_test

import (
	"io"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

const passedOther = "SALLYPORT_TEST_PASSED_OTHER"

// TestSystemdOtherChild is the program that TestADescriptorThatIsNoListener starts.
func TestSystemdOtherChild(t *testing.T) {
	want := os.Getenv(passedOther)
	if want == "" {
		return // TestADescriptorThatIsNoListener looks at what it does
	}
	network, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err) // whatever the program needs for its network is open
	file := os.NewFile(3, "the one that was passed")
	before, err := file.Stat()
	require.NoError(t, err)
	listener, err := sallyport.SystemdListener()
	require.Nil(t, listener)
	require.EqualError(t, err, want)
	after, err := file.Stat()
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))

	client := dial(t, network.Addr())
	conn, err := network.Accept()
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	_, err = client.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
}

// What is at the place of the socket may be the program's own, so it stays open.
func TestADescriptorThatIsNoListener(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	local := net.IPv4(127, 0, 0, 1)
	for name, row := range map[string]struct {
		open func(t *testing.T) *os.File
		want string
	}{
		"nothing was passed": {func(*testing.T) *os.File { return nil }, "the descriptor 3 is no socket"},
		"a file": {func(t *testing.T) *os.File {
			file, err := os.Open("go.mod")
			require.NoError(t, err)
			return file
		}, "the descriptor 3 is no socket"},
		"datagrams": {func(t *testing.T) *os.File {
			conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: local})
			require.NoError(t, err)
			defer conn.Close()
			file, err := conn.File()
			require.NoError(t, err)
			return file
		}, "it is not for streams: give the service a ListenStream"},
		"a connection": {func(t *testing.T) *os.File {
			listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: local})
			require.NoError(t, err)
			defer listener.Close()
			conn := dial(t, listener.Addr())
			file, err := conn.(*net.TCPConn).File()
			require.NoError(t, err)
			return file
		}, "it does not listen: with Accept=yes systemd accepts, and passes one connection"},
	} {
		t.Run(name, func(t *testing.T) {
			child := exec.CommandContext(t.Context(), "sh", "-c", `LISTEN_PID=$$ exec "$0" "$@"`, program, "-test.run=^TestSystemdOtherChild$")
			child.Env = append(os.Environ(), passedOther+"=sallyport: the socket of systemd: "+row.want, "LISTEN_FDS=1")
			if file := row.open(t); file != nil {
				defer file.Close()
				child.ExtraFiles = []*os.File{file}
			}
			text, err := child.CombinedOutput()
			require.NoError(t, err, "%s", text)
		})
	}
}
