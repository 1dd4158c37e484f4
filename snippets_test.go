package sallyport_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The pages show what stands in these files, so every snippet compiles and runs.
func TestTheSnippetsOfThePagesAreTested(t *testing.T) {
	for page, files := range map[string][]string{
		"docs/rate-limiting.md": {"guide_test.go", "ratelimit/guide_test.go", "examples/customstorage/memcached.go"},
		"docs/authorization.md": {"guide_authorization_test.go"},
		"docs/errors.md":        {"guide_errors_test.go"},
		"docs/serving.md":       {"guide_serving_test.go"},
		"docs/testing.md":       {"apitest/apitest_test.go"},
		"docs/versions.md":      {"guide_versions_test.go"},
		"docs/console.md":       {"handler/console/example_test.go"},
		"docs/openapi.md":       {"handler/openapi/example_test.go"},
		"docs/handlers.md":      {"examples/handlers/main.go", "examples/handlers/typed.go", "examples/handlers/incode.go", "examples/handlers/files.go"},
	} {
		var tested strings.Builder
		for _, name := range files {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			tested.Write(text)
		}
		snippets := blocks(t, page, "go")
		require.NotEmpty(t, snippets)
		for _, snippet := range snippets {
			stands := slices.ContainsFunc([]string{"\n", "\n\t"}, func(begin string) bool {
				indented := strings.ReplaceAll("\n"+snippet, "\n", begin)
				return strings.Contains(tested.String(), strings.ReplaceAll(indented, "\n\t\n", "\n\n"))
			})
			require.True(t, stands, "no file of %s has this snippet:\n%s", page, snippet)
		}
	}
}

// blocks are the blocks of code in a page that are in that language.
func blocks(t *testing.T, page, language string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").FindAllSubmatch(text, -1) {
		list = append(list, string(block[1]))
	}
	return list
}
