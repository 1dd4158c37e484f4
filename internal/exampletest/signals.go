package exampletest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// StopsOnSignals builds the program in the folder of the test and lets it end by
// each of the signals, which has to be with exit status 0.
func StopsOnSignals(t *testing.T, args ...string) {
	t.Helper()
	program := Build(t)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, append([]string{"-addr", "127.0.0.1:0"}, args...)...) //nolint:gosec // the program was just built
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			first, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			p := programOf(t, first)
			p.Do(t, "GET", "/") // it serves
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Fatalf("after the signal: %v", err)
			}
		})
	}
}

// Build builds the program in the folder of the test and returns its path.
func Build(t testing.TB) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".") //nolint:gosec // a path of the test's own
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return program
}
