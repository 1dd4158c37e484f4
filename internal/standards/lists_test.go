package standards_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// exception is a vector whose answer is not ours.
type exception struct {
	wins   string // the number of the decision that wins; see docs/parity.md
	reason string
}

const (
	client = "client" // no decision: the vector is about clients, and there is none here

	otherDialect = "only the parameter names of the published draft are spoken: r and t"
	otherBurst   = "a bucket holds as many tokens as its limit; its burst is no option"
)

var exceptions = map[string]exception{
	"VR-030": {"RL-189", otherDialect},
	"VR-031": {"RL-189", otherDialect},
	"VR-063": {"RL-201", "the fields stand on every answer, redirects too: a redirect has been counted"},
	"VR-065": {client, "who has both fields waits as Retry-After says"},
	"VR-066": {client, "who has an answer from a cache does not use its RateLimit"},

	"AL-002": {"RL-075", otherBurst},
	"AL-003": {"RL-075", otherBurst},
	"AL-010": {"RL-075", otherBurst},
	"AL-013": {"RL-075", otherBurst},
	"AL-027": {"RL-075", otherBurst},
	"AL-031": {"AMB-08", "t of a bucket is the time to its next whole token"},
	"AL-037": {"RL-046", "limits of a list are charged in order: those before the refusing one stay charged"},

	"HT-020": {"FW-029", "a method that no endpoint of the path has is 405, whether it is known or not"},

	"PD-002": {"RL-200", "problem documents are JSON, whatever the client accepts"},
	"PD-007": {client, "who reads a problem document ignores members of the wrong type"},
	"PD-008": {client, "who reads a problem document ignores members it does not know"},
	"PD-011": {"FW-151", "wrong input is 400"},
}

// readings are the answers of vectors that answer in prose, as members.
var readings = map[string]string{
	"IP-052": `{"valid": false}`, // "warn or refuse"
}

// explanations are members of answers that tell why an answer is right. Nothing
// in the program says them.
var explanations = map[string][]string{
	"client-ip/client_ip": {"reason"},
	"client-ip/ip_config": {"rule"},
	"problem-details/problem/title varies per occurrence": {"exception"},
}

func TestListsFitTheVectors(t *testing.T) {
	ids, names := map[string]bool{}, map[string]bool{}
	for _, v := range load(t, vectorsFile) {
		require.False(t, ids[v.ID], "%s stands twice", v.ID)
		ids[v.ID] = true
		names[v.name(t)] = true
	}
	for id, e := range exceptions {
		require.True(t, ids[id], "exceptions: there is no vector %s", id)
		require.NotEmpty(t, e.wins, id)
		require.NotEmpty(t, e.reason, id)
	}
	for id := range readings {
		require.True(t, ids[id], "readings: there is no vector %s", id)
	}
	for name := range explanations {
		require.True(t, names[name], "explanations: no vector asks %q", name)
	}
	for name := range runners {
		require.True(t, names[name], "runners: no vector asks %q", name)
	}
	for _, name := range waiting {
		require.True(t, names[name], "waiting: no vector asks %q", name)
		require.NotContains(t, runners, name, "waiting: %q has a runner, so it waits no more", name)
	}
}
