package redisstorage

import (
	"context"

	"github.com/redis/go-redis/v9"
)

// An Evaluator runs scripts in Redis: what another client library has to be able
// to do to carry limits, see [NewEvaluator].
//
// An implementation must
//   - be safe for concurrent use, and obey the context's deadline;
//   - run the script on the server that has the keys, never on a replica: by
//     EVALSHA, and by EVAL when the answer is NOSCRIPT, or always by EVAL;
//   - never send a call again whose outcome it does not know: it would count
//     twice. Many clients do so unless they are told not to;
//   - return the reply as it is: a []any of integers. Numbers as text are
//     understood, too;
//   - return an error reply of Redis as an error whose text begins with that of
//     Redis, such as "READONLY ...". Any other error is taken for an answer that
//     is lost, unless it is marked by ratelimit.Unavailable, which says that
//     nothing has run, or by ratelimit.Bug.
//
// Keys and arguments are strings that may hold any bytes. A key prefix of the
// client itself does no harm as long as it has no braces.
type Evaluator interface {
	Evaluate(ctx context.Context, s *Script, keys []string, args []any) (any, error)
}

// goRedis runs scripts with a client of go-redis.
type goRedis struct {
	client redis.UniversalClient
	opaque bool // nobody knows whether the client obeys contexts
}

// call is a command that go-redis does not send again by itself: it does so after
// a lost reply, too, and then counts twice.
type call struct{ *redis.Cmd }

// NoRetry is asked by go-redis when a command has failed.
func (call) NoRetry() bool { return true }

// Clone keeps what NoRetry says.
func (c call) Clone() redis.Cmder {
	cmd, ok := c.Cmd.Clone().(*redis.Cmd)
	if !ok {
		return c
	}
	return call{cmd}
}

// ask sends a script again only when the reply proves that it has not run, and
// then once.
func (g *goRedis) ask(ctx context.Context, q question) (any, error) {
	reply, err := g.run(ctx, q.words)
	if err != nil && isReply(err) && ctx.Err() == nil {
		switch kindOf(replyText(err)) {
		case noScript:
			return g.run(ctx, q.withText())
		case repeat:
			if reply, err = g.run(ctx, q.words); err != nil && isReply(err) && kindOf(replyText(err)) == noScript {
				return g.run(ctx, q.withText())
			}
		}
	}
	return reply, err
}

func (g *goRedis) run(ctx context.Context, words []any) (any, error) {
	c := call{redis.NewCmd(ctx, words...)}
	if err := g.process(ctx, c); err != nil {
		return nil, err
	}
	return c.Result()
}

// process waits no longer than the context lets it, also for clients that do not
// obey it: an auto-pipeliner goes by the deadlines of the client behind it.
func (g *goRedis) process(ctx context.Context, c call) error {
	if !g.opaque {
		return g.client.Process(ctx, c)
	}
	if p, ok := g.client.(*redis.AutoPipeliner); ok && !p.IsBlocking() {
		return p.Submit(ctx, c).WaitContext(ctx)
	}
	done := make(chan error, 1)
	go func() { done <- g.client.Process(ctx, c) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
