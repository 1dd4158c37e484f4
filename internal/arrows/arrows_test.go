// Package arrows holds the directions in which the packages import each other,
// as docs/design.md draws them. Tests may import what they like.
package arrows

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/sallyport-go/sallyport"

// rule is what a package may import besides the standard library.
type rule struct {
	arrows  []string // packages of ours; what they may import is allowed, too
	modules []string // modules of others
}

// rules has a rule for every package, by its folder. A folder of its own wins
// over the pattern that ends in "/...". Packages of internal may be imported
// everywhere, so they import nothing of ours but each other.
var rules = map[string]rule{
	".": {
		arrows:  []string{"handler", "errorhandler", "auth", "api", "ratelimit", "ipdetector"},
		modules: []string{"github.com/julienschmidt/httprouter", "go.yaml.in/yaml/v3"},
	},
	"handler":         {arrows: []string{"api"}},
	"handler/...":     {arrows: []string{"api"}},
	"handler/openapi": {arrows: []string{"handler/param", "handler/output"}},
	"errorhandler":    {arrows: []string{"api"}},
	"auth":            {arrows: []string{"api"}, modules: []string{"golang.org/x/crypto"}},
	"auth/...":        {arrows: []string{"auth"}},
	"auth/jwt":        {arrows: []string{"auth"}, modules: []string{"github.com/golang-jwt/jwt/v5", "github.com/MicahParks/jwkset"}},
	"api":             {arrows: []string{"ratelimit"}},

	"ratelimit":              {arrows: []string{"ipdetector"}},
	"ratelimit/filestorage":  {arrows: []string{"ratelimit"}},
	"ratelimit/redisstorage": {arrows: []string{"ratelimit"}, modules: []string{"github.com/redis/go-redis/v9"}},
	"ratelimit/storagetest":  {arrows: []string{"ratelimit"}},
	"ipdetector":             {},

	"apitest": {}, // a program's tests, whatever else it imports

	"internal/...":        {},
	"internal/drawlimits": {arrows: []string{"ratelimit"}}, // a program: nothing imports it
	"internal/rules":      {modules: []string{"github.com/go-playground/validator/v10"}},
	"internal/schema":     {modules: []string{"github.com/santhosh-tekuri/jsonschema/v6"}},

	// An example is a program of a user: it may import every public package.
	"examples/...": {
		arrows: []string{".", "handler/param", "handler/output", "handler/openapi", "handler/console", "auth/jwt",
			"ratelimit/filestorage", "ratelimit/redisstorage"},
		modules: []string{"github.com/redis/go-redis/v9"},
	},
}

// ruleOf finds the rule of a folder.
func ruleOf(folder string) (rule, bool) {
	if r, ok := rules[folder]; ok {
		return r, true
	}
	for parent := folder; strings.Contains(parent, "/"); {
		parent = parent[:strings.LastIndex(parent, "/")]
		if r, ok := rules[parent+"/..."]; ok {
			return r, true
		}
	}
	return rule{}, false
}

// reachable adds to all what the arrows of the folder lead to.
func reachable(folder string, all map[string]bool) {
	r, _ := ruleOf(folder)
	for _, to := range r.arrows {
		if !all[to] {
			all[to] = true
			reachable(to, all)
		}
	}
}

// violations returns the imports that the rule of the folder does not allow.
func violations(folder string, r rule, imports []string) (wrong []string) {
	allowed := map[string]bool{}
	reachable(folder, allowed)
	for _, path := range imports {
		own, ours := ownFolder(path)
		switch {
		case ours && (allowed[own] || strings.HasPrefix(own, "internal/")):
		case !ours && standard(path):
		case !ours && slices.ContainsFunc(r.modules, func(m string) bool { return path == m || strings.HasPrefix(path, m+"/") }):
		default:
			wrong = append(wrong, path)
		}
	}
	return wrong
}

