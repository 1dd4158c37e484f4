package redisstorage_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// What Redis answers decides whether the limits may be passed, and whether the
// call is made again: only when nothing has run, and once.
func TestErrorReplies(t *testing.T) { // RL-236, peer 67, peer 76
	const (
		outage = "unavailable"
		denied = "denied"
		fault  = "fault"
	)
	once, twice := []string{"evalsha"}, []string{"evalsha", "evalsha"}
	for _, row := range []struct {
		reply string
		want  string
		asked []string
	}{
		{"LOADING Redis is loading the dataset in memory", outage, twice},
		{"READONLY You can't write against a read only replica.", outage, twice},
		{"TRYAGAIN Multiple keys request during rehashing of slot", outage, twice},
		{"CLUSTERDOWN Hash slot not served", outage, twice},
		{"MOVED 1 127.0.0.1:1", outage, twice},
		{"ASK 1 127.0.0.1:1", outage, twice},
		{"MASTERDOWN Link with MASTER is down", outage, once},
		{"NOREPLICAS Not enough good replicas to write.", outage, once},
		{"OOM command not allowed when used memory > 'maxmemory'.", outage, once},
		{"MISCONF Redis is configured to save RDB snapshots", outage, once},
		{"BUSY Redis is busy running a script.", outage, once},
		{"ERR max number of clients reached", outage, once},
		{"NOSCRIPT No matching script. Please use EVAL.", outage, []string{"evalsha", "eval"}},
		{"NOAUTH Authentication required.", denied, once},
		{"WRONGPASS invalid username-password pair or user is disabled.", denied, once},
		{"ERR The user executing the script can't run this command or subcommand script: x", denied, once},
		{"ERR The user executing the script can't access at least one of the keys", denied, once},
		{"NOPERM ACL failure in script: no permissions", denied, once},
		{"NOPERM this user has no permissions to run the 'evalsha' command", denied, once},
		{"WRONGTYPE Operation against a key holding the wrong kind of value", fault, once},
		{"CROSSSLOT Keys in request don't hash to the same slot", fault, once},
		{"ERR user_script:1: attempt to call a nil value", fault, once},
		{"ERR Error compiling script (new function): user_script:1: unexpected symbol", fault, once},
	} {
		t.Run(row.reply, func(t *testing.T) {
			server := newScripted(t, "-"+row.reply+"\r\n")
			var log bytes.Buffer
			s := redisstorage.New(connect(t, server.addr), redisstorage.Options{
				Logger: slog.New(slog.NewTextHandler(&log, nil)), Timeout: 5 * time.Second,
			})
			for range 2 { // what is logged is logged once in a second
				_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(1, 1))
				require.ErrorContains(t, err, row.reply)
				require.Equal(t, row.want != fault, errors.Is(err, ratelimit.ErrUnavailable), err)
				require.Equal(t, row.want == fault, errors.Is(err, ratelimit.ErrBug), err)
			}
			require.Equal(t, append(append([]string(nil), row.asked...), row.asked...), server.asked())
			logged := 0
			if row.want == denied {
				logged = 1
			}
			require.Equal(t, logged, bytes.Count(log.Bytes(), []byte("level=ERROR")), log.String())
		})
	}
}

// An outage that ends while the call is repeated is none.
func TestRepeated(t *testing.T) {
	for _, replies := range [][]string{
		{"-READONLY You can't write against a read only replica.\r\n"},
		{"-NOSCRIPT No matching script.\r\n"},
		{"-LOADING Redis is loading\r\n", "-NOSCRIPT No matching script.\r\n"},
	} {
		server := newScripted(t, append(replies, integers(1, 4, 9, -1))...)
		s := redisstorage.New(connect(t, server.addr), redisstorage.Options{Timeout: 5 * time.Second})
		d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.NoError(t, err)
		require.Equal(t, accepted(4, 9), d)
	}
}

