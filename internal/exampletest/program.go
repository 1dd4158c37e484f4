// Package exampletest runs the example programs as a user would: on a port, over
// a socket, until a signal.
package exampletest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// Program is an example that serves.
type Program struct {
	URL    string // such as "http://127.0.0.1:40123"
	Output string // what it has printed up to then, with URL as "$URL"
}

// Run is what main calls: it serves until the context ends.
type Run func(ctx context.Context, args []string, out io.Writer) error

// Start runs a program on a free port until the test ends, where it has to stop
// without an error.
func Start(t testing.TB, run Run, args ...string) *Program {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out := &output{printed: make(chan struct{})}
	stopped := make(chan error, 1)
	go func() { stopped <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), out) }()
	select {
	case <-out.printed:
	case err := <-stopped:
		stop()
		t.Fatalf("the program ended before it served: %v", err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("the program did not stop cleanly: %v", err)
		}
	})
	return programOf(t, out.String())
}

var listening = regexp.MustCompile(`^Listening on (http://127\.0\.0\.1:[1-9][0-9]*)\n`)

// programOf reads the address in the first line of what was printed.
func programOf(t testing.TB, printed string) *Program {
	t.Helper()
	address := listening.FindStringSubmatch(printed)
	if address == nil {
		t.Fatalf("the program does not say where it listens: %q", printed)
	}
	return &Program{URL: address[1], Output: strings.ReplaceAll(printed, address[1], "$URL")}
}

// Answer is what a program has answered.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Do sends a request with header fields, given as names and values in turn.
func (p *Program) Do(t testing.TB, method, path string, header ...string) Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{res.StatusCode, res.Header, string(body)}
}

// output keeps what a program prints. printed is closed by the first of it.
type output struct {
	mu      sync.Mutex
	text    bytes.Buffer
	once    sync.Once
	printed chan struct{}
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.once.Do(func() { close(o.printed) })
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
