package ratefield_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/sfv"
)

func TestParsePolicies(t *testing.T) {
	for _, tc := range []struct {
		name  string
		lines []string
		want  []ratefield.Member
	}{
		{"no line", nil, []ratefield.Member{}},
		{
			"several lines", []string{`"burst";q=100;w=60`, `"daily"; q=1000; w=86400`},
			[]ratefield.Member{{"burst", params("q", 100, "w", 60)}, {"daily", params("q", 1000, "w", 86400)}},
		},
		{
			"a repeated parameter has its last value", []string{`"a";q=-1;w=1;q=2`},
			[]ratefield.Member{{"a", params("q", 2, "w", 1)}},
		},
		{
			"everything, comments included", []string{`"a\"b";acme-burst=20;q=0;qu="sheep";pk=:cHsdsRa894==:;note`},
			[]ratefield.Member{{`a"b`, sfv.Params{
				{Key: "acme-burst", Value: sfv.Integer(20)}, {Key: "q", Value: sfv.Integer(0)}, {Key: "qu", Value: sfv.String("sheep")},
				{Key: "pk", Value: sfv.Bytes{0x70, 0x7b, 0x1d, 0xb1, 0x16, 0xbc, 0xf7}}, {Key: "note", Value: sfv.Boolean(true)},
			}}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ratefield.ParsePolicies(tc.lines)
			require.NoError(t, err)
			require.Equal(t, tc.want, got)
		})
	}
}

func TestParsePoliciesIgnoresTheFieldForOneFault(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{`"a" ;q=1`, "ratefield: Ratelimit-Policy: sfv: offset 4: expected a comma"},
		{`"a";q=1000000000000000`, "ratefield: Ratelimit-Policy: sfv: offset 22: an Integer has at most 15 digits"},
		{`"a";q=1, b;q=1`, "ratefield: Ratelimit-Policy: member 2: the name is not a String"},
		{`("a");q=1`, "ratefield: Ratelimit-Policy: member 1: an inner list has no name"},
		{`"a";w=60`, "ratefield: Ratelimit-Policy: member 1: q is missing"},
		{`"a";q=-1`, "ratefield: Ratelimit-Policy: member 1: q is not a non-negative Integer"},
		{`"a";q="1"`, "ratefield: Ratelimit-Policy: member 1: q is not a non-negative Integer"},
		{`"a";q=1.0`, "ratefield: Ratelimit-Policy: member 1: q is not a non-negative Integer"},
		{`"a";q`, "ratefield: Ratelimit-Policy: member 1: q is not a non-negative Integer"},
		{`"a";q=1;w=0`, "ratefield: Ratelimit-Policy: member 1: w is not a positive Integer"},
		{`"a";q=1;w=1.5`, "ratefield: Ratelimit-Policy: member 1: w is not a positive Integer"},
		{`"a";q=1;qu=requests`, "ratefield: Ratelimit-Policy: member 1: qu is not a String"},
		{`"a";q=1;pk="abc"`, "ratefield: Ratelimit-Policy: member 1: pk is not a Byte Sequence"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			got, err := ratefield.ParsePolicies([]string{tc.line})
			require.EqualError(t, err, tc.want)
			require.Nil(t, got)
		})
	}
}

func TestParseLimits(t *testing.T) {
	got, err := ratefield.ParseLimits([]string{`"default";r=50;t=30, "app";r=0;pk=:YQ==:`, `"x";r=1;note=?0`})
	require.NoError(t, err)
	require.Equal(t, []ratefield.Member{
		{"default", params("r", 50, "t", 30)},
		{"app", sfv.Params{{Key: "r", Value: sfv.Integer(0)}, {Key: "pk", Value: sfv.Bytes("a")}}},
		{"x", sfv.Params{{Key: "r", Value: sfv.Integer(1)}, {Key: "note", Value: sfv.Boolean(false)}}},
	}, got)
}

func TestParseLimitsIgnoresTheFieldForOneFault(t *testing.T) {
	for _, tc := range []struct{ line, want string }{
		{`limit=100, remaining=50, reset=5`, "ratefield: Ratelimit: sfv: offset 5: expected a comma"},
		{`"a";t=30`, "ratefield: Ratelimit: member 1: r is missing"},
		{`"a";r=-1`, "ratefield: Ratelimit: member 1: r is not a non-negative Integer"},
		{`"a";r=1;t=-1`, "ratefield: Ratelimit: member 1: t is not a non-negative Integer"},
		{`"a";r=1;t=0.5`, "ratefield: Ratelimit: member 1: t is not a non-negative Integer"},
		{`"a";r=1;pk=YQ`, "ratefield: Ratelimit: member 1: pk is not a Byte Sequence"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			got, err := ratefield.ParseLimits([]string{tc.line})
			require.EqualError(t, err, tc.want)
			require.Nil(t, got)
		})
	}
}
