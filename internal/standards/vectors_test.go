package standards_test

import (
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// vectorsFile holds the vectors that the lists of this test know.
const vectorsFile = "testdata/vectors.json"

// vector is one input with the answer that a standard gives to it.
type vector struct {
	ID     string          `json:"id"`
	Topic  string          `json:"topic"`
	Input  json.RawMessage `json:"input"`
	Expect any             `json:"expect"`
	Source string          `json:"source"`
}

// name tells what is asked: "topic/op", or "topic/op/case" where the input has a case.
func (v vector) name(t *testing.T) string {
	t.Helper()
	in := decode[struct{ Op, Case string }](t, v.Input)
	if in.Case != "" {
		return v.Topic + "/" + in.Op + "/" + in.Case
	}
	return v.Topic + "/" + in.Op
}

// expected is the answer to be compared: the reading of one in prose, and
// without the members that explain an answer.
func (v vector) expected(t *testing.T) any {
	t.Helper()
	if reading, ok := readings[v.ID]; ok {
		return decode[any](t, []byte(reading))
	}
	members, ok := v.Expect.(map[string]any)
	if !ok {
		return v.Expect
	}
	members = maps.Clone(members)
	for _, member := range explanations[v.name(t)] {
		delete(members, member)
	}
	return members
}

// A runner answers an input with the code of the program, in the form of the
// vector's answer. It only translates.
type runner func(t *testing.T, input json.RawMessage) any

// answer is what most runners return.
type answer map[string]any

// The answers that say that there is no value.
var (
	refused = answer{"error": true}
	omitted = answer{"omit": true}
	ignored = answer{"ignored": true}
)

// runners has the runner of every name; each topic has its file.
var runners = joined(rateLimitHeaders, structuredFields, httpSemantics, problemDetails, authentication, clientIP, crossOrigin, lifecycles, algorithms, redisScripts, documents)

func joined(topics ...map[string]runner) map[string]runner {
	all := map[string]runner{}
	for _, topic := range topics {
		maps.Copy(all, topic)
	}
	return all
}

// TestVectors runs every vector that has a runner. VECTORS=path runs the vectors
// of another file.
func TestVectors(t *testing.T) {
	file := vectorsFile
	if path := os.Getenv("VECTORS"); path != "" {
		file = path
	}
	ran := 0
	for _, v := range load(t, file) {
		name := v.name(t)
		run, ok := runners[name]
		_, excepted := exceptions[v.ID]
		if !ok {
			if !excepted {
				t.Errorf("%s: nothing runs %q", v.ID, name)
			}
			continue
		}
		ran++
		t.Run(v.ID, func(t *testing.T) {
			got := normal(t, run(t, v.Input))
			if excepted {
				require.NotEqual(t, v.expected(t), got, "the vector holds, so it is no exception any more")
				return
			}
			require.Equal(t, v.expected(t), got, v.Source)
		})
	}
	require.Positive(t, ran)
}

func load(t *testing.T, file string) []vector {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return decode[[]vector](t, data)
}

func decode[T any](t *testing.T, data []byte) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal(data, &v), "%s", data)
	return v
}

// normal gives an answer the types of decoded JSON.
func normal(t *testing.T, got any) any {
	t.Helper()
	data, err := json.Marshal(got)
	require.NoError(t, err)
	return decode[any](t, data)
}