// ownFolder is the folder of a package of this module, "." for the root.
func ownFolder(path string) (folder string, ours bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// standard tells a path of the standard library: its first element has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// listed is a package as the go command describes it.
type listed struct {
	ImportPath string
	Imports    []string
	Module     struct{ Path string }
}

const root = "../.."

// readSources reads the sources that "go list" is going to read: the go command
// repeats the result of a test whose own reading would be the same, and does not
// see that of other programs.
func readSources(t *testing.T) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != root && strings.HasPrefix(e.Name(), "."):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") || e.Name() == "go.mod":
			_, err = os.ReadFile(path)
		}
		return err
	}))
}

// list runs "go list" in the root of the repository.
func list(t *testing.T, args ...string) (packages []listed) {
	t.Helper()
	readSources(t)
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports,Module"}, args...)...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}

func TestArrows(t *testing.T) {
	packages := list(t, "./...")
	require.NotEmpty(t, packages)
	for _, p := range packages {
		folder, ours := ownFolder(p.ImportPath)
		require.True(t, ours, p.ImportPath)
		r, ok := ruleOf(folder)
		if !ok {
			t.Errorf("package %s has no rule: say in this file what it may import", folder)
			continue
		}
		for _, path := range violations(folder, r, p.Imports) {
			t.Errorf("package %s must not import %s", folder, path)
		}
	}
}

// A program that takes only the limits gets nothing else, and no program gets a
// Redis client that it has not asked for.
func TestDependencies(t *testing.T) {
	tests := []struct {
		folder string
		others []string // the modules of others that it brings along
	}{
		{"./ratelimit", nil}, // RL-001
		{"./ipdetector", nil},
		{"./api", nil},
		{".", []string{ // RL-001
			"github.com/julienschmidt/httprouter", "go.yaml.in/yaml/v3",
			"github.com/go-playground/validator/v10", // and what it brings along
			"github.com/gabriel-vasile/mimetype", "github.com/go-playground/locales", "github.com/go-playground/universal-translator",
			"github.com/leodido/go-urn", "golang.org/x/crypto", "golang.org/x/sys", "golang.org/x/text",
		}},
	}
	for _, test := range tests {
		t.Run(test.folder, func(t *testing.T) {
			others := map[string]bool{}
			for _, p := range list(t, "-deps", test.folder) {
				if _, ours := ownFolder(p.ImportPath); !ours && !standard(p.ImportPath) {
					others[p.Module.Path] = true
				}
			}
			require.ElementsMatch(t, test.others, slices.Collect(maps.Keys(others)))
		})
	}
}

// The rules themselves refuse what they should.
func TestViolations(t *testing.T) {
	tests := map[string]struct {
		folder  string
		imports []string
		wrong   []string
	}{
		"the standard library":       {"ipdetector", []string{"net/http", "crypto/sha256"}, nil},
		"an arrow":                   {"api", []string{module + "/ratelimit"}, nil},
		"an arrow of an arrow":       {"auth", []string{module + "/ipdetector"}, nil},
		"against an arrow":           {"ratelimit", []string{module + "/api"}, []string{module + "/api"}},
		"the root from below":        {"handler", []string{module}, []string{module}},
		"a neighbor":                 {"auth", []string{module + "/handler"}, []string{module + "/handler"}},
		"a helper of internal":       {"ipdetector", []string{module + "/internal/safelog"}, nil},
		"a helper imports nothing":   {"internal/safelog", []string{module + "/api"}, []string{module + "/api"}},
		"a module that is allowed":   {".", []string{"github.com/julienschmidt/httprouter"}, nil},
		"a package of that module":   {"ratelimit/redisstorage", []string{"github.com/redis/go-redis/v9/x"}, nil},
		"a module that is not":       {"ratelimit", []string{"github.com/redis/go-redis/v9"}, []string{"github.com/redis/go-redis/v9"}},
		"a module of a similar name": {".", []string{"github.com/julienschmidt/httprouter2"}, []string{"github.com/julienschmidt/httprouter2"}},
		"a program imports the root": {"examples/one/deep", []string{module, module + "/auth/jwt"}, nil},
		"a deep package by pattern":  {"auth/jwt", []string{module + "/auth", module + "/handler"}, []string{module + "/handler"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, ok := ruleOf(test.folder)
			require.True(t, ok)
			require.Equal(t, test.wrong, violations(test.folder, r, test.imports))
		})
	}
	_, ok := ruleOf("stranger")
	require.False(t, ok)
}
