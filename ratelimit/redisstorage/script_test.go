package redisstorage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// plain is an algorithm of one's own without a script.
type plain struct{ name string }

func (p plain) Name() string { return p.name }
func (plain) Step(ratelimit.State, ratelimit.Take) ratelimit.Outcome {
	return ratelimit.Outcome{Decision: ratelimit.Decision{Accepted: true, RetryAfter: ratelimit.NoRetryMicros}}
}

// own has one.
type own struct {
	plain
	script string
}

func (o own) RedisScript() string { return o.script }

func scripted1(name, script string) own { return own{plain{name}, script} }

// A script is the body of a function, whatever it looks like, and stands in one
// call with others.
func TestOwnScripts(t *testing.T) { // RL-255, RL-256, RL-258, RL-259
	ours := []ratelimit.Algorithm{
		scripted1("arguments", `return {1, tonumber(ARGV[1]) * 1000 + tonumber(ARGV[2]), tonumber(ARGV[4]) - tonumber(ARGV[3]), -1 - #KEYS + #ARGV - 3}`),
		scripted1("comment", "return {1, 1, 0, -1} -- the end"),
		scripted1("longcomment", "--[[ text\nend ]] return {1, 2, 0, -1}"),
		scripted1("early", "if ARGV[2] == '2' then return {1, 3, 0, -1} end\nreturn {0, 0, 0, 1}"),
		// what the scripts around it call their parts is nothing to it
		scripted1("names", "local load, save, custom, steps, reply, limit = 1, 2, 3, 4, 5, 6\nlocal function muldiv() return 7 end\nlocal KEYS = {}\nreturn {1, load + save + muldiv() - 6, 0, -1}"),
		scripted1("blind", "if pcall(function() return muldiv or save or steps end) then return {0, 0, 0, 1} end return {1, 5, 0, -1}"),
		scripted1("key", "redis.call('SET', KEYS[1], ARGV[4], 'PX', 1000)\nreturn {1, #redis.call('GET', KEYS[1]), 0, -1}"),
		scripted1("refusal", "return {0, 0, 5, 5}"),
	}
	client, prefix := connect(t, sharedAddr), freshPrefix()
	s := redisstorage.New(client, redisstorage.Options{Prefix: prefix, Timeout: 5 * time.Second})
	items := []ratelimit.Item{item("p:k", ratelimit.SlidingWindow, take(9, 2))}
	for _, a := range ours {
		items = append(items, item("p:k", a, take(7, 2)))
	}
	items = append(items, item("p:never", ratelimit.FixedWindow, take(1, 1))) // behind the refusal
	got, err := s.ConsumeAll(t.Context(), items, nil)
	require.NoError(t, err)
	minute := time.Minute.Microseconds()
	require.Equal(t, []ratelimit.Decision{
		accepted(7, minute-now%minute),
		accepted(7002, now-minute),
		accepted(1, 0), accepted(2, 0), accepted(3, 0), accepted(4, 0), accepted(5, 0), accepted(16, 0),
		{ResetAfter: 5, RetryAfter: 5},
	}, got)
	require.ElementsMatch(t, []string{prefix + "{p:k}:slidingWindow:60", prefix + "{p:k}:key:60"}, client.Keys(t.Context(), prefix+"*").Val())
}

