package sallyport_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// outcome starts a server and says in one word whether it came to listen.
func outcome(ctx context.Context, path string, say func(string)) {
	server := sallyport.Server{Addr: "unix:" + path, OnListen: func(net.Addr) { say("listens") }}
	switch err := server.Serve(ctx, okPage); {
	case err == nil:
		say("stopped")
	case strings.Contains(err.Error(), "is in use, maybe by another instance"):
		say("refused")
	default:
		say(err.Error())
	}
}

// Of all that start at one path at once, one listens, whatever was there before.
func TestOneListensAtAPath(t *testing.T) {
	const servers = 8
	for round := range 100 {
		path := filepath.Join(t.TempDir(), "api.sock")
		if round%4 != 0 {
			leaveSocket(t, path)
		}
		ctx, stop := context.WithCancel(t.Context())
		words, gate := make(chan string, 2*servers), make(chan struct{})
		for range servers {
			go func() {
				<-gate
				outcome(ctx, path, func(word string) { words <- word })
			}()
		}
		close(gate)
		want := append([]string{"listens"}, slices.Repeat([]string{"refused"}, servers-1)...)
		got := make([]string, servers)
		for i := range got {
			got[i] = <-words
		}
		slices.Sort(got)
		require.Equal(t, want, got, "in the round %d", round)
		_, text := call(t, overUnix(t, path), "GET", "http://example.com/")
		require.Equal(t, "ok", text)
		stop()
		require.Equal(t, "stopped", <-words)
		_, err := os.Lstat(path)
		require.ErrorIs(t, err, fs.ErrNotExist)
	}
}

const socketChild = "SALLYPORT_TEST_SOCKET_CHILD"

// TestSocketChild is the program that TestOneOfManyProgramsListensAtAPath starts.
// It serves at every path that it reads, until it reads an empty line.
func TestSocketChild(t *testing.T) {
	if os.Getenv(socketChild) == "" {
		return // TestOneOfManyProgramsListensAtAPath looks at what it does
	}
	lines := bufio.NewScanner(os.Stdin)
	fmt.Println("ready")
	for lines.Scan() {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			outcome(ctx, lines.Text(), func(word string) { fmt.Println(word) })
		}()
		lines.Scan()
		stop()
		<-ended
	}
}

func TestOneOfManyProgramsListensAtAPath(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	const programs = 3
	ins, outs := make([]io.WriteCloser, programs), make([]*bufio.Reader, programs)
	read := func(i int) string {
		line, err := outs[i].ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(line)
	}
	for i := range programs {
		child := exec.CommandContext(t.Context(), program, "-test.run=^TestSocketChild$")
		child.Env, child.Stderr = append(os.Environ(), socketChild+"=1"), os.Stderr
		in, err := child.StdinPipe()
		require.NoError(t, err)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		defer func() {
			require.NoError(t, in.Close())
			_, _ = io.Copy(io.Discard, out)
			require.NoError(t, child.Wait())
		}()
		ins[i], outs[i] = in, bufio.NewReader(out)
		require.Equal(t, "ready", read(i))
	}
	tell := func(line string) {
		for _, in := range ins {
			_, err := io.WriteString(in, line+"\n")
			require.NoError(t, err)
		}
	}
	for round := range 50 {
		path := filepath.Join(t.TempDir(), "api.sock")
		leaveSocket(t, path)
		tell(path)
		var got []string
		listens := 0
		for i := range programs {
			word := read(i)
			if got = append(got, word); word == "listens" {
				listens = i
			}
		}
		slices.Sort(got)
		require.Equal(t, []string{"listens", "refused", "refused"}, got, "in the round %d", round)
		tell("")
		require.Equal(t, "stopped", read(listens))
	}
}

// A server that stops removes its own socket, and no other one.
func TestTheSocketOfAnotherServerStays(t *testing.T) {
	for name, replace := range map[string]func(t *testing.T, path string){
		"it was removed": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"it was renamed": func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".old")) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "api.sock")
			old := startServer(t, sallyport.Server{Addr: "unix:" + path}, plain("old"))
			replace(t, path)
			successor := startServer(t, sallyport.Server{Addr: "unix:" + path}, plain("new"))
			require.NoError(t, old.end())
			_, text := call(t, overUnix(t, path), "GET", "http://example.com/")
			require.Equal(t, "new", text)
			require.NoError(t, successor.end())
			_, err := os.Lstat(path)
			require.ErrorIs(t, err, fs.ErrNotExist)
		})
	}
	t.Run("a file came in its place", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "api.sock")
		s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.WriteFile(path, []byte("precious"), 0o600))
		require.NoError(t, s.end())
		require.FileExists(t, path)
	})
	t.Run("the folder is gone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "folder", "api.sock")
		require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
		s := startServer(t, sallyport.Server{Addr: "unix:" + path}, okPage)
		require.NoError(t, os.RemoveAll(filepath.Dir(path)))
		require.NoError(t, s.end())
		require.NoDirExists(t, filepath.Dir(path))
	})
}
