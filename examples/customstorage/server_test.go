package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// startMemcached runs a real Memcached until the test ends or stop is called. It
// takes a free port itself and writes it to a file when it listens.
func startMemcached(t *testing.T) (addr string, stop func()) {
	t.Helper()
	me, err := user.Current()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "port")
	cmd := exec.CommandContext(t.Context(), "memcached", "-l", "127.0.0.1", "-p", "-1", "-U", "0", "-u", me.Username)
	cmd.Env = append(os.Environ(), "MEMCACHED_PORT_FILENAME="+file)
	cmd.Stderr = os.Stderr
	require.NoError(t, cmd.Start(), "this test needs Memcached: apt-get install memcached")
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(stop)
	var port int
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		if err != nil {
			return false // it does not listen yet
		}
		_, err = fmt.Fscanf(bytes.NewReader(text), "TCP INET: %d\n", &port)
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	return fmt.Sprintf("127.0.0.1:%d", port), stop
}

// startFake runs a server that gives one answer for each command; "" is none.
func startFake(t *testing.T, answers map[string]string) (addr string) {
	t.Helper()
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn, answers)
		}
	}()
	return listener.Addr().String()
}

func answer(conn net.Conn, answers map[string]string) {
	defer func() { _ = conn.Close() }()
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		command, _, _ := strings.Cut(lines.Text(), " ")
		if command == "add" || command == "cas" {
			lines.Scan() // the value
		}
		if _, err := conn.Write([]byte(answers[command])); err != nil {
			return
		}
	}
}
