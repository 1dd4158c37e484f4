package main

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// The numbers of these tests are made up: they stand in strings, which prove
// nothing in this repository.

const testPage = `# Parity

| number | kind | title | decision |
| --- | --- | --- | --- |
| RL-001 | T | It counts | |
| RL-002 | D | It is described | |
| RL-003 | D T | It counts and is described | decided otherwise: why not |
| RL-004 | N D | It is elsewhere | no counterpart |
| FW-001 | FIX | It is put right | |
| TC-001 | PORT | It is ported | |
| TC-002 | SKIP | It is skipped | no counterpart |
`

// repository makes a repository of the test page and files: name, text, name, text.
func repository(files ...string) fstest.MapFS {
	fsys := fstest.MapFS{pagePath: {Data: []byte(testPage)}}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return fsys
}

const allProved = "package x\n// RL-001, RL-003\n// FW-001: put right\n/* and\n TC-001 */\n"

func TestRun(t *testing.T) {
	tests := map[string]struct {
		files    []string
		args     []string
		complete bool
		output   string
	}{
		"nothing is proved": {
			output: `RL without proof:
  RL-001  It counts (needs a test)
  RL-002  It is described (needs a mark in a page)
  RL-003  It counts and is described (needs a test and a mark in a page)

FW without proof:
  FW-001  It is put right (needs a test)

TC without proof:
  TC-001  It is ported (needs a test)

RL 0/3 proven, FW 0/1 proven, TC 0/1 proven
`,
		},
		"everything is proved": {
			files:    []string{"a/a_test.go", allProved, "README.md", "<!-- RL-002 -->", "docs/guide/one.md", "x <!--\nRL-003\n-->"},
			complete: true,
			output:   "RL 3/3 proven, FW 1/1 proven, TC 1/1 proven\n",
		},
		"nested modules count": {
			files:    []string{"e2e/go.mod", "module e2e", "e2e/deep/a_test.go", "package deep // FW-001"},
			args:     []string{"FW"},
			complete: true,
			output:   "FW 1/1 proven\n",
		},
		"a mark is no test and a test is no mark": {
			files: []string{"a_test.go", "package x // RL-002, RL-003", "README.md", "<!-- RL-001 -->"},
			args:  []string{"RL"},
			output: `RL without proof:
  RL-001  It counts (needs a test)
  RL-002  It is described (needs a mark in a page)
  RL-003  It counts and is described (needs a mark in a page)

RL 0/3 proven
`,
		},
		"strings, other files and hidden folders prove nothing": {
			files: []string{
				"a_test.go", "package x\nconst s = `// FW-001`\n",
				"a.go", "package x // FW-001",
				".bin/a_test.go", "package x // FW-001",
				"_old/a_test.go", "package x // FW-001",
				"a/testdata/a_test.go", "package x // FW-001",
				"a/vendor/b/a_test.go", "package x // FW-001",
				"a_test.md", "<!-- FW-001 -->",
			},
			args:   []string{"FW"},
			output: "FW without proof:\n  FW-001  It is put right (needs a test)\n\nFW 0/1 proven\n",
		},
		"a number inside a longer word is none": {
			files:  []string{"a_test.go", "package x // XFW-001, FW-001x, FW_001, peer-fw 34"},
			args:   []string{"FW"},
			output: "FW without proof:\n  FW-001  It is put right (needs a test)\n\nFW 0/1 proven\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			complete, err := run(repository(test.files...), test.args, &out)
			require.NoError(t, err)
			require.Equal(t, test.output, out.String())
			require.Equal(t, test.complete, complete)
		})
	}
}

func TestRunFaults(t *testing.T) {
	const shorthandFault = `: write each number out, separated by commas`
	tests := map[string]struct {
		files []string
		args  []string
		fault string
	}{
		"an unknown group":             {args: []string{"XX"}, fault: `parity: arguments ["XX"]: one of ["RL" "FW" "TC"], or none`},
		"two groups":                   {args: []string{"RL", "FW"}, fault: `parity: arguments ["RL" "FW"]: one of ["RL" "FW" "TC"], or none`},
		"an unknown number in a test":  {files: []string{"a/a_test.go", "package a\n\n/*\n FW-001\n FW-002 */"}, fault: "a/a_test.go:5: FW-002 does not stand in docs/parity.md"},
		"a number of other length":     {files: []string{"a_test.go", "package a // FW-1"}, fault: "a_test.go:1: FW-1 does not stand in docs/parity.md"},
		"an unknown number in a page":  {files: []string{"docs/a.md", "one\n<!-- two\nRL-009 -->"}, fault: "docs/a.md:3: RL-009 does not stand in docs/parity.md"},
		"a list in short":              {files: []string{"a_test.go", "package a // RL-001, 002"}, fault: `a_test.go:1: "RL-001, 002"` + shorthandFault},
		"a range in words":             {files: []string{"a_test.go", "package a // RL-001 to 003"}, fault: `a_test.go:1: "RL-001 to 003"` + shorthandFault},
		"a range in dots":              {files: []string{"a_test.go", "package a // RL-001..RL-003"}, fault: `a_test.go:1: "RL-001..RL-003"` + shorthandFault},
		"two faults in two files":      {files: []string{"a_test.go", "// RL-008", "b_test.go", "// RL-009"}, fault: "a_test.go:1: RL-008 does not stand in docs/parity.md\nb_test.go:1: RL-009 does not stand in docs/parity.md"},
		"an unknown kind in the page":  {files: []string{pagePath, "\n| RL-001 | T Q | It counts | |"}, fault: `docs/parity.md:2: RL-001: kind "Q" is unknown`},
		"no kind in the page":          {files: []string{pagePath, "| RL-001 | | It counts | |"}, fault: "docs/parity.md:1: RL-001 has no kind"},
		"no title in the page":         {files: []string{pagePath, "| RL-001 | T | | |"}, fault: "docs/parity.md:1: RL-001 has no title"},
		"a number twice in the page":   {files: []string{pagePath, "| RL-001 | T | It | |\n| RL-001 | T | It | |"}, fault: "docs/parity.md:2: RL-001 stands twice"},
		"a number with a letter":       {files: []string{pagePath, "| RL-001a | T | It counts | |"}, fault: `docs/parity.md:1: "RL-001a" is no number`},
		"a row without all its fields": {files: []string{pagePath, "| RL-001 | T | It counts |"}, fault: `docs/parity.md:1: a row has four columns: "| RL-001 | T | It counts |"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			complete, err := run(repository(test.files...), test.args, &out)
			require.EqualError(t, err, test.fault)
			require.Empty(t, out.String())
			require.False(t, complete)
		})
	}
}

func TestRunWithoutPage(t *testing.T) {
	_, err := run(fstest.MapFS{}, nil, &strings.Builder{})
	require.EqualError(t, err, "parity: open docs/parity.md: file does not exist")
}

// The page of this repository is whole, and every number in its tests and pages
// stands there.
func TestThisRepository(t *testing.T) {
	root, err := os.OpenRoot("../..")
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()

	promises, err := readPage(root.FS())
	require.NoError(t, err)
	count := map[string]int{}
	for _, p := range promises {
		count[p.group()]++
	}
	require.Equal(t, map[string]int{"RL": 322, "FW": 414, "TC": 195}, count)

	_, err = findProofs(root.FS(), promises)
	require.NoError(t, err)
}
