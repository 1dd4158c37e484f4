// Package redistest starts Redis servers for tests: real ones, on free ports of
// their own, that keep nothing and end with the test.
package redistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Server is a redis-server of a test.
type Server struct {
	Addr string // host and port

	t    testing.TB
	dir  string
	args []string
	cmd  *exec.Cmd
	gone chan struct{} // closed when cmd has ended
}

// Start runs a server with these arguments, such as "--maxmemory", "1mb", until the
// test ends.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	s, err := start(settings)
	if err != nil {
		t.Fatal(err)
	}
	s.t = t
	t.Cleanup(s.Stop)
	return s
}

// Sentinel runs a Sentinel that watches the master under the name "mymaster" and
// replaces it alone when it has not answered for half a second.
func Sentinel(t testing.TB, master *Server) *Server {
	t.Helper()
	_, port, err := net.SplitHostPort(master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	// A Sentinel takes its settings from a file alone, and writes to it.
	config := filepath.Join(t.TempDir(), "sentinel.conf")
	settings := fmt.Sprintf("sentinel monitor mymaster 127.0.0.1 %s 1\nsentinel down-after-milliseconds mymaster 500\n", port)
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return Start(t, config, "--sentinel")
}

// Shared runs the tests of a package with one server: TestMain calls it. Tests
// that use it write under prefixes of their own.
func Shared(m *testing.M, addr *string) int {
	s, err := start(nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Stop()
	*addr = s.Addr
	return m.Run()
}

var errPortTaken = errors.New("the port is taken")

// start tries other ports when somebody was faster.
func start(settings []string) (s *Server, err error) {
	for range 10 {
		if s, err = listen(settings); !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
	return nil, err
}

func listen(settings []string) (*Server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(addr)
	dir, err := os.MkdirTemp("", "redistest")
	if err != nil {
		return nil, err
	}
	args := append(slices.Clip(settings), "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", dir)
	s := &Server{Addr: addr, dir: dir, args: args}
	if err := s.run(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	return s, nil
}

// run returns when the server takes connections.
func (s *Server) run() error {
	s.cmd = exec.Command("redis-server", s.args...) //nolint:gosec,noctx // settings of a test; Stop ends it
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.launch(); err != nil {
		s.cmd = nil
		return fmt.Errorf("redistest: %w; .ci/install redis-server", err)
	}
	var said strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "Ready to accept connections") || strings.Contains(lines.Text(), "+monitor master") {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return nil
		}
	}
	s.Kill()
	if strings.Contains(said.String(), "already in use") {
		return errPortTaken
	}
	return fmt.Errorf("redistest: redis-server did not start: %s", &said)
}

// launch starts the server so that it dies with the tests, also when they are
// killed or run out of time. Linux ends a child with the thread that has started
// it, so the thread is kept for as long.
func (s *Server) launch() error {
	dieWithParent(s.cmd)
	started, gone := make(chan error, 1), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			<-gone
		}
	}()
	s.gone = gone
	return <-started
}

// Stop ends the server for good, as a crash does.
func (s *Server) Stop() {
	s.Kill()
	_ = os.RemoveAll(s.dir)
}

// Kill ends the server as a crash does; Restart brings it back.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		close(s.gone)
		s.cmd = nil
	}
}

// Restart ends the server and starts it again on the same port, without its data.
func (s *Server) Restart() {
	s.t.Helper()
	s.Kill()
	if err := s.run(); err != nil {
		s.t.Fatal(err)
	}
}

// Pause makes the server hang: it takes connections and answers nothing.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume ends a Pause.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}
