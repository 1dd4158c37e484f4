package sallyport_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestWhoseAddressIsCounted(t *testing.T) {
	proxy := ipdetector.NewTrustedProxies("", "10.0.0.0/8")
	for _, tc := range []struct {
		name     string
		detector ipdetector.Detector
		first    request
		second   request
		shared   bool
	}{
		{"a forged header is not believed", nil, request{header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, true},                                                                           // RL-306, peer 47
		{"clients behind an unknown proxy share its counter", ipdetector.RemoteAddr{}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, true}, // RL-017, RL-310
		{"clients behind a trusted proxy do not", proxy, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"1.1.1.1"}}}, request{from: "10.0.0.1", header: http.Header{"X-Forwarded-For": {"2.2.2.2"}}}, false},                              // RL-017, RL-307
		{"addresses of one /64 share", nil, request{from: "[2001:db8::1]"}, request{from: "[2001:db8::2]"}, true},                                                                                                                                            // RL-315
		{"an own detector decides by itself", detectorFunc(func(r *http.Request) string { return r.Header.Get("Client-Ip") }), request{header: http.Header{"Client-Ip": {"1.1.1.1"}}}, request{header: http.Header{"Client-Ip": {"2.2.2.2"}}}, false},        // RL-305, RL-314, FW-144
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{RateLimits: []ratelimit.Policy{{Name: "perIp", Limit: 1, Interval: time.Hour}}, IPDetector: tc.detector})
			p.AddApi(api.GET("1", "users"), ok, open, ratelimit.Named("perIp"))
			h := p.build(t)
			tc.first.path, tc.second.path = "/api/v1/users", "/api/v1/users"
			require.Equal(t, 200, send(h, tc.first).StatusCode) // RL-290
			require.Equal(t, tc.shared, send(h, tc.second).StatusCode == 429)
		})
	}
}

type detectorFunc func(r *http.Request) string

func (f detectorFunc) IP(r *http.Request) string { return f(r) }

func TestAProxyThatIsNotTrustedIsWarnedOf(t *testing.T) {
	trusted := ipdetector.NewTrustedProxies("", "10.0.0.0/8")
	own := detectorFunc(func(*http.Request) string { return "unix" })
	for _, tc := range []struct {
		name     string
		debug    bool
		detector ipdetector.Detector
		header   string
		warnings int
	}{
		{"X-Forwarded-For in debug mode", true, nil, "X-Forwarded-For", 1}, // RL-311, RL-312
		{"Forwarded in debug mode", true, nil, "Forwarded", 1},             // RL-311, RL-312
		{"another header", true, nil, "X-Real-Ip", 0},
		{"not in production", false, nil, "X-Forwarded-For", 0},           // RL-313
		{"not with trusted proxies", true, trusted, "X-Forwarded-For", 0}, // RL-313
		{"not with an own detector", true, own, "X-Forwarded-For", 0},     // RL-313
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(sallyport.Config{Debug: tc.debug, IPDetector: tc.detector})
			p.AddApi(api.GET("1", "users"), ok, open)
			h := p.build(t)
			for range 3 {
				send(h, request{path: "/api/v1/users", header: http.Header{tc.header: {"1.1.1.1"}}})
			}
			require.Equal(t, tc.warnings, strings.Count(p.log.String(), "ipdetector.NewTrustedProxies"))
		})
	}
}

func TestTheDetectorIsAskedOnceAndOnlyWhenItIsNeeded(t *testing.T) { // RL-289
	asked := 0
	detector := detectorFunc(func(*http.Request) string { asked++; return "192.0.2.1" })
	p := newProgram(sallyport.Config{IPDetector: detector})
	p.AddApi(api.GET("1", "endpoint"), ok, open, ratelimit.Policy{Limit: 9, Interval: time.Hour, Key: ratelimit.Endpoint})
	p.AddApi(api.GET("1", "ip"), ok, bearer, ratelimit.Rules(ratelimit.Policy{Name: "a", Limit: 9, Interval: time.Hour}, ratelimit.Policy{Name: "b", Limit: 9, Interval: time.Hour}))
	h := p.build(t)
	get(h, "/api/v1/endpoint")
	require.Zero(t, asked)
	send(h, request{path: "/api/v1/ip", token: "my-token"})
	require.Equal(t, 1, asked)
}
