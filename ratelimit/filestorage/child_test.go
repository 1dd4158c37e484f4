//go:build unix

package filestorage_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
)

// job is what a child process does: it asks for one counter until it is refused
// by all.
type job struct {
	Dir     string
	LockDir string
	UID     int // 0: that of the parent
	Umask   int

	Algorithm  ratelimit.BuiltIn
	Limit      int64
	Now        int64
	Goroutines int
	Each       int // requests of a goroutine

	Keys  int  // that are asked in turn; 0: one
	Quiet bool // no dots
	Bare  bool // the steps that no storage in files can do without, see bare
}

// outcome is what a child has seen.
type outcome struct {
	Accepted, Refused int
	Errors            []string
	Warnings          string
}

const childVariable = "FILESTORAGE_CHILD"

// TestMain lets the test binary be the other processes of the tests.
func TestMain(m *testing.M) {
	text, isChild := os.LookupEnv(childVariable)
	if !isChild {
		os.Exit(m.Run())
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	j.run()
}

// run tells every acceptance by a dot and ends with the outcome in a line.
func (j job) run() {
	syscall.Umask(j.Umask)
	if j.UID != 0 {
		for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(j.UID), syscall.Setuid(j.UID)} {
			if err != nil {
				panic(err)
			}
		}
	}
	var log bytes.Buffer
	storage := filestorage.New(j.Dir, filestorage.Options{LockDir: j.LockDir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	take := ratelimit.Take{Limit: j.Limit, Interval: 3600e6, Cost: 1, Now: j.Now}

	consume := func(i int) (ratelimit.Decision, error) {
		return storage.Consume(context.Background(), j.key(i), j.Algorithm, take)
	}
	if j.Bare {
		consume = j.bare()
	}

	_, _ = os.Stdout.WriteString("ready\n")
	_, _ = os.Stdin.Read(make([]byte, 1))

	var (
		mu     sync.Mutex
		result outcome
		group  sync.WaitGroup
	)
	for range j.Goroutines {
		group.Go(func() {
			for i := range j.Each {
				d, err := consume(i)
				mu.Lock()
				switch {
				case err != nil:
					result.Errors = append(result.Errors, err.Error())
				case d.Accepted:
					result.Accepted++
					if !j.Quiet {
						_, _ = os.Stdout.WriteString(".")
					}
				default:
					result.Refused++
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	result.Warnings = log.String()
	_, _ = os.Stdout.WriteString("\n")
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

func (j job) key(i int) []byte {
	if j.Keys == 0 {
		return []byte("policy:key")
	}
	return fmt.Appendf(nil, "policy:%d", i%j.Keys)
}

// child is a process at work.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start returns when the child is ready for its first request.
func start(t testing.TB, j job) *child {
	t.Helper()
	text, err := json.Marshal(j)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &child{cmd, in, bufio.NewReader(out)}
	line, err := c.out.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return c
}

// begin lets the child ask.
func (c *child) begin(t testing.TB) {
	t.Helper()
	require.NoError(t, c.in.Close())
}

// end waits for the child.
func (c *child) end(t testing.TB) (o outcome) {
	t.Helper()
	_, err := c.out.ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(c.out).Decode(&o))
	require.NoError(t, c.cmd.Wait())
	return o
}

// run is a whole child.
func run(t testing.TB, j job) outcome {
	t.Helper()
	c := start(t, j)
	c.begin(t)
	return c.end(t)
}

// together runs children at the same time and adds up what they have seen.
func together(t testing.TB, jobs ...job) outcome {
	t.Helper()
	return gather(t, startAll(t, jobs...))
}

func startAll(t testing.TB, jobs ...job) (children []*child) {
	t.Helper()
	for _, j := range jobs {
		children = append(children, start(t, j))
	}
	return children
}

func gather(t testing.TB, children []*child) (sum outcome) {
	t.Helper()
	for _, c := range children {
		c.begin(t)
	}
	for _, c := range children {
		o := c.end(t)
		sum.Accepted += o.Accepted
		sum.Refused += o.Refused
		sum.Errors = append(sum.Errors, o.Errors...)
		sum.Warnings += o.Warnings
	}
	return sum
}

// openDir is a directory that other users can reach.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path := dir; len(path) > len(os.TempDir()); path = filepath.Dir(path) {
		require.NoError(t, os.Chmod(path, 0o755))
	}
	return dir
}

// users are two users: others than that of the test where it runs as root, and
// else twice the same one, as nobody else can become another.
func users() (one, other int) {
	if os.Geteuid() == 0 {
		return 20_001, 20_002
	}
	return 0, 0
}
