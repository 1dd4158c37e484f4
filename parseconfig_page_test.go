package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// weekend is a limiter that never applies.
type weekend struct{}

func (weekend) Consume(_ context.Context, _ *ratelimit.Context, _ int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	return dst, nil
}

// dialCounters stands for a storage on another machine.
func dialCounters(context.Context, string, string) (ratelimit.Storage, error) {
	return ratelimit.NewMemory(ratelimit.MemoryOptions{}), nil
}

// openCounters connects when the first counter is needed.
func openCounters(c sallyport.StorageConfig) (ratelimit.Storage, error) {
	address, prefix := c.Option("address"), c.Prefix()
	if address == "" {
		return nil, errors.New("the option address is missing")
	}
	return ratelimit.Lazy(func(ctx context.Context) (ratelimit.Storage, error) {
		return dialCounters(ctx, address, prefix)
	}), nil
}

func partsOfThePage() sallyport.Parts {
	parts := sallyport.Parts{
		Algorithms: map[string]ratelimit.Algorithm{"minimumGap": minimumGap{}},
		Keys:       map[string]ratelimit.Key{"company": ratelimit.IdentityKeyFunc(company), "site": ratelimit.IPKey(48)},
		Limiters:   map[string]ratelimit.Limiter{"weekend": weekend{}},
		Storages:   map[string]sallyport.StorageFunc{"counters": openCounters},
	}
	return parts
}

// The page shows what is tested: its programs stand in this file, its files are
// parsed, and its mistakes are those of its last file.
func TestThePageOfTheConfiguration(t *testing.T) {
	page := readFile(t, "docs/configuration.md")
	blocks := map[string][]string{}
	for _, block := range regexp.MustCompile("(?s)\n```([a-z]*)\n(.*?\n)```\n").FindAllStringSubmatch(page, -1) {
		blocks[block[1]] = append(blocks[block[1]], block[2])
	}
	require.Len(t, blocks["go"], 3)
	source := readFile(t, "parseconfig_page_test.go")
	for _, program := range blocks["go"] {
		indented := "\t" + strings.ReplaceAll(strings.TrimSuffix(program, "\n"), "\n", "\n\t") + "\n"
		require.True(t, strings.Contains(source, program) || strings.Contains(source, indented), program)
	}
	require.Len(t, blocks["yaml"], 4)
	for _, file := range blocks["yaml"][:3] {
		parse(t, file, partsOfThePage())
	}
	_, err := sallyport.ParseConfig([]byte(blocks["yaml"][3]), sallyport.Parts{})
	require.EqualError(t, err, strings.TrimSuffix(blocks[""][0], "\n"))
}

func TestTheStorageOfThePage(t *testing.T) {
	require.Equal(t, []string{"rateLimiting.storage: line 1, column 25: the option address is missing"},
		mistakes(t, "rateLimiting: {storage: counters}", partsOfThePage()))
	p := newProgram(parse(t, "rateLimiting: {storage: {name: counters, options: {address: 'localhost:7000'}}}\ndefaults: {rateLimit: {limit: 1, interval: 60}}", partsOfThePage()))
	p.AddApi(api.GET("1", "users"), ok, open)
	require.Equal(t, []int{200, 429}, statuses(p.build(t), 2, request{path: "/api/v1/users"}))
}

// load makes a program of a configuration file.
func load(data []byte, users api.Handler) (*sallyport.Presenter, error) {
	config, err := sallyport.ParseConfig(data, sallyport.Parts{})
	if err != nil {
		return nil, err
	}
	config.ErrorHandler = errorhandler.ProblemDetails{} // what no file can say
	decider := sallyport.NewApiDecider(config)
	decider.AddApi(api.GET("1", "users"), users, auth.None())
	return sallyport.NewPresenter(decider)
}

func ExampleParseConfig() {
	presenter, err := load([]byte(`
rateLimits:
  perIp: {limit: 100, interval: 1 minute}
endpoints:
  GET.v1.users: {rateLimit: perIp}
`), handler.AlwaysOk{})
	if err != nil {
		fmt.Println(err)
		return
	}
	w := httptest.NewRecorder()
	presenter.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/users", nil))
	fmt.Println(w.Header().Get("RateLimit-Policy"))
	// Output:
	// "perIp";q=100;w=60
}

func ExampleParseConfig_mistakes() {
	_, err := sallyport.ParseConfig([]byte(`
rateLimits:
  perIp: {limt: 100, interval: 1 minute}
defaults:
  rateLimit: perIpp
`), sallyport.Parts{})
	fmt.Println(err)
	// Output:
	// sallyport: config: rateLimits.perIp.limt: line 3, column 11: there is no field "limt"; did you mean limit? known: algorithm, limit, interval, key, name, onStorageFailure
	// sallyport: config: defaults.rateLimit: line 5, column 14: there is no rate limit "perIpp"; did you mean perIp? known: perIp; for none write false
}
