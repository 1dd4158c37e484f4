package storagetest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

// All kinds of storages pass, and no scenario waits for a window or asks for the
// time: it is that of the requests. RL-274, RL-275, RL-279
func TestStoragesThatAreRight(t *testing.T) {
	for _, tc := range []struct {
		name    string
		open    func() ratelimit.Storage
		options storagetest.Options
	}{
		{
			"memory", // RL-007, RL-110, RL-248, RL-276
			func() ratelimit.Storage { return ratelimit.NewMemory(ratelimit.MemoryOptions{}) },
			storagetest.Options{Steps: 3000, Algorithms: []ratelimit.Algorithm{OneByOne{}}},
		},
		{
			"memory with a cap that is not reached",
			func() ratelimit.Storage { return ratelimit.NewMemory(ratelimit.MemoryOptions{MaxCounters: 100_000}) },
			storagetest.Options{Steps: 1000},
		},
		{
			"a table with locks", // RL-007, RL-220, RL-221, RL-222, RL-227, RL-248, RL-276
			func() ratelimit.Storage {
				table := NewTable()
				return ratelimit.FromKeyValue(table, ratelimit.KeyValueOptions{Lock: table.Lock})
			},
			storagetest.Options{Steps: 2000, Algorithms: []ratelimit.Algorithm{OneByOne{}}},
		},
		{
			"a table without locks", // RL-220
			func() ratelimit.Storage { return ratelimit.FromKeyValue(NewTable(), ratelimit.KeyValueOptions{}) },
			storagetest.Options{Steps: 1000, Approximate: true},
		},
		{
			"a table whose lifetimes go by a clock of its own",
			func() ratelimit.Storage {
				table := NewTable()
				return ratelimit.FromKeyValue(ownClock{table}, ratelimit.KeyValueOptions{Lock: table.Lock})
			},
			storagetest.Options{Steps: 2000, OwnClock: true},
		},
		{
			"a storage for scripts and batches",
			func() ratelimit.Storage {
				return scripts{ratelimit.NewMemory(ratelimit.MemoryOptions{}), map[string]bool{}}
			},
			storagetest.Options{Steps: 1000, ScriptsOnly: true},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			storagetest.Run(t, func(testing.TB) ratelimit.Storage { return tc.open() }, tc.options)
		})
	}
}

// ownClock is a table in a database: the lifetimes run while the time of the
// requests stands still, and the other way round.
type ownClock struct{ table *Table }

func (c ownClock) Load(ctx context.Context, key string, _ time.Time) (ratelimit.State, error) {
	return c.table.Load(ctx, key, time.Now())
}

func (c ownClock) Save(ctx context.Context, key string, s ratelimit.State, ttl time.Duration, _ time.Time) error {
	return c.table.Save(ctx, key, s, ttl, time.Now())
}

// scripts is a storage that decides by scripts, several limits in one go, and
// only what it was prepared for. It has none: what they would do, Step does.
type scripts struct {
	ratelimit.Storage
	prepared map[string]bool
}

func (s scripts) Prepare(algorithms []ratelimit.Algorithm) error {
	var list string
	for _, a := range algorithms {
		_, builtIn := a.(ratelimit.BuiltIn)
		_, scripted := a.(ratelimit.ScriptAlgorithm)
		if !builtIn && !scripted {
			return errors.New("the algorithm " + a.Name() + " has no script")
		}
		list += a.Name() + " "
	}
	s.prepared[list] = true
	return nil
}

func (s scripts) Consume(ctx context.Context, key []byte, a ratelimit.Algorithm, t ratelimit.Take) (ratelimit.Decision, error) {
	if !s.prepared[a.Name()+" "] {
		return ratelimit.Decision{}, errors.New("nobody has told of " + a.Name())
	}
	return s.Storage.Consume(ctx, key, a, t)
}

func (s scripts) ConsumeAll(ctx context.Context, items []ratelimit.Item, dst []ratelimit.Decision) ([]ratelimit.Decision, error) {
	var list string
	for _, i := range items {
		list += i.Algorithm.Name() + " "
	}
	if !s.prepared[list] {
		return dst, errors.New("nobody has told of " + list)
	}
	for _, i := range items {
		d, err := s.Storage.Consume(ctx, i.Key, i.Algorithm, i.Take)
		if err != nil {
			return dst, err
		}
		if dst = append(dst, d); !d.Accepted {
			break
		}
	}
	return dst, nil
}
