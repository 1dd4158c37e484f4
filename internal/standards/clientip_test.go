package standards_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// The address of the client: RFC 7239, and what has been learnt about
// X-Forwarded-For.
var clientIP = map[string]runner{
	"client-ip/client_ip": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Remote        string
			Trusted       []string
			XForwardedFor []string `json:"x_forwarded_for"`
			Forwarded     []string
		}](t, input)
		header := "X-Forwarded-For"
		if in.Forwarded != nil {
			header = "Forwarded"
		}
		detector := ipdetector.NewTrustedProxies(header, in.Trusted...)
		require.Equal(t, len(in.Trusted) == 0, detector.Validate() != nil, "no proxies at all are a mistake, and trust nobody")
		r := request(in.Remote)
		r.Header["X-Forwarded-For"], r.Header["Forwarded"] = in.XForwardedFor, in.Forwarded
		return answer{"ip": detector.IP(r)}
	},
	"client-ip/ip_key": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			IP     string
			V6Bits uint8 `json:"v6_bits"`
		}](t, input)
		rc := ratelimit.Context{Detector: ipdetector.Static(in.IP), Request: request("192.0.2.1:1")}
		key, ok, err := ratelimit.IPKey(in.V6Bits).AppendKey(context.Background(), nil, &rc)
		require.NoError(t, err)
		require.True(t, ok)
		prefix := strings.TrimPrefix(string(key), "ip:")
		if addr, err := netip.ParseAddr(prefix); err == nil { // an IPv4 address is its whole prefix
			prefix = netip.PrefixFrom(addr, addr.BitLen()).String()
		}
		return answer{"key": prefix}
	},
	"client-ip/ip_config": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Trusted     string
			Header      string
			Headers     []string
			Lines       []string
			PeerTrusted bool `json:"peer_trusted"`
		}](t, input)
		switch {
		case in.Trusted != "":
			return answer{"valid": ipdetector.NewTrustedProxies("", in.Trusted).Validate() == nil}
		case in.Headers != nil: // a detector has one header
			return answer{"valid": ipdetector.NewHeader(strings.Join(in.Headers, ", "), "10.0.0.0/8").Validate() == nil}
		}
		detector := ipdetector.NewHeader(in.Header, "10.0.0.0/8")
		require.NoError(t, detector.Validate())
		if in.PeerTrusted {
			r := request("10.0.0.1:4000")
			r.Header[http.CanonicalHeaderKey(in.Header)] = in.Lines
			return answer{"ip": detector.IP(r)}
		}
		r := request("203.0.113.9:4000")
		r.Header.Set(in.Header, "198.51.100.1")
		return answer{"used": detector.IP(r) == "198.51.100.1"}
	},
}

func request(remote string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = remote
	return r
}
