package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/redistest"
)

// The README is walked as a reader would: its programs are started, its other
// commands are typed into one shell, and what they print has to stand there. Only
// times, tokens and ids may differ, and "..." is anything.
func TestTheWalkOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	w := &walk{shell: newShell(t), clock: apitest.NewClock(), places: map[string]string{}}
	commands := 0
	for _, block := range regexp.MustCompile("(?ms)^```console\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		for _, typed := range strings.Split("\n"+block[1], "\n$ ")[1:] {
			command, want, _ := strings.Cut(typed, "\n")
			got := w.run(t, command)
			require.Regexp(t, pattern(strings.TrimRight(want, "\n")), timeless(got), "%s printed\n%s", command, got)
			commands++
		}
	}
	require.Greater(t, commands, 10)
}

// walk runs the programs of the README in other places than it says.
type walk struct {
	shell  *shell
	clock  *apitest.Clock
	places map[string]string // of each address of the README
	config string
}

func (w *walk) run(t *testing.T, command string) string {
	t.Helper()
	if strings.HasPrefix(command, "redis-server ") {
		w.places["127.0.0.1:6379"] = redistest.Start(t).Addr
		return ""
	}
	address := "127.0.0.1:8080"
	if flags, found := strings.CutPrefix(command, "go run -C examples/bookstore ."); found {
		args := strings.Fields(w.placed(flags))
		if len(args) > 1 && args[0] == "-addr" {
			address, args = args[1], args[2:]
		}
		if w.config == "" {
			w.config = patient(t)
		}
		p := start(t, w.clock, append(args, "-config", w.config)...)
		w.places[address] = strings.TrimPrefix(p.URL, "http://")
		return strings.ReplaceAll(p.Output, "$URL", "http://"+address)
	}
	got := w.shell.run(t, w.placed(command))
	for address, place := range w.places {
		got = strings.ReplaceAll(got, place, address)
	}
	return got
}

func (w *walk) placed(text string) string {
	for address, place := range w.places {
		text = strings.ReplaceAll(text, address, place)
	}
	return text
}

var changing = []*regexp.Regexp{
	regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`), // of an order, of a token
	regexp.MustCompile(`(?m)^Date: .*`),
	regexp.MustCompile(`\b[A-Z2-7]{26}\b`),     // a token
	regexp.MustCompile(`\b[0-9a-f]{32}\b`),     // the id of a request
	regexp.MustCompile(`t=\d+`),                // how long a limit lasts
	regexp.MustCompile(`Retry-After: \d+`),     // depends on the clock of the reader
	regexp.MustCompile(`(after|After":) ?\d+`), // and so do these in a body
}

// timeless is a text without what differs each time.
func timeless(text string) string {
	text = strings.ReplaceAll(text, "\r", "")
	for _, part := range changing {
		text = part.ReplaceAllString(text, "(changes)")
	}
	return text
}

// pattern is what a command has to print.
func pattern(want string) string {
	var lines []string
	for line := range strings.Lines(timeless(want)) {
		if line = strings.TrimSuffix(line, "\n"); line == "..." {
			lines = append(lines, `(?:.*\n)*?`)
		} else {
			lines = append(lines, regexp.QuoteMeta(line)+`\n`)
		}
	}
	return `^` + strings.Join(lines, "") + `\n*$`
}

// shell is a shell that keeps its variables from one command to the next.
type shell struct {
	in  io.Writer
	out *bufio.Scanner
}

func newShell(t *testing.T) *shell {
	t.Helper()
	_, err := exec.LookPath("curl")
	require.NoError(t, err, "the README shows the API by curl")
	cmd := exec.Command("sh")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, in.Close()) // which ends it
		require.NoError(t, cmd.Wait())
	})
	return &shell{in, bufio.NewScanner(out)}
}

const endOfCommand = "-- end of command --"

func (s *shell) run(t *testing.T, command string) string {
	t.Helper()
	_, err := io.WriteString(s.in, command+"\necho; echo '"+endOfCommand+"'\n")
	require.NoError(t, err)
	var lines []string
	for s.out.Scan() && s.out.Text() != endOfCommand {
		lines = append(lines, s.out.Text()+"\n")
	}
	require.Equal(t, endOfCommand, s.out.Text(), "the shell has ended")
	return strings.Join(lines, "")
}
