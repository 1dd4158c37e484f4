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

	"HT-009": {"RL-195", "a refusal says at least 1 second"},
	"HT-015": {"RL-196", "Retry-After is in seconds, which need no clock"},
	"HT-018": {"FW-030", "OPTIONS is answered on every path, so Allow names it, too"},
	"HT-020": {"FW-029", "a method that no endpoint of the path has is 405, whether it is known or not"},
	"HT-033": {"RL-200", "problem documents are JSON, whatever the client accepts, so they do not vary"},

	"PD-002": {"RL-200", "problem documents are JSON, whatever the client accepts"},
	"PD-007": {client, "who reads a problem document ignores members of the wrong type"},
	"PD-008": {client, "who reads a problem document ignores members it does not know"},
	"PD-011": {"FW-151", "wrong input is 400"},

	"AU-043": {"FW-106", "several challenges are one list, on one field line"},

	"RE-048": {"RL-258", "the time is an argument of a script, and none asks Redis for it"},
	"RE-050": {"RL-150", "the scripts are our own, and need no command that Redis may have"},
	"RE-051": {"RL-150", "a counter outlives its end by a second, so its TTL is never a part of a millisecond"},
	"RE-052": {"RL-159", "a script has one key, KEYS[1]; the suite runs all of them on a cluster"},

	"CO-008": {client, "who sends a preflight writes the list; the answer does not depend on it"},
}

// readings are the answers of vectors that answer in prose, or tell what a client
// would do, as what the program does.
var readings = map[string]string{
	"HT-022": `{"status": 413, "retry_after": ""}`,                                                           // the bound stays as it is: no wait helps
	"HT-024": `{"status": 415, "accept_encoding_response_header": "identity"}`,                               // no encoding is supported
	"HT-031": `{"nothing said": "no-store", "an age": "private, max-age=60"}`,                                // of "private or no-store"
	"HT-036": `{"status": 431}`,                                                                              // "4xx (431)"
	"HT-037": `{"status": 204, "should_have": "Allow"}`,                                                      // of two statuses; nothing of OPTIONS is ever cached
	"IP-052": `{"valid": false}`,                                                                             // "warn or refuse"
	"PD-018": `{"type": "` + quotaExceeded + `"}`,                                                            // the most urgent one
	"AU-025": `{"status": 401, "www_authenticate": "Bearer realm=\"a\\\"b\\\\c\", error=\"invalid_token\""}`, // the status of AU-022
	"AU-048": `{"given_admitted": false, "known_by_digest": true}`,                                           // what can be seen of "hash both"
	"CO-006": `{"status": 204}`,                                                                              // what breaks a preflight is never its answer
	"CO-009": `{"Access-Control-Allow-Headers": "contains Authorization"}`,                                   // a star does not cover it
	"CO-016": `{"match": false}`,                                                                             // no field: no origin matches
	"CO-022": `{"Access-Control-Expose-Headers": "contains RateLimit, RateLimit-Policy, Retry-After"}`,       // a program may let pages read more
}

const quotaExceeded = "https://iana.org/assignments/http-problem-types#quota-exceeded"

// explanations are members of answers that tell why an answer is right. Nothing
// in the program says them.
var explanations = map[string][]string{
	"client-ip/client_ip":                                 {"reason"},
	"client-ip/ip_config":                                 {"rule"},
	"auth/bearer_challenge":                               {"charset", "must", "if_enabled"},
	"cors/cors/429 to an actual cross-origin request":     {"else_"},
	"cors/cors/Max-Age 600":                               {"rule"},
	"problem-details/problem/title varies per occurrence": {"exception"},
	"redis/redis_evalsha":                                 {"client"},
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
}
