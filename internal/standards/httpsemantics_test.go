package standards_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// RFC 9110, RFC 6585
var httpSemantics = map[string]runner{
	"http-semantics/retry_after": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Wait time.Duration `json:"wait_ns"`
		}](t, input)
		seconds, ok := ratelimit.RetryAfter([]ratelimit.Result{{RetryAfter: in.Wait}})
		require.True(t, ok)
		return answer{"out": strconv.FormatInt(seconds, 10)}
	},
	"http-semantics/response/repeat of a list field line": func(t *testing.T, input json.RawMessage) any {
		lines := decode[struct{ Lines []string }](t, input).Lines
		combined := ratefield.Merge("", nil, lines, false)
		return answer{"sender_may": combined != "", "combined": combined}
	},
}
