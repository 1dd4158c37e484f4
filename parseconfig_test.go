package sallyport_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

// parse reads a configuration that is right.
func parse(t *testing.T, text string, parts sallyport.Parts) sallyport.Config {
	t.Helper()
	c, err := sallyport.ParseConfig([]byte(text), parts)
	require.NoError(t, err)
	return c
}

// mistakes reads one that is wrong. The lines are without what all begin with.
func mistakes(t *testing.T, text string, parts sallyport.Parts) (list []string) {
	t.Helper()
	c, err := sallyport.ParseConfig([]byte(text), parts)
	require.Error(t, err, text)
	require.Equal(t, sallyport.Config{}, c)
	for _, mistake := range strings.Split(err.Error(), "\n") {
		rest, ok := strings.CutPrefix(mistake, "sallyport: config: ")
		require.True(t, ok, mistake)
		list = append(list, rest)
	}
	return list
}

func TestTheConfigurationOfTheDocuments(t *testing.T) { // RL-027
	for _, name := range []string{"documents.yaml", "documents.json"} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(parse(t, readFile(t, "testdata/config/"+name), sallyport.Parts{}))
			p.AddApi(api.GET("1", "users"), ok, open)
			p.AddApi(api.POST("1", "login"), ok, open)
			p.AddApi(api.GET("1", "reports"), ok, bearer)
			p.AddApi(api.POST("1", "export"), ok, open)
			p.AddApi(api.GET("1", "status"), ok, open)
			h := p.build(t)
			for _, tc := range []struct {
				q             request
				policy, limit string
			}{
				{request{path: "/api/v1/users"}, `"perIp";q=100;w=60`, `"perIp";r=99;t=60`}, // RL-018
				{request{method: "POST", path: "/api/v1/login"}, `"login";q=5;w=900`, `"login";r=4;t=900`},
				{request{path: "/api/v1/reports", token: "my-token"}, `"perIp";q=100;w=60, "perUser";q=1000;w=3600`, `"perIp";r=98;t=60, "perUser";r=999;t=4`},
				{request{method: "POST", path: "/api/v1/export"}, `"POST.v1.export";q=2;w=3600`, `"POST.v1.export";r=1;t=3600`},
				{request{path: "/api/v1/status"}, "", ""},
			} {
				res := send(h, tc.q)
				policy, limit := limitsOf(res)
				require.Equal(t, 200, res.StatusCode, tc.q.path)
				require.Equal(t, []string{tc.policy, tc.limit}, []string{policy, limit}, tc.q.path)
			}
			require.Equal(t, []int{200, 200, 200, 200, 429}, statuses(h, 5, request{method: "POST", path: "/api/v1/login"}))
			require.Equal(t, []int{200, 429}, statuses(h, 2, request{method: "POST", path: "/api/v1/export"}))
		})
	}
}

func TestAllMistakesOfAFileAreReportedTogether(t *testing.T) { // RL-028, RL-029
	list := mistakes(t, readFile(t, "testdata/config/faults.yaml"), sallyport.Parts{})
	require.Len(t, list, 12)
	require.Equal(t, readFile(t, "testdata/config/faults.txt"), "sallyport: config: "+strings.Join(list, "\nsallyport: config: ")+"\n")
}

