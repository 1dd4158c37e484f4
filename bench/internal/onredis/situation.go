package onredis

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/bench/internal/keys"
	"github.com/sallyport-go/sallyport/bench/internal/measure"
)

// clients are how go-redis is used.
type client struct {
	name string
	of   func(c *redis.Client) (redis.UniversalClient, error)
}

var (
	plain = client{"", func(c *redis.Client) (redis.UniversalClient, error) { return c, nil }}
	// The faces differ in who waits: the call itself, or who looks at its result.
	blocking = client{", AutoPipeline", func(c *redis.Client) (redis.UniversalClient, error) { return c.AutoPipeline() }}
	deferred = client{", AsyncAutoPipeline", func(c *redis.Client) (redis.UniversalClient, error) { return c.AsyncAutoPipeline() }}
	several  = client{", AsyncAutoPipeline of four batches", func(c *redis.Client) (redis.UniversalClient, error) {
		return c.AsyncAutoPipelineWithOptions(&redis.AutoPipelineOptions{Unordered: true, MaxConcurrentBatches: 4, MaxBatchSize: 16})
	}}
)

// situation is how many callers ask how many limits of how many keys.
type situation struct {
	title   string
	limits  int
	callers int
	keys    int
}

// contestant is a limiter with a client.
type contestant struct {
	limiter
	client client
}

func (c contestant) title() string { return c.name + c.client.name }

func with(c client, limiters ...limiter) (list []contestant) {
	for _, l := range limiters {
		list = append(list, contestant{l, c})
	}
	return list
}

// traffic is how often a decision reaches the server.
type traffic struct{ commands, reads float64 }

func (s situation) run(ctx context.Context, p measure.Pace, server *server, list []contestant) (measure.Results, map[string]traffic, error) {
	var works []measure.Work
	counted := map[string]traffic{}
	for _, c := range list {
		works = append(works, s.work(ctx, server, c))
		t, err := s.count(ctx, server, c)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.title(), err)
		}
		counted[c.title()] = t
	}
	p.Time *= 2 // it has to find its pace with the server
	results, err := p.Run(works)
	return results, counted, err
}

func (s situation) work(ctx context.Context, server *server, c contestant) measure.Work {
	return measure.Work{Name: c.title(), Workers: s.callers, Start: func() (measure.Running, error) {
		open, stop, err := c.start(ctx, server, s.limits)
		if err != nil {
			return measure.Running{}, err
		}
		addresses, users := keys.List(s.keys), make([]string, s.keys)
		for i := range users {
			users[i] = fmt.Sprintf("u%d", i)
		}
		if err := fill(ctx, open, addresses, users); err != nil {
			stop()
			return measure.Running{}, err
		}
		return measure.Running{Stop: stop, Worker: func(i int) func(int) error {
			return decide(ctx, open(), addresses, users, uint64(i))
		}}, nil
	}}
}

// start opens a limiter on an empty server.
func (c contestant) start(ctx context.Context, server *server, limits int) (open func() ask, stop func(), err error) {
	client := server.client()
	stop = func() { _ = client.Close() }
	if err = client.FlushAll(ctx).Err(); err == nil {
		var face redis.UniversalClient
		if face, err = c.client.of(client); err == nil {
			open, err = c.open(face, limits)
		}
	}
	if err != nil {
		stop()
	}
	return open, stop, err
}

// fill makes the counters, so that all of them are there when it counts.
func fill(ctx context.Context, open func() ask, addresses, users []string) error {
	const callers = 64
	var all sync.WaitGroup
	var errs [callers]error
	for first := range callers {
		all.Go(func() {
			ask := open()
			for i := first; i < len(addresses); i += callers {
				if ok, err := ask(ctx, addresses[i], users[i]); err != nil || !ok {
					errs[first] = errors.Join(errors.New("a key was refused at once"), err)
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(errs[:]...)
}

// decide asks for keys at random.
func decide(ctx context.Context, ask ask, addresses, users []string, seed uint64) func(n int) error {
	random := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // an order is no secret
	return func(n int) error {
		for range n {
			i := random.IntN(len(addresses))
			if ok, err := ask(ctx, addresses[i], users[i]); err != nil || !ok {
				return errors.Join(errors.New("a decision was refused"), err)
			}
		}
		return nil
	}
}

// count asks alone, so that no two decisions share a trip to the server.
func (s situation) count(ctx context.Context, server *server, c contestant) (traffic, error) {
	const n = 100
	open, stop, err := c.start(ctx, server, s.limits)
	if err != nil {
		return traffic{}, err
	}
	defer stop()
	watcher := server.client()
	defer func() { _ = watcher.Close() }()
	addresses, users := []string{"10.1.2.3"}, []string{"u1"}
	if err := fill(ctx, open, addresses, users); err != nil {
		return traffic{}, err
	}
	commands, reads, err := server.counted(ctx, watcher)
	if err != nil {
		return traffic{}, err
	}
	if err := decide(ctx, open(), addresses, users, 1)(n); err != nil {
		return traffic{}, err
	}
	commandsAfter, readsAfter, err := server.counted(ctx, watcher)
	return traffic{(commandsAfter - commands) / n, (readsAfter - reads - 1) / n}, err
}
