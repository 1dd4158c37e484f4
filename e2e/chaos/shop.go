package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// builtShop is the program of examples/bookstore, built once.
var builtShop = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "chaos-bookstore")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "bookstore")
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/sallyport-go/sallyport").Output()
	if err != nil {
		return program, fmt.Errorf("go list: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "examples", "bookstore")
	text, err := exec.Command("go", "build", "-C", source, "-o", program, ".").CombinedOutput() //nolint:gosec // a build
	if err != nil {
		return program, fmt.Errorf("go build in %s: %w: %s", source, err, text)
	}
	return program, nil
})

var shopWanted bool

// removeShop removes what was built, if anything was.
func removeShop() {
	if shopWanted {
		program, _ := builtShop()
		_ = os.RemoveAll(filepath.Dir(program))
	}
}

// shop is a running bookstore.
type shop struct {
	url    string
	cmd    *exec.Cmd
	log    logBuffer // what it has said on standard error
	client *http.Client
	ended  func() error // waits for the process, once
}

// startShop runs the bookstore with these arguments and this configuration.
func startShop(t *trial, config string, args ...string) *shop {
	shopWanted = true
	program, err := builtShop()
	t.must(err)
	file := filepath.Join(t.TempDir(), "bookstore.yaml")
	t.must(os.WriteFile(file, []byte(config), 0o600))
	s := &shop{client: newClient(128)}
	s.cmd = exec.Command(program, append([]string{"-addr", "127.0.0.1:0", "-config", file}, args...)...) //nolint:gosec,noctx // what was built; the trial ends it
	s.cmd.Env = append(os.Environ(), "APP_ENV=production")
	s.cmd.Stderr = &s.log
	out, err := s.cmd.StdoutPipe()
	t.must(err)
	t.must(s.cmd.Start())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	s.ended = sync.OnceValue(func() error {
		_, _ = io.Copy(io.Discard, lines)
		return s.cmd.Wait()
	})
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		_ = s.cmd.Process.Signal(syscall.SIGKILL)
		_ = s.ended()
	})
	if err != nil {
		t.must(fmt.Errorf("the bookstore did not start: %s", s.log.String()))
	}
	s.url = strings.TrimPrefix(strings.TrimSpace(first), "Listening on ")
	return s
}

// request makes a request from a client with this address.
func (s *shop) request(method, path, ip string) *http.Request {
	r, err := http.NewRequestWithContext(context.Background(), method, s.url+path, nil)
	if err != nil {
		panic(err)
	}
	if ip != "" {
		r.Header.Set("X-Forwarded-For", ip)
	}
	return r
}

// login is a token of ada.
func (s *shop) login(t *trial) string {
	r := s.request("POST", "/api/v2/login", "198.51.100.99")
	r.SetBasicAuth("ada", "analytical")
	res, err := s.client.Do(r)
	t.must(err)
	defer func() { _ = res.Body.Close() }()
	var answer struct{ Token string }
	t.must(json.NewDecoder(res.Body).Decode(&answer))
	if answer.Token == "" {
		t.must(fmt.Errorf("no token: %s", res.Status))
	}
	return answer.Token
}

// logBuffer keeps the lines of a log with the time of their arrival.
type logBuffer struct {
	mu    sync.Mutex
	rest  []byte
	lines []logLine
}

type logLine struct {
	at   time.Time
	text string
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest = append(b.rest, p...)
	for {
		line, rest, found := bytes.Cut(b.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		b.lines = append(b.lines, logLine{time.Now(), string(line)})
		b.rest = bytes.Clone(rest)
	}
}

// with are the lines that have all of these texts.
func (b *logBuffer) with(texts ...string) (some []logLine) {
	b.mu.Lock()
	defer b.mu.Unlock()
lines:
	for _, l := range b.lines {
		for _, text := range texts {
			if !strings.Contains(l.text, text) {
				continue lines
			}
		}
		some = append(some, l)
	}
	return some
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var s strings.Builder
	for _, l := range b.lines {
		s.WriteString(l.text + "\n")
	}
	s.Write(b.rest)
	return s.String()
}
