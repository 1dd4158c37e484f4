package standards_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/redisslot"
	"github.com/sallyport-go/sallyport/internal/redistest"
	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

const (
	patience = 10 * time.Second // with other processes
	tick     = 20 * time.Millisecond
)

// What Redis does with scripts, which ours rely on, and its cluster specification.
var redisScripts = map[string]runner{
	"redis/redis_eval":    redisCommand("eval"),
	"redis/redis_eval_ro": redisCommand("eval_ro"),
	"redis/redis_evalsha": redisCommand("evalsha"),

	"redis/redis_slot": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Key string }](t, input)
		return answer{"slot": redisslot.Of(in.Key)}
	},

	"redis/redis_rule/two keys in different slots in one EVAL (cluster)": func(t *testing.T, input json.RawMessage) any {
		in := decode[struct{ Keys []string }](t, input)
		client := redisClient(t, "--cluster-enabled", "yes")
		require.NoError(t, client.ClusterAddSlotsRange(t.Context(), 0, redisslot.Count-1).Err())
		require.Eventually(t, func() bool {
			return strings.Contains(client.ClusterInfo(t.Context()).Val(), "cluster_state:ok")
		}, patience, tick)
		var items []ratelimit.Item
		for _, key := range in.Keys {
			items = append(items, ratelimit.Item{Key: []byte(key), Algorithm: ratelimit.FixedWindow, Take: ratelimit.Take{Limit: 1, Cost: 1, Interval: 1_000_000}})
		}
		_, err := redisstorage.New(client, redisstorage.Options{Timeout: patience}).ConsumeAll(t.Context(), items, nil)
		require.ErrorIs(t, err, ratelimit.ErrBug)
		return redisError(err, "CROSSSLOT")
	},
}

func redisClient(t *testing.T, settings ...string) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: redistest.Start(t, settings...).Addr, ContextTimeoutEnabled: true})
	t.Cleanup(func() { client.Close() })
	return client
}

// redisErrors are the errors that the vectors name.
var redisErrors = []string{
	"invalid expire time", "attempt to compare string with number", "not an integer", "NOSCRIPT",
	"Write commands are not allowed from read-only scripts",
}

// redisCommand runs a script as it stands.
func redisCommand(name string) runner {
	return func(t *testing.T, input json.RawMessage) any {
		in := decode[struct {
			Script, Sha string
			Keys, Argv  []string
		}](t, input)
		words := []any{name, in.Script + in.Sha, len(in.Keys)}
		for _, word := range append(in.Keys, in.Argv...) {
			words = append(words, word)
		}
		reply, err := redisClient(t).Do(context.Background(), words...).Result()
		switch {
		case errors.Is(err, redis.Nil):
			return answer{"nil": true}
		case err != nil:
			return redisError(err, redisErrors...)
		}
		switch reply := reply.(type) {
		case int64:
			return answer{"integer": reply}
		case string:
			return answer{"bulk": reply}
		default:
			return answer{"array": reply}
		}
	}
}

// redisError is the part of an error that a vector names, or all of it.
func redisError(err error, known ...string) answer {
	for _, text := range known {
		if strings.Contains(err.Error(), text) {
			return answer{"error": text}
		}
	}
	return answer{"error": err.Error()}
}
