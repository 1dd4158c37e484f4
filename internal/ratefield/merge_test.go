package ratefield_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/ratefield"
)

func TestMerge(t *testing.T) {
	const own = `"perIp";r=97;t=42`
	for _, tc := range []struct {
		name     string
		own      string
		ownNames []string
		theirs   []string
		want     string
	}{
		{"nothing of theirs", own, []string{"perIp"}, nil, own},
		{"an empty line", own, []string{"perIp"}, []string{""}, own},
		{"other names follow", own, []string{"perIp"}, []string{`"a";r=1,"b"; r=2`, `"c";r=3`}, own + `, "a";r=1, "b";r=2, "c";r=3`},
		{"our names win, whatever their case", own, []string{"perIp"}, []string{`"PERIP";r=1, "a";r=2, "perIp";r=3`}, own + `, "a";r=2`},
		{"a name of theirs stands once", own, []string{"perIp"}, []string{`"a";r=1, "A";r=2`}, own + `, "a";r=1`},
		{"names are compared as they are written", `"prip";r=1`, []string{"pér\nip"}, []string{`"prip";r=2, "a\"b";r=3`}, `"prip";r=1, "a\"b";r=3`},
		{"comments stay", own, []string{"perIp"}, []string{`"a";acme="x";r=1;note`}, own + `, "a";acme="x";r=1;note`},
		{"none of ours", "", nil, []string{`"a";r=1 , "b";r=2`}, `"a";r=1, "b";r=2`},

		{"an open string is dropped", own, []string{"perIp"}, []string{`"a";r=1, "b`}, own},
		{"the syntax of older drafts is dropped", own, []string{"perIp"}, []string{"limit=100, remaining=50"}, own},
		{"a fault against the draft is dropped", own, []string{"perIp"}, []string{`"a";r=1`, `"b";r=-1`}, own},
		{"none of ours and a fault", "", nil, []string{"50"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, ratefield.Merge(tc.own, tc.ownNames, tc.theirs, false))
		})
	}
}

func TestMergeTellsTheFieldsApart(t *testing.T) {
	policy, limit := []string{`"a";q=1;w=2`}, []string{`"a";r=1;t=2`}
	require.Equal(t, `"own";q=1, "a";q=1;w=2`, ratefield.Merge(`"own";q=1`, []string{"own"}, policy, true))
	require.Equal(t, `"own";q=1`, ratefield.Merge(`"own";q=1`, []string{"own"}, limit, true))
	require.Equal(t, `"own";r=1, "a";r=1;t=2`, ratefield.Merge(`"own";r=1`, []string{"own"}, limit, false))
	require.Equal(t, `"own";r=1`, ratefield.Merge(`"own";r=1`, []string{"own"}, policy, false))
}

// Whatever stands there already, our members stay and the field stays valid.
func FuzzMerge(f *testing.F) {
	f.Add(`"a";r=1`, `"perIp";r=2`)
	f.Add(`"a";r=1;note="x`, `"b";r=1`)
	f.Add("", `"A";r=1, "a";r=2;pk=:YQ:`)
	f.Fuzz(func(t *testing.T, line1, line2 string) {
		merged := ratefield.Merge(`"perIp";r=97;t=42`, []string{"perIp"}, []string{line1, line2}, false)
		members, err := ratefield.ParseLimits([]string{merged})
		require.NoError(t, err)
		require.Equal(t, ratefield.Member{Name: "perIp", Params: params("r", 97, "t", 42)}, members[0])
	})
}
