package ratefield_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
)

func TestAppendPolicies(t *testing.T) {
	for _, tc := range []struct {
		name     string
		policies []ratefield.Policy
		want     string
	}{
		{"none", nil, ""},
		{"a window", []ratefield.Policy{{Name: "perIp", Quota: 100, Window: 60}}, `"perIp";q=100;w=60`}, // RL-188
		{"several", []ratefield.Policy{{Name: "a", Quota: 1, Window: 2}, {Name: "b"}}, `"a";q=1;w=2, "b";q=0`},
		{"the usual unit is left out", []ratefield.Policy{{Name: "a", Quota: 1, Unit: ratefield.UnitRequests}}, `"a";q=1`},
		{
			"everything", []ratefield.Policy{{Name: "a", Quota: 1, Unit: ratefield.UnitContentBytes, Window: 2, HasWindow: true, PartitionKey: []byte("hello")}},
			`"a";q=1;qu="content-bytes";w=2;pk=:aGVsbG8=:`,
		},
		{"an empty partition key", []ratefield.Policy{{Name: "a", Unit: ratefield.UnitConcurrentRequests, PartitionKey: []byte{}}}, `"a";q=0;qu="concurrent-requests";pk=::`},
		{"the largest numbers", []ratefield.Policy{{Name: "a", Quota: 999_999_999_999_999, Window: 999_999_999_999_999}}, `"a";q=999999999999999;w=999999999999999`},
		{"a name that needs escapes", []ratefield.Policy{{Name: `a"b\c`, Quota: 1}}, `"a\"b\\c";q=1`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ratefield.AppendPolicies([]byte("before"), tc.policies)
			require.NoError(t, err)
			require.Equal(t, "before"+tc.want, string(got))
		})
	}
}

func TestAppendPoliciesRefuses(t *testing.T) {
	for _, tc := range []struct {
		name     string
		policies []ratefield.Policy
		want     string
	}{
		{"a negative quota", []ratefield.Policy{{Name: "a", Quota: -1}}, `ratefield: "a": q is not a non-negative Integer`},
		{"a quota of 16 digits", []ratefield.Policy{{Name: "a", Quota: 1_000_000_000_000_000}}, `ratefield: "a": sfv: number 1000000000000000 has more than 15 digits`},
		{"a window of 0", []ratefield.Policy{{Name: "a", HasWindow: true}}, `ratefield: "a": w is not a positive Integer`},
		{"a negative window", []ratefield.Policy{{Name: "a", Window: -1}}, `ratefield: "a": w is not a positive Integer`},
		{"a window of 16 digits", []ratefield.Policy{{Name: "a", Window: 1_000_000_000_000_000}}, `ratefield: "a": sfv: number 1000000000000000 has more than 15 digits`},
		{"a unit of one's own", []ratefield.Policy{{Name: "a", Unit: "bananas"}}, `ratefield: "a": quota unit "bananas" is not registered`},
		{"a name with a line break", []ratefield.Policy{{Name: "a\r\nX: y"}}, `ratefield: "a\r\nX: y": sfv: string "a\r\nX: y": printable ASCII only`},
		{"a name that is not ASCII", []ratefield.Policy{{Name: "é"}}, `ratefield: "é": sfv: string "é": printable ASCII only`},
		{"names that differ in their case", []ratefield.Policy{{Name: "perIp"}, {Name: "other"}, {Name: "PERIP"}}, `ratefield: "PERIP" stands twice`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ratefield.AppendPolicies([]byte("before"), tc.policies)
			require.EqualError(t, err, tc.want)
			require.Equal(t, "before", string(got))
		})
	}
}

func TestAppendLimits(t *testing.T) {
	for _, tc := range []struct {
		name   string
		limits []ratefield.Limit
		want   string
	}{
		{"none", nil, ""},
		{"a reset", []ratefield.Limit{{Name: "perIp", Available: 97, Reset: 42, HasReset: true}}, `"perIp";r=97;t=42`}, // RL-189
		{"no reset", []ratefield.Limit{{Name: "a", Available: 3, Reset: 7}}, `"a";r=3`},
		{"several", []ratefield.Limit{{Name: "a", HasReset: true}, {Name: "b", PartitionKey: []byte("hello")}}, `"a";r=0;t=0, "b";r=0;pk=:aGVsbG8=:`},
		{"negative numbers are 0", []ratefield.Limit{{Name: "a", Available: -3, Reset: -2, HasReset: true}}, `"a";r=0;t=0`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ratefield.AppendLimits([]byte("before"), tc.limits)
			require.NoError(t, err)
			require.Equal(t, "before"+tc.want, string(got))
		})
	}
}

func TestAppendLimitsRefuses(t *testing.T) {
	for _, tc := range []struct {
		name   string
		limits []ratefield.Limit
		want   string
	}{
		{"16 digits left", []ratefield.Limit{{Name: "a", Available: 1_000_000_000_000_000}}, `ratefield: "a": sfv: number 1000000000000000 has more than 15 digits`},
		{"a reset of 16 digits", []ratefield.Limit{{Name: "a", Reset: 1_000_000_000_000_000, HasReset: true}}, `ratefield: "a": sfv: number 1000000000000000 has more than 15 digits`},
		{"a name with a tab", []ratefield.Limit{{Name: "a\tb"}}, `ratefield: "a\tb": sfv: string "a\tb": printable ASCII only`},
		{"names that differ in their case", []ratefield.Limit{{Name: "a"}, {Name: "A"}}, `ratefield: "A" stands twice`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ratefield.AppendLimits([]byte("before"), tc.limits)
			require.EqualError(t, err, tc.want)
			require.Equal(t, "before", string(got))
		})
	}
}
