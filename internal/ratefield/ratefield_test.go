package ratefield_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/sfv"
)

func TestFieldNamesAreCanonicalKeys(t *testing.T) {
	require.Equal(t, ratefield.PolicyField, http.CanonicalHeaderKey("RateLimit-Policy"))
	require.Equal(t, ratefield.LimitField, http.CanonicalHeaderKey("RateLimit"))
}

func TestAppendPolicyItem(t *testing.T) {
	for _, tc := range []struct {
		name   string
		quota  int64
		window time.Duration
		want   string
	}{
		{"perIp", 100, time.Minute, `"perIp";q=100;w=60`}, // RL-188, RL-190, RL-191
		{"daily", 1000, 24 * time.Hour, `"daily";q=1000;w=86400`},
		{"second", 1, time.Second, `"second";q=1;w=1`},
		{"more than a second", 1, time.Second + 1, `"more than a second";q=1;w=2`},
		{"less than a second", 1, time.Second - 1, `"less than a second";q=1`},
		{"no window", 1, 0, `"no window";q=1`},
		{"negative window", 1, -time.Hour, `"negative window";q=1`},
		{"shortest window", 1, math.MinInt64, `"shortest window";q=1`},
		{"longest window", 1, math.MaxInt64, `"longest window";q=1;w=9223372037`},
		{"negative quota", -1, time.Minute, `"negative quota";q=0;w=60`},                            // RL-245
		{"15 digits", 999_999_999_999_999, time.Minute, `"15 digits";q=999999999999999;w=60`},       // RL-204
		{"16 digits", 1_000_000_000_000_000, time.Minute, `"16 digits";q=999999999999999;w=60`},     // RL-204
		{`a"b\c`, 1, time.Minute, `"a\"b\\c";q=1;w=60`},                                             // RL-243
		{"pér\r\nip", 1, time.Minute, `"prip";q=1;w=60`},                                            // RL-242
		{"a\r\nSet-Cookie: b\x00\x7f\xff", math.MinInt64, time.Minute, `"aSet-Cookie: b";q=0;w=60`}, // RL-242, RL-244
		{"", 1, time.Minute, `"";q=1;w=60`},
	} {
		t.Run(tc.want, func(t *testing.T) {
			got := ratefield.AppendPolicyItem([]byte("before"), tc.name, tc.quota, tc.window)
			require.Equal(t, "before"+tc.want, string(got))
		})
	}
}

func TestAppendLimitItem(t *testing.T) {
	for _, tc := range []struct {
		name             string
		available, reset int64
		hasReset         bool
		want             string
	}{
		{"perIp", 97, 42, true, `"perIp";r=97;t=42`}, // RL-189
		{"nothing left", 0, 0, true, `"nothing left";r=0;t=0`},
		{"no reset", 3, 0, false, `"no reset";r=3`}, // RL-246
		{"no reset though a number stands there", 3, 7, false, `"no reset though a number stands there";r=3`},
		{"negative", -3, 5, true, `"negative";r=0;t=5`},                                                      // RL-245, peer 40
		{"negative reset", 3, -5, true, `"negative reset";r=3;t=0`},                                          // RL-245
		{"too large", math.MaxInt64, math.MaxInt64, true, `"too large";r=999999999999999;t=999999999999999`}, // RL-204
		{"a\"b\\c\n", 1, 1, true, `"a\"b\\c";r=1;t=1`},                                                       // RL-242, RL-243
	} {
		t.Run(tc.want, func(t *testing.T) {
			got := ratefield.AppendLimitItem([]byte("before"), tc.name, tc.available, tc.reset, tc.hasReset)
			require.Equal(t, "before"+tc.want, string(got))
		})
	}
}

// What several policies have written is one list for a parser of RFC 9651, with
// the names in their order in both fields.
func TestItemsMakeFieldsThatParse(t *testing.T) { // RL-186
	names := []string{"perIp", `a"b\c`, "daily"}
	var policies, limits []byte
	for i, name := range names {
		if i > 0 {
			policies, limits = append(policies, ratefield.Separator...), append(limits, ratefield.Separator...)
		}
		policies = ratefield.AppendPolicyItem(policies, name, 100, time.Minute)
		limits = ratefield.AppendLimitItem(limits, name, 97, 42, true)
	}
	require.Equal(t, `"perIp";q=100;w=60, "a\"b\\c";q=100;w=60, "daily";q=100;w=60`, string(policies))
	require.Equal(t, `"perIp";r=97;t=42, "a\"b\\c";r=97;t=42, "daily";r=97;t=42`, string(limits))

	var wantPolicies, wantLimits sfv.List
	for _, name := range names {
		wantPolicies = append(wantPolicies, sfv.Item{Value: sfv.String(name), Params: params("q", 100, "w", 60)})
		wantLimits = append(wantLimits, sfv.Item{Value: sfv.String(name), Params: params("r", 97, "t", 42)})
	}
	got, err := sfv.ParseList([]string{string(policies)})
	require.NoError(t, err)
	require.Equal(t, wantPolicies, got)
	got, err = sfv.ParseList([]string{string(limits)})
	require.NoError(t, err)
	require.Equal(t, wantLimits, got)
}

// params are two parameters that are Integers.
func params(key1 string, n1 sfv.Integer, key2 string, n2 sfv.Integer) sfv.Params {
	return sfv.Params{{Key: key1, Value: n1}, {Key: key2, Value: n2}}
}

func TestAppendItemsDoNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 128)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		dst := ratefield.AppendPolicyItem(buf, `per"Ip`, 100, time.Minute)
		_ = ratefield.AppendLimitItem(dst, `per"Ip`, 97, 42, true)
	}))
}

// Whatever a limiter says, the fields stay valid.
func FuzzAppendItems(f *testing.F) { // RL-244
	f.Add("perIp", int64(100), int64(time.Minute), int64(97), int64(42), true)
	f.Add("pér\r\nip", int64(-1), int64(-1), int64(-1), int64(-1), true)
	f.Add("a\"b\\c\x00\x7f", int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), false)
	f.Fuzz(func(t *testing.T, name string, quota, window, available, reset int64, hasReset bool) {
		printable := strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return -1
			}
			return r
		}, strings.ToValidUTF8(name, ""))

		policy := ratefield.AppendPolicyItem(nil, name, quota, time.Duration(window))
		policies, err := ratefield.ParsePolicies([]string{string(policy)})
		require.NoError(t, err, "%q", policy)
		require.Len(t, policies, 1)
		require.Equal(t, printable, policies[0].Name)

		limit := ratefield.AppendLimitItem(nil, name, available, reset, hasReset)
		limits, err := ratefield.ParseLimits([]string{string(limit)})
		require.NoError(t, err, "%q", limit)
		require.Len(t, limits, 1)
		require.Equal(t, printable, limits[0].Name)
		require.Equal(t, hasReset, limits[0].Params.Get("t") != nil)
	})
}
