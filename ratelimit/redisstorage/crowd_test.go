package redisstorage_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// Processes that share a Redis share the limit, exactly.
func TestProcesses(t *testing.T) { // RL-114
	const (
		processes = 8
		limit     = 1000
	)
	for _, a := range []ratelimit.BuiltIn{ratelimit.FixedWindow, ratelimit.SlidingWindow, ratelimit.TokenBucket} {
		t.Run(a.Name(), func(t *testing.T) {
			prefix := freshPrefix()
			outputs := make([]bytes.Buffer, processes)
			commands := make([]*exec.Cmd, processes)
			for i := range commands {
				c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOneOfProcesses$", "-test.v")
				c.Env = append(os.Environ(), crowdVariable+"="+strings.Join([]string{sharedAddr, prefix, strconv.Itoa(int(a)), strconv.Itoa(limit)}, ","))
				c.Stdout, c.Stderr = &outputs[i], &outputs[i]
				require.NoError(t, c.Start())
				commands[i] = c
			}
			total := 0
			for i, c := range commands {
				require.NoError(t, c.Wait(), outputs[i].String())
				_, rest, found := strings.Cut(outputs[i].String(), "admitted=")
				require.True(t, found, outputs[i].String())
				var admitted int
				_, err := fmt.Sscan(rest, &admitted)
				require.NoError(t, err)
				total += admitted
			}
			require.Equal(t, limit, total)
		})
	}
}

const crowdVariable = "SALLYPORT_REDIS_CROWD"

// TestOneOfProcesses is what the processes of TestProcesses run. Alone it is a
// crowd in one process.
func TestOneOfProcesses(t *testing.T) {
	addr, prefix, algorithm, limit := sharedAddr, freshPrefix(), ratelimit.SlidingWindow, int64(1000)
	parts := strings.Split(os.Getenv(crowdVariable), ",")
	alone := len(parts) != 4
	if !alone {
		n, err := strconv.ParseInt(parts[3], 10, 64)
		require.NoError(t, err)
		a, err := strconv.Atoi(parts[2])
		require.NoError(t, err)
		addr, prefix, algorithm, limit = parts[0], parts[1], ratelimit.BuiltIn(a), n
	}
	s := redisstorage.New(redis.NewClient(&redis.Options{Addr: addr, ContextTimeoutEnabled: true}),
		redisstorage.Options{Prefix: prefix, Timeout: 30 * time.Second})
	var admitted atomic.Int64
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			for range 50 {
				d, err := s.Consume(t.Context(), []byte("p:k"), algorithm, take(limit, 1))
				if err != nil {
					t.Error(err)
					return
				}
				if d.Accepted {
					admitted.Add(1)
				}
			}
		})
	}
	all.Wait()
	fmt.Printf("admitted=%d\n", admitted.Load())
	if alone {
		require.Equal(t, limit, admitted.Load())
	}
}
