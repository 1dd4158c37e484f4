package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/exampletest"
)

// endingAt ends when it is asked for the nth time whether it has ended, which those
// who work under it do all along.
type endingAt struct {
	context.Context

	left atomic.Int64
	end  context.CancelFunc
}

func newEndingAt(t *testing.T, n int) *endingAt {
	t.Helper()
	c := &endingAt{}
	c.Context, c.end = context.WithCancel(t.Context())
	c.left.Store(int64(n))
	t.Cleanup(c.end)
	return c
}

func (c *endingAt) Done() <-chan struct{} { c.ask(); return c.Context.Done() }
func (c *endingAt) Err() error            { c.ask(); return c.Context.Err() }

func (c *endingAt) ask() {
	if c.left.Add(-1) == 0 {
		c.end()
	}
}

// requireWhole fails unless the database is new and has all that a new one has.
func requireWhole(t *testing.T, file string) {
	t.Helper()
	s, err := openStore(t.Context(), file)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	type content struct{ version, books, authors, customers, librarians, keys int }
	var got content
	require.NoError(t, s.read.QueryRowContext(t.Context(), `SELECT (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM books), (SELECT count(*) FROM authors), (SELECT count(*) FROM customers),
		(SELECT count(*) FROM librarians), (SELECT count(*) FROM api_keys)`,
	).Scan(&got.version, &got.books, &got.authors, &got.customers, &got.librarians, &got.keys))
	require.Equal(t, content{3, 6, 15, 2, 1, 1}, got)
}

func TestAStartThatIsStoppedIsMadeGood(t *testing.T) {
	stopped := 0
	for n := 1; ; n++ {
		file := filepath.Join(t.TempDir(), "books.db")
		s, err := openStore(newEndingAt(t, n), file)
		if err == nil {
			require.NoError(t, s.Close())
		} else {
			require.ErrorIs(t, err, context.Canceled)
			stopped++
		}
		requireWhole(t, file)
		if err == nil {
			break
		}
	}
	require.Greater(t, stopped, 10)
}

func TestStoresOpenedAtOnce(t *testing.T) {
	for range 5 {
		file := filepath.Join(t.TempDir(), "books.db")
		require.NoError(t, private(file)) // another one would make it, and end the locks of these
		var opened sync.WaitGroup
		errs := make(chan error, 8)
		for range cap(errs) {
			opened.Go(func() {
				s, err := openStore(t.Context(), file)
				if err == nil {
					err = s.Close()
				}
				errs <- err
			})
		}
		opened.Wait()
		for range cap(errs) {
			require.NoError(t, <-errs)
		}
		requireWhole(t, file)
	}
}

func TestProgramsStartedAtOnce(t *testing.T) {
	program := exampletest.Build(t)
	for round := range 5 {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "books.db")
			running := make([]*exec.Cmd, 6)
			outputs := make([]io.Reader, len(running))
			for i := range running {
				running[i] = exec.CommandContext(t.Context(), program, "-addr", "127.0.0.1:0", "-db", file)
				running[i].Stderr = os.Stderr
				out, err := running[i].StdoutPipe()
				require.NoError(t, err)
				outputs[i] = out
			}
			for _, cmd := range running {
				require.NoError(t, cmd.Start())
			}
			for i, cmd := range running {
				first, _ := bufio.NewReader(outputs[i]).ReadString('\n')
				require.Contains(t, first, "Listening on http://127.0.0.1:")
				require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			}
			for _, cmd := range running {
				require.NoError(t, cmd.Wait())
			}
			requireWhole(t, file)
		})
	}
}

// A program that waits for its database is told to stop.
func TestItStopsCleanlyBeforeItServes(t *testing.T) {
	file := quick(t)
	s, err := openStore(t.Context(), file)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	tx, err := s.write.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback()) }()
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	require.NoError(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-db", file}, io.Discard, nil))
	stop()
	require.NoError(t, run(ctx, []string{"-addr", "127.0.0.1:0"}, io.Discard, nil))
	require.ErrorContains(t, run(ctx, []string{"-addr", "127.0.0.1:0", "-errors", "xml"}, io.Discard, nil), "-errors")
}
