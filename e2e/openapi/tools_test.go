package openapi

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/oapi-codegen/runtime" // so that go.mod has its version
	"github.com/stretchr/testify/require"
)

// npm installs what tools/package-lock.json says, once, where it is missing.
var npm = sync.OnceValues(func() (string, error) {
	bin, err := filepath.Abs("tools/node_modules/.bin")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(bin, "redocly")); err == nil {
		return bin, nil
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = "tools"
	install.Stdout, install.Stderr = os.Stderr, os.Stderr
	return bin, install.Run()
})

// run runs a tool of npm.
func run(t *testing.T, tool string, args ...string) string {
	t.Helper()
	bin, err := npm()
	require.NoError(t, err)
	return output(t, "", filepath.Join(bin, tool), args...)
}

// output is what a command prints when it succeeds.
func output(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", name, args, text)
	return string(text)
}

func TestRedoclyFindsNoError(t *testing.T) {
	for _, s := range sources {
		t.Run(s.String(), func(t *testing.T) {
			require.Contains(t, run(t, "redocly", "lint", "--max-problems", "1000", s.file(t)), "Your API description is valid")
		})
	}
}

// What openapi-typescript makes of the documents compiles, and knows the types of
// the bookstore.
func TestTypeScriptClientsCompile(t *testing.T) {
	folder := t.TempDir()
	files := []string{"--noEmit", "--strict", "--target", "es2022", "--moduleResolution", "bundler", "--module", "esnext", filepath.Join(folder, "shopper.ts")}
	for _, s := range sources {
		generated := filepath.Join(folder, s.String()+".ts")
		run(t, "openapi-typescript", s.file(t), "-o", generated)
		files = append(files, generated)
	}
	shopper, err := os.ReadFile("testdata/shopper.ts")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "shopper.ts"), shopper, 0o600))
	run(t, "tsc", files...)
}

// A client that oapi-codegen makes of the document shops in the bookstore.
func TestAGoClientShops(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	for _, s := range sources {
		t.Run(s.String(), func(t *testing.T) {
			folder := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(folder, "client"), 0o700))
			code := output(t, root, "go", "tool", "oapi-codegen", "-package", "client", "-generate", "types,client", s.file(t))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "client", "client.go"), []byte(code), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte("module shopper\n\ngo 1.26\n"), 0o600))
			program := "package main\n\nimport _ \"shopper/client\"\n\nfunc main() {}\n"
			if s.path == "/api/v2/openapi" {
				text, err := os.ReadFile("testdata/shopper.go.txt")
				require.NoError(t, err)
				program = string(text)
			}
			require.NoError(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600))
			output(t, folder, "go", "get", runtimeVersion(t, root))
			output(t, folder, "go", "mod", "tidy")
			output(t, folder, "go", "vet", "./...")
			if s.path == "/api/v2/openapi" {
				require.Equal(t, `6 books, the first is "The C Programming Language" for 5499 EUR
ada may [orders:read orders:write]
ordered: 201, 1 of 9780131103627, 5499 cents
read again: true
nothing: 400 1 min
nobody: 401
export 3 429 export 2 true
`, output(t, folder, "go", "run", ".", running[s.example]+"/api"))
			}
		})
	}
}

// runtimeVersion is what the generated code imports, as this module has it.
func runtimeVersion(t *testing.T, root string) string {
	t.Helper()
	return strings.TrimSpace(output(t, root, "go", "list", "-m", "-f", "{{.Path}}@{{.Version}}", "github.com/oapi-codegen/runtime"))
}
