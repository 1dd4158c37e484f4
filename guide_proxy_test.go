package sallyport_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// proxyPage reads docs/behind-a-proxy.md.
func proxyPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("docs/behind-a-proxy.md")
	require.NoError(t, err)
	return string(page)
}

// The page shows what stands in this file, so every snippet compiles and runs.
func TestTheSnippetsOfTheProxyPageAreTested(t *testing.T) {
	tested, err := os.ReadFile("guide_proxy_test.go")
	require.NoError(t, err)
	snippets := regexp.MustCompile("(?s)\n```go\n(.*?)\n```\n").FindAllStringSubmatch(proxyPage(t), -1)
	require.Len(t, snippets, 4)
	for _, snippet := range snippets {
		require.Contains(t, string(tested), "\n\t"+strings.ReplaceAll(snippet[1], "\n", "\n\t")+"\n")
	}
}

// whoCalls prints the address of the client as a program sees it.
func whoCalls(c sallyport.Config, q request) {
	decider := sallyport.NewApiDecider(c)
	decider.AddApi(api.GET("1", "users"), handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		ip, err := r.ClientIP()
		return api.Text(http.StatusOK, ip), err
	}), open)
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		panic(err)
	}
	q.path = "/api/v1/users"
	ip, err := io.ReadAll(send(presenter, q).Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(ip))
}

func Example_proxyNginx() {
	config := sallyport.Config{
		IPDetector:     ipdetector.NewTrustedProxies("X-Forwarded-For", "127.0.0.1", "::1"),
		BaseURL:        "https://api.example.com",
		TrustRequestID: true, // nginx sets it, whatever the client has sent
	}

	whoCalls(config, request{from: "127.0.0.1", header: http.Header{"X-Forwarded-For": {"203.0.113.7"}}})
	whoCalls(config, request{from: "203.0.113.9", header: http.Header{"X-Forwarded-For": {"203.0.113.7"}}})
	// Output:
	// 203.0.113.7
	// 203.0.113.9
}

func Example_proxyLoadBalancer() {
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.16.0/20", "10.0.32.0/20")

	config := sallyport.Config{IPDetector: detector}
	whoCalls(config, request{from: "10.0.20.5", header: http.Header{"X-Forwarded-For": {"6.6.6.6, 203.0.113.7:51000"}}})
	whoCalls(config, request{from: "10.0.48.1", header: http.Header{"X-Forwarded-For": {"203.0.113.7"}}})
	// Output:
	// 203.0.113.7
	// 10.0.48.1
}

func Example_proxySeveral() {
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For",
		"127.0.0.1",     // nginx on this machine
		"10.0.16.0/20",  // the load balancer in front of it
		"198.51.100.10", // the partner's gateway, which appends, too
	)

	config := sallyport.Config{IPDetector: detector}
	whoCalls(config, request{from: "127.0.0.1", header: http.Header{"X-Forwarded-For": {"203.0.113.7, 198.51.100.10, 10.0.16.5"}}})
	// Output:
	// 203.0.113.7
}

// The rows of the page about several proxies.
func TestTheTableOfSeveralProxies(t *testing.T) {
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", "127.0.0.1", "10.0.16.0/20", "198.51.100.10")
	_, table, _ := strings.Cut(proxyPage(t), "| `X-Forwarded-For` when the peer is 127.0.0.1 | client |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := regexp.MustCompile("(?m)^\\| (?:`(.*?)`|none) \\| ([0-9.]+)[: ]").FindAllStringSubmatch(table, -1)
	require.Len(t, rows, 4)
	for _, row := range rows {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		require.NoError(t, err)
		r.RemoteAddr = "127.0.0.1:4000"
		if row[1] != "" {
			r.Header.Set("X-Forwarded-For", row[1])
		}
		require.Equal(t, row[2], detector.IP(r), row[0])
	}
}

// edge trusts the networks in a file.
func edge(path string) (ipdetector.Detector, error) {
	networks, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	detector := ipdetector.NewHeader("CF-Connecting-IP", strings.Fields(string(networks))...)
	return detector, detector.Validate()
}

func TestTheNetworksOfAnEdge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "networks")
	_, err := edge(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err = edge(path)
	require.EqualError(t, err, "ipdetector: there is no proxy to trust: name one, or use RemoteAddr")

	require.NoError(t, os.WriteFile(path, []byte("173.245.48.0/20\n2400:cb00::/32\n"), 0o600))
	detector, err := edge(path)
	require.NoError(t, err)
	for from, want := range map[string]string{"173.245.48.9:1": "203.0.113.7", "[2400:cb00::1]:1": "203.0.113.7", "198.51.100.1:1": "198.51.100.1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		require.NoError(t, err)
		r.RemoteAddr = from
		r.Header.Set("Cf-Connecting-Ip", "203.0.113.7")
		require.Equal(t, want, detector.IP(r))
	}
}

// The numbers that curl shows on the page, behind a proxy that appends.
func TestForgedHeadersOnTheProxyPage(t *testing.T) {
	p := newProgram(sallyport.Config{
		RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 100, Interval: time.Minute}},
		Defaults:   sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
		IPDetector: ipdetector.NewTrustedProxies("", "127.0.0.1"),
	})
	p.AddApi(api.GET("1", "users"), ok, open)
	h := p.build(t)
	var shown strings.Builder
	for n := range 3 {
		forged := fmt.Sprintf("6.6.6.%d, 203.0.113.7", n+1)
		res := send(h, request{path: "/api/v1/users", from: "127.0.0.1", header: http.Header{"X-Forwarded-For": {forged}}})
		fmt.Fprintf(&shown, "ratelimit: %s\n", res.Header.Get("RateLimit"))
	}
	require.Contains(t, proxyPage(t), "'^ratelimit:'; done\n"+shown.String()+"```")
	other := request{path: "/api/v1/users", from: "127.0.0.1", header: http.Header{"X-Forwarded-For": {"198.51.100.3"}}}
	require.Contains(t, send(h, other).Header.Get("RateLimit"), "r=99")
}
