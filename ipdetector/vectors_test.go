package ipdetector_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ipdetector"
)

// vector is one input of the topic client-ip with the answer that the standards
// want.
type vector struct {
	ID    string
	Topic string
	Input struct {
		Op            string
		Remote        string
		Trusted       json.RawMessage // a list; one text for ip_config
		XForwardedFor []string        `json:"x_forwarded_for"`
		Forwarded     []string
		Header        string
		Headers       []string
		Lines         []string
		PeerTrusted   bool `json:"peer_trusted"`
	}
	Expect json.RawMessage
}

func readVectors(t *testing.T, op string) (found []vector) {
	t.Helper()
	data, err := os.ReadFile("../internal/standards/testdata/vectors.json")
	require.NoError(t, err)
	var raw []json.RawMessage
	require.NoError(t, json.Unmarshal(data, &raw))
	for _, r := range raw {
		var head struct {
			Topic string
			Input struct{ Op string }
		}
		require.NoError(t, json.Unmarshal(r, &head))
		if head.Topic != "client-ip" || head.Input.Op != op {
			continue
		}
		var v vector
		require.NoError(t, json.Unmarshal(r, &v))
		found = append(found, v)
	}
	return found
}

func TestVectorsOfClientAddresses(t *testing.T) {
	vectors := readVectors(t, "client_ip")
	require.Len(t, vectors, 28)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			var trusted []string
			require.NoError(t, json.Unmarshal(v.Input.Trusted, &trusted))
			var expect struct{ IP string }
			require.NoError(t, json.Unmarshal(v.Expect, &expect))

			header := "X-Forwarded-For"
			if v.Input.Forwarded != nil {
				header = "Forwarded"
			}
			detector := ipdetector.NewTrustedProxies(header, trusted...)
			require.NoError(t, detector.Validate())
			r := request(v.Input.Remote)
			r.Header["X-Forwarded-For"] = v.Input.XForwardedFor
			r.Header["Forwarded"] = v.Input.Forwarded
			require.Equal(t, expect.IP, detector.IP(r))
		})
	}
}

func TestVectorsOfConfigurations(t *testing.T) {
	vectors := readVectors(t, "ip_config")
	require.Len(t, vectors, 5)
	for _, v := range vectors {
		t.Run(v.ID, func(t *testing.T) {
			switch {
			case v.Input.Trusted != nil: // refused prefixes
				var trusted string
				require.NoError(t, json.Unmarshal(v.Input.Trusted, &trusted))
				require.Error(t, ipdetector.NewTrustedProxies("", trusted).Validate())
			case v.Input.Headers != nil: // headers cannot be chained
				require.Error(t, ipdetector.NewHeader(strings.Join(v.Input.Headers, ", "), "10.0.0.0/8").Validate())
			default:
				remote, lines, want := "203.0.113.9:4000", []string{"1.2.3.4"}, "203.0.113.9"
				if v.Input.PeerTrusted {
					var expect struct{ IP string }
					require.NoError(t, json.Unmarshal(v.Expect, &expect))
					remote, lines, want = "10.0.0.1:4000", v.Input.Lines, expect.IP
				}
				r := request(remote)
				for _, line := range lines {
					r.Header.Add(v.Input.Header, line)
				}
				require.Equal(t, want, ipdetector.NewHeader(v.Input.Header, "10.0.0.0/8").IP(r))
			}
		})
	}
}
