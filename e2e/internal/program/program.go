// Package program builds and runs the example programs of the repository.
package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Build builds a program of the folder examples into a folder.
func Build(ctx context.Context, name, into string) (path string, err error) {
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/sallyport-go/sallyport")
	list.Env = append(os.Environ(), "GOWORK=off")
	root, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("program: where the repository is: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "examples", name) // a module of its own, maybe
	path = filepath.Join(into, name)
	build := exec.CommandContext(ctx, "go", "build", "-C", source, "-o", path, ".") //nolint:gosec // our own programs
	build.Env = list.Env
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("program: %s: %w\n%s", name, err, output)
	}
	return path, nil
}

var listening = regexp.MustCompile(`^Listening on (http://127\.0\.0\.1:\d+)$`)

// Start runs a program at a free port and returns its address. stop ends it as
// administrators do, and returns how it ended.
func Start(ctx context.Context, path string) (url string, stop func() error, err error) {
	cmd := exec.CommandContext(ctx, path, "-addr", "127.0.0.1:0")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	found := listening.FindStringSubmatch(strings.TrimSpace(first))
	if found == nil {
		_ = cmd.Process.Kill()
		ended := cmd.Wait()
		return "", nil, fmt.Errorf("program: %s does not say where it listens: %w\n%s", path, errors.Join(err, ended), complaints.Bytes())
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, out)
	}()
	return found[1], func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		<-read
		return cmd.Wait()
	}, nil
}
