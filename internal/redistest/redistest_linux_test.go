package redistest_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redistest"
)

const childVariable = "SALLYPORT_REDISTEST_CHILD"

// Tests that are killed, and so clean nothing up, leave no server behind.
func TestDiesWithParent(t *testing.T) {
	if os.Getenv(childVariable) != "" {
		fmt.Println("addr=" + redistest.Start(t).Addr)
		<-t.Context().Done() // the parent kills this process
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiesWithParent$", "-test.timeout=1m")
	c.Env = append(os.Environ(), childVariable+"=1")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	addr, found := strings.CutPrefix(strings.TrimSpace(line), "addr=")
	require.True(t, found, line)
	require.True(t, listens(addr))
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	require.Eventually(t, func() bool { return !listens(addr) }, 10*time.Second, 20*time.Millisecond)
}

func listens(addr string) bool {
	var d net.Dialer
	c, err := d.DialContext(context.Background(), "tcp", addr)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}