func TestSettings(t *testing.T) {
	for _, tc := range []struct {
		file string
		want sallyport.Config
	}{
		{"{}", sallyport.Config{}},
		{"# nothing but a comment\n{}\n", sallyport.Config{}},
		{"basePath: /", sallyport.Config{BasePath: "/"}},
		{"basePath: /my/api\ndebug: true\nlogRefused: true\ntrustRequestId: true", sallyport.Config{BasePath: "/my/api", Debug: true, LogRefused: true, TrustRequestID: true}},
		{"debug: false", sallyport.Config{}},
		{"basePath: null\ndebug: ~\nrateLimits:\ndefaults:\nendpoints:\ncors:\nrateLimiting:", sallyport.Config{}},
		{"maxBody: 2048\ntimeout: 30 seconds", sallyport.Config{MaxBody: 2048, Timeout: 30 * time.Second}},
		{"maxBody: false", sallyport.Config{MaxBody: -1}},
		{"maxUrl: 100\nbaseUrl: https://api.example.com\nmethodOverride: true", sallyport.Config{MaxURL: 100, BaseURL: "https://api.example.com", MethodOverride: true}},
		{"maxUrl: false", sallyport.Config{MaxURL: -1}},
		{"versions: {'1': {deprecated: 2026-01-01, sunset: '2027-06-30T23:59:59+02:00', documentation: https://dev.example/v1, successor: '2'}}", sallyport.Config{
			Versions: map[string]api.Lifecycle{"1": {
				Deprecated:    time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
				Sunset:        time.Date(2027, time.June, 30, 23, 59, 59, 0, time.FixedZone("", 7200)),
				Documentation: "https://dev.example/v1", Successor: "2",
			}}}},

		{"trustedProxies: 10.0.0.0/8", sallyport.Config{IPDetector: ipdetector.NewTrustedProxies("", "10.0.0.0/8")}},
		{"trustedProxies: [10.0.0.0/8, 192.168.1.1, unix]", sallyport.Config{IPDetector: ipdetector.NewTrustedProxies("", "10.0.0.0/8", "192.168.1.1", "unix")}},
		{"trustedProxies: {header: Forwarded, proxies: ['2001:db8::/48']}", sallyport.Config{IPDetector: ipdetector.NewTrustedProxies("Forwarded", "2001:db8::/48")}},
		{"trustedProxies: {proxies: 10.0.0.1}", sallyport.Config{IPDetector: ipdetector.NewTrustedProxies("", "10.0.0.1")}},

		{`cors: "*"`, sallyport.Config{}},
		{"cors: off", sallyport.Config{CORS: sallyport.CORS{Off: true}}},
		{"cors: false", sallyport.Config{CORS: sallyport.CORS{Off: true}}},
		{"cors: https://one.example", sallyport.Config{CORS: sallyport.CORS{Origins: []string{"https://one.example"}}}},
		{"cors: [https://one.example, 'http://localhost:5173']", sallyport.Config{CORS: sallyport.CORS{Origins: []string{"https://one.example", "http://localhost:5173"}}}},
		{"cors: {origins: '*', maxAge: 10 minutes}", sallyport.Config{CORS: sallyport.CORS{MaxAge: 10 * time.Minute}}},
		{"cors: {origins: [https://one.example], credentials: true, allowHeaders: [X-Key], exposeHeaders: []}", sallyport.Config{CORS: sallyport.CORS{
			Origins: []string{"https://one.example"}, Credentials: true, AllowHeaders: []string{"X-Key"}, ExposeHeaders: []string{}}}},

		{"rateLimiting: {budget: 200 milliseconds, localShare: 3}", sallyport.Config{RateLimiting: ratelimit.Options{Budget: 200 * time.Millisecond, LocalShare: 3}}},
		{"rateLimiting: {budget: 1 minute}", sallyport.Config{RateLimiting: ratelimit.Options{Budget: time.Minute}}},
		{"rateLimiting: {budget: 1}", sallyport.Config{RateLimiting: ratelimit.Options{Budget: time.Second}}},
		{"rateLimiting: {storage: memory}", sallyport.Config{RateLimiting: ratelimit.Options{Storage: ratelimit.NewMemory(ratelimit.MemoryOptions{})}}},
		{"rateLimiting: {storage: {name: memory, options: {maxCounters: 5000}}}", sallyport.Config{RateLimiting: ratelimit.Options{Storage: ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: 5000})}}},
	} {
		require.Equal(t, tc.want, parse(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

func TestMistakesOfSettings(t *testing.T) {
	for _, tc := range []struct{ file, want string }{
		{"[]", "line 1, column 1: a list: write a map of basePath, baseUrl, versions, rateLimiting, rateLimits, defaults, endpoints, trustedProxies, cors, logRefused, debug, maxBody, maxUrl, timeout, trustRequestId, methodOverride"},
		{"basepath: /api", `basepath: line 1, column 1: there is no field "basepath"; did you mean basePath? known: basePath, baseUrl, versions, rateLimiting, rateLimits, defaults, endpoints, trustedProxies, cors, logRefused, debug, maxBody, maxUrl, timeout, trustRequestId, methodOverride`},
		{"basePath: ''", "basePath: line 1, column 11: the text is empty"},
		{"basePath: 7", "basePath: line 1, column 11: 7: write a text"},
		{"basePath: /api/", `basePath: line 1, column 11: the base path "/api/": write it like "/api", or "/" for none`},
		{"debug: 1", "debug: line 1, column 8: 1: write true or false"},
		{"baseUrl: https://api.example.com/api", `baseUrl: line 1, column 10: the base URL: scheme and host alone, like "https://api.example.com"; what is behind them is the base path`},
		{"maxUrl: 3000000000", "maxUrl: line 1, column 9: 3000000000: write a number of bytes, or false for no bound"},
		{"versions: ['1']", "versions: line 1, column 11: a list: write a map of versions and their lifecycles"},
		{"versions: {'1': {deprecated: yesterday}}", `versions.1.deprecated: line 1, column 30: the text "yesterday": write a day, such as 2027-06-30, or a moment, such as 2027-06-30T23:59:59Z`},
		{"versions: {'1': {deprecated: 2027-01-01, sunset: 2026-01-01}}", "versions.1: line 1, column 17: the Sunset lies before Deprecated (RFC 9745, section 4)"},
		{"maxBody: 0", "maxBody: line 1, column 10: 0: write a number of bytes, or false for no bound"},
		{"maxBody: 1_000", "maxBody: line 1, column 10: 1_000: write a number of bytes, or false for no bound"},
		{"maxBody: 0x10", "maxBody: line 1, column 10: 0x10: write a number of bytes, or false for no bound"},
		{"maxBody: 010", "maxBody: line 1, column 10: 010: write a number of bytes, or false for no bound"},
		{"maxBody: {}", "maxBody: line 1, column 10: a map: write a number of bytes, or false for no bound"},
		{"timeout: 1s", `timeout: line 1, column 10: the text "1s": write seconds or a count with a unit, second to week, such as "15 minutes": 1 second to 366 days`},

		{"trustedProxies: []", "trustedProxies: line 1, column 17: the list is empty"},
		{"trustedProxies: [10.0.0.0/8, null]", "trustedProxies[1]: line 1, column 30: nothing: write a text"},
		{"trustedProxies: [0.0.0.0/0]", `trustedProxies[0]: line 1, column 18: proxy "0.0.0.0/0": any client could choose its address`},
		{"trustedProxies: {header: Forwarded}", "trustedProxies: line 1, column 17: proxies are missing: name the addresses that send the header"},
		{"trustedProxies: {proxies: &p [unix]}", "trustedProxies.proxies: line 1, column 27: an anchor: a configuration has none; a text that begins with & stands in quotes"},
		{"trustedProxies: {header: X-Real-IP, proxies: unix}", `trustedProxies.header: line 1, column 26: header "X-Real-Ip" is no list of proxies: write "X-Forwarded-For" or "Forwarded", or use NewHeader`},

		{"cors: true", "cors: line 1, column 7: true: write a text"},
		{"cors: []", "cors: line 1, column 7: the list is empty"},
		{"cors: [https://one.example/]", `cors[0]: line 1, column 8: origin "https://one.example/": write it as browsers do, like "https://shop.example:8443"`},
		{"cors: {origins: []}", "cors.origins: line 1, column 17: the list is empty"},
		{"cors: {allowHeaders: [a b]}", `cors.allowHeaders[0]: line 1, column 23: "a b" is no header field`},
		{"cors: {maxAge: 0}", `cors.maxAge: line 1, column 16: 0: write seconds or a count with a unit, second to week, such as "15 minutes": 1 second to 366 days`},

		{"rateLimiting: {budget: 0}", `rateLimiting.budget: line 1, column 24: 0: write seconds or a count with a unit, millisecond to minute, such as "50 milliseconds": up to 1 minute`},
		{"rateLimiting: {budget: 366 days}", `rateLimiting.budget: line 1, column 24: the text "366 days": write seconds or a count with a unit, millisecond to minute, such as "50 milliseconds": up to 1 minute`},
		{"rateLimiting: {budget: 61}", `rateLimiting.budget: line 1, column 24: 61: write seconds or a count with a unit, millisecond to minute, such as "50 milliseconds": up to 1 minute`},
		{"rateLimiting: {localShare: 0}", "rateLimiting.localShare: line 1, column 28: 0: write the number of servers"},
		{"rateLimiting: {prefix: 'myapp:'}", "rateLimiting.prefix: line 1, column 24: the counters in memory have no prefix: nobody shares them"},
		{"rateLimiting: {storage: memory, prefix: 'myapp:'}", "rateLimiting.prefix: line 1, column 41: the counters in memory have no prefix: nobody shares them"},
		{"rateLimiting: {prefix: ''}", "rateLimiting.prefix: line 1, column 24: the text is empty"},
		{"rateLimiting: {clock: utc}", `rateLimiting.clock: line 1, column 16: there is no field "clock"; known: storage, prefix, budget, localShare`},
		{"rateLimiting: {storage: {name: &n memory}}", "rateLimiting.storage.name: line 1, column 32: an anchor: a configuration has none; a text that begins with & stands in quotes"},
		{"rateLimiting: {storage: {options: {a: 1}}}", "rateLimiting.storage: line 1, column 25: the name of the storage is missing"},
		{"rateLimiting: {storage: {name: memory, options: {maxCounters: many}}}", `rateLimiting.storage.name: line 1, column 32: maxCounters: write a whole number, at least 1`},
		{"rateLimiting: {storage: {name: memory, options: {maxCounter: 5}}}", `rateLimiting.storage.options.maxCounter: line 1, column 50: there is no such option; did you mean maxCounters? known: maxCounters`},
		{"rateLimiting: {storage: {name: memory, options: {maxCounters: [5]}}}", "rateLimiting.storage.options.maxCounters: line 1, column 63: a list: write a text, a number, true or false"},

		{"defaults: {authorization: none}", `defaults.authorization: line 1, column 12: there is no field "authorization"; known: rateLimit`},
	} {
		require.Equal(t, []string{tc.want}, mistakes(t, tc.file, sallyport.Parts{}), tc.file)
	}
}

func TestNoMoreThanAHundredMistakesAreTold(t *testing.T) {
	list := mistakes(t, "cors: ["+strings.Repeat("0, ", 150)+"]", sallyport.Parts{})
	require.Len(t, list, 101)
	require.Equal(t, "cors[99]: line 1, column 305: 0: write a text", list[99])
	require.Equal(t, "there are more mistakes, which are not told", list[100])
}

func TestMistakesAreShort(t *testing.T) {
	long := strings.Repeat("ä", 70)
	policies := ""
	for i := range 25 {
		policies += fmt.Sprintf("  limit%02d: {limit: 1, interval: 1}\n", i)
	}
	require.Equal(t, []string{
		`defaults.rateLimit: line 1, column 23: there is no rate limit "` + long[:120] + `…"; known: limit00, limit01, limit02, limit03, limit04, limit05, limit06, ` +
			"limit07, limit08, limit09, limit10, limit11, limit12, limit13, limit14, limit15, limit16, limit17, limit18, limit19 and 5 more; for none write false",
	}, mistakes(t, "defaults: {rateLimit: "+long+"}\nrateLimits:\n"+policies, sallyport.Parts{}))
}

func TestTheTrustedProxiesOfAFile(t *testing.T) {
	const file = "trustedProxies: [10.0.0.0/8]\nrateLimits:\n  perIp: {limit: 1, interval: 1 minute}\ndefaults: {rateLimit: perIp}"
	p := newProgram(parse(t, file, sallyport.Parts{}))
	p.AddApi(api.GET("1", "users"), ok, open)
	presenter := p.build(t)
	through := func(proxy, client string) int {
		return send(presenter, request{path: "/api/v1/users", from: proxy, header: http.Header{"X-Forwarded-For": {client}}}).StatusCode
	}
	require.Equal(t, []int{200, 200, 429}, []int{through("10.1.1.1", "192.0.2.7"), through("10.1.1.1", "192.0.2.8"), through("10.1.1.2", "192.0.2.8")})
	require.Equal(t, []int{200, 429}, []int{through("192.0.2.99", "192.0.2.10"), through("192.0.2.99", "192.0.2.11")})
}