// What a script of one's own returns is checked, and what it does wrong is told
// with its name.
func TestFaultyScripts(t *testing.T) { // RL-259, RL-260
	for _, row := range []struct{ name, script, err string }{
		{"nothing", "local x = 1", "the script returned no table"},
		{"number", "return 1", "the script returned no table"},
		{"short", "return {1, 2, 3}", "the script returned 3 values instead of four integers"},
		{"hole", "return {1, nil, 3, -1}", "value 2 of what the script returned is no integer"},
		{"long", "return {1, 2, 3, -1, 5}", "the script returned 5 values instead of four integers"},
		{"fraction", "return {1, 2.5, 3, -1}", "value 2 of what the script returned is no integer"},
		{"text", "return {1, '2', 3, -1}", "value 2 of what the script returned is no integer"},
		{"infinite", "return {1, 1/0, 3, -1}", "value 2 of what the script returned is no integer"},
		{"nan", "return {1, 0/0, 3, -1}", "value 2 of what the script returned is no integer"},
		{"three", "return {3, 2, 3, -1}", "accepted is 3 instead of 0 or 1"},
		{"broken", "return x.y.z", "x"},
		{"global", "x = 1 return {1, 2, 3, -1}", "global"},
		{"wrongtype", "redis.call('SADD', KEYS[1], 'x') redis.call('PEXPIRE', KEYS[1], 100) return redis.call('GET', KEYS[1])", "WRONGTYPE"},
		{"value", "return redis.error_reply('WRONGTYPE it is')", "WRONGTYPE it is"},
		{"raisednil", "error(nil)", "a value of type nil"},
		{"raisedflag", "error(true)", "a value of type boolean"},
		{"raisedtable", "error({})", "a value of type nil"},
		{"raisednumber", "error(42)", "42"},
		{"syntax", "return {1,", "compiling script"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second})
			items := []ratelimit.Item{item("p:k", scripted1(row.name, row.script), take(7, 1)), item("p:k", ratelimit.FixedWindow, take(7, 1))}
			_, err := s.ConsumeAll(t.Context(), items, nil)
			require.ErrorIs(t, err, ratelimit.ErrBug)
			require.ErrorContains(t, err, row.err)
			require.ErrorContains(t, err, "algorithm "+row.name)

			if row.name == "syntax" {
				return // nothing of the call has run
			}
			items[0], items[1] = items[1], items[0]
			got, err := s.ConsumeAll(t.Context(), items, nil)
			require.Len(t, got, 1) // what stood before has been decided
			require.ErrorIs(t, err, ratelimit.ErrBug)
			require.ErrorContains(t, err, row.err)
			require.ErrorContains(t, err, "algorithm "+row.name)
		})
	}
}

// What Redis cannot run is found when the limits are built.
func TestPrepare(t *testing.T) { // RL-268
	fine := scripted1("fine", "return {1, 0, 0, -1}")
	for _, row := range []struct {
		algorithms []ratelimit.Algorithm
		err        string
	}{
		{[]ratelimit.Algorithm{ratelimit.SlidingWindow, fine, ratelimit.TokenBucket, fine}, ""},
		{[]ratelimit.Algorithm{ratelimit.SlidingWindow, plain{"leaky"}}, `algorithm "leaky": it has no RedisScript`},
		{[]ratelimit.Algorithm{ratelimit.BuiltIn(9)}, `algorithm "unknown"`},
		{[]ratelimit.Algorithm{plain{"slidingWindow"}}, `algorithm "slidingWindow": it has no RedisScript`},
		{[]ratelimit.Algorithm{scripted1("slidingWindow", "return {1, 0, 0, -1}")}, "a built-in algorithm has this name"},
		{[]ratelimit.Algorithm{scripted1("a:b", "return {1, 0, 0, -1}")}, "letters and digits"},
		{[]ratelimit.Algorithm{scripted1("", "return {1, 0, 0, -1}")}, "letters and digits"},
		{[]ratelimit.Algorithm{scripted1("empty", " \n")}, "its RedisScript is empty"},
		{[]ratelimit.Algorithm{scripted1("shebang", "#!lua flags=no-writes\nreturn {1, 0, 0, -1}")}, "begins with #!"},
		{[]ratelimit.Algorithm{fine, scripted1("fine", "return {0, 0, 0, 1}")}, "another RedisScript has this name"},
	} {
		for _, s := range []*redisstorage.Storage{
			redisstorage.New(connect(t, sharedAddr), redisstorage.Options{}),
			redisstorage.NewEvaluator(evaluate(nil), redisstorage.Options{}), // RL-269
		} {
			err := s.Prepare(row.algorithms)
			if row.err == "" {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, row.err)
		}
	}
}

// A limit names itself when its algorithm has no script, wherever it stands.
func TestBuildNeedsScripts(t *testing.T) { // RL-268, RL-269, RL-270
	storage := redisstorage.New(connect(t, sharedAddr), redisstorage.Options{})
	_, err := ratelimit.NewLimiter(ratelimit.Policy{Name: "mine", Algorithm: plain{"leaky"}, Limit: 1, Interval: time.Minute, Storage: storage}, ratelimit.Options{})
	require.ErrorContains(t, err, `"mine"`)
	require.ErrorContains(t, err, `algorithm "leaky": it has no RedisScript`)
}