// A reply that is no list of decisions is a fault of the program.
func TestMalformedReplies(t *testing.T) { // RL-259
	for _, row := range []struct{ reply, err string }{
		{"+OK\r\n", "a reply of type string instead of a list"},
		{":1\r\n", "a reply of type int64 instead of a list"},
		{"$-1\r\n", "redis: nil"},
		{integers(), "algorithm fixedWindow: ratelimit: a fault of the program: a reply of 0 values"},
		{integers(1, 2, 3), "algorithm fixedWindow: ratelimit: a fault of the program: a reply of 3 values"},
		{integers(1, 2, 3, -1, 5), "a reply with 1 values too many"},
		{integers(2, 2, 3, -1), "accepted is 2 instead of 0 or 1"},
		{integers(1, -2, 3, -1), "the reply [1 -2 3 -1] is no decision"},
		{integers(1, 2, -3, -1), "the reply [1 2 -3 -1] is no decision"},
		{integers(0, 2, 3, -1), "the reply [0 2 3 -1] is no decision"},
		{integers(1, 2, 3, 4), "the reply [1 2 3 4] is no decision"},
		{integers(0, 2, 3, -3), "the reply [0 2 3 -3] is no decision"},
		{"*4\r\n:1\r\n:2\r\n$3\r\n1.5\r\n:-1\r\n", `a reply with string "1.5" instead of an integer`},
		{"*4\r\n:1\r\n:2\r\n*0\r\n:-1\r\n", `a reply with []interface {} "[]" instead of an integer`},
	} {
		s := redisstorage.New(connect(t, newScripted(t, row.reply).addr), redisstorage.Options{Timeout: 5 * time.Second})
		_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.ErrorContains(t, err, row.err)
		require.ErrorIs(t, err, ratelimit.ErrBug)
	}
}

// The end of the request is neither an outage nor held against Redis.
func TestContextEnded(t *testing.T) { // peer 76
	s := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix()})
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 10 {
		_, err := s.Consume(canceled, []byte("p:k"), ratelimit.FixedWindow, take(1, 1))
		require.Equal(t, context.Canceled, err)
	}
	d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(1, 1))
	require.NoError(t, err)
	require.True(t, d.Accepted) // nothing was counted before
}

// An evaluator's errors are read by their text.
func TestEvaluatorErrors(t *testing.T) { // RL-236
	for _, row := range []struct {
		err         error
		unavailable bool
	}{
		{errFake, true},
		{errors.New("READONLY You can't write"), true},
		{errors.New("-READONLY You can't write"), true},
		{errors.New("NOSCRIPT No matching script"), true},
		{errors.New("TLS handshake timeout"), true},
		{errors.New("EOF while reading"), true},
		{errors.New("HTTP 503 from proxy"), true},
		{errors.New("WRONGTYPE Operation against a key"), false},
		{errors.New("ERR unknown command"), false},
		{ratelimit.Bug(errFake), false},
		{redis.ErrClosed, true},
	} {
		s := redisstorage.NewEvaluator(evaluate(func() (any, error) { return nil, row.err }), redisstorage.Options{})
		_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(1, 1))
		require.ErrorIs(t, err, row.err)
		require.Equal(t, row.unavailable, errors.Is(err, ratelimit.ErrUnavailable), err)
		require.Equal(t, !row.unavailable, errors.Is(err, ratelimit.ErrBug), err)
	}
}

// evaluate is an evaluator that looks at nothing.
type evaluate func() (any, error)

func (e evaluate) Evaluate(context.Context, *redisstorage.Script, []string, []any) (any, error) {
	return e()
}

// Replies are understood however a client hands them over.
func TestEvaluatorReplies(t *testing.T) { // RL-235
	for _, reply := range []any{
		[]any{int64(1), int64(4), int64(9), int64(-1)},
		[]any{"1", "4", "9", "-1"},
		[]any{1, int32(4), uint64(9), int8(-1)},
		[]any{[]byte("1"), []byte("4"), []byte("9"), []byte("-1")},
	} {
		s := redisstorage.NewEvaluator(evaluate(func() (any, error) { return reply, nil }), redisstorage.Options{})
		d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.NoError(t, err)
		require.Equal(t, accepted(4, 9), d)
	}
	for _, reply := range []any{
		[]any{int64(1), errFake, int64(9), int64(-1)},
		[]any{errors.New("WRONGTYPE of a key")}, // errors as values
	} {
		s := redisstorage.NewEvaluator(evaluate(func() (any, error) { return reply, nil }), redisstorage.Options{})
		_, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(5, 1))
		require.ErrorIs(t, err, ratelimit.ErrBug)
	}
}
