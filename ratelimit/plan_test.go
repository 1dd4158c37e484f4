package ratelimit_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestTheFieldsOfAPlan(t *testing.T) {
	own := ratelimit.Result{Policy: "pér\r\nip\"\\", Limit: -1, Accepted: true, Remaining: -3, ResetAfter: ratelimit.Unknown}
	for _, tc := range []struct {
		name          string
		results       []ratelimit.Result
		policy, limit string
	}{
		{"one policy", // RL-188, RL-189
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, Window: time.Minute, Accepted: true, Remaining: 97, ResetAfter: 42 * time.Second}},
			`"perIp";q=100;w=60`, `"perIp";r=97;t=42`},
		{"seconds are rounded up", // RL-193
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, Window: time.Minute, Accepted: true, Remaining: 97, ResetAfter: 41*time.Second + time.Microsecond}},
			`"perIp";q=100;w=60`, `"perIp";r=97;t=42`},
		{"both gates", // RL-202, RL-186
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, Window: time.Minute, Accepted: true, Remaining: 1}, {Policy: "perUser", Limit: 50, Window: time.Minute, Accepted: true, Remaining: 2}},
			`"perIp";q=100;w=60, "perUser";q=50;w=60`, `"perIp";r=1;t=0, "perUser";r=2;t=0`},
		{"only the second gate",
			[]ratelimit.Result{{Policy: "perUser", Limit: 50, Window: time.Minute, Accepted: true, Remaining: 2}},
			`"perUser";q=50;w=60`, `"perUser";r=2;t=0`},
		{"a limit of the caller",
			[]ratelimit.Result{{Policy: "perIp", Limit: 7, Window: time.Minute, Accepted: true}},
			`"perIp";q=7;w=60`, `"perIp";r=0;t=0`},
		{"a refusal is told its wait", // AMB-08, RL-203
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, Window: time.Minute, ResetAfter: 9 * time.Second, RetryAfter: 1200 * time.Millisecond}},
			`"perIp";q=100;w=60`, `"perIp";r=0;t=2`},
		{"a refusal never says 0", // RL-195
			[]ratelimit.Result{{Policy: "perIp", Limit: 100, Window: time.Minute, RetryAfter: 200 * time.Millisecond}},
			`"perIp";q=100;w=60`, `"perIp";r=0;t=1`},
		{"a refusal without a wait", // AMB-15
			[]ratelimit.Result{{Policy: "legacy", Limit: 60, ResetAfter: ratelimit.Unknown, RetryAfter: ratelimit.Unknown}},
			`"legacy";q=60`, `"legacy";r=0`},
		{"a limiter of one's own", // RL-242, RL-243, RL-245, RL-246, AMB-16
			[]ratelimit.Result{own},
			`"prip\"\\";q=0`, `"prip\"\\";r=0`},
		{"names that stand already",
			[]ratelimit.Result{{Policy: "perIp", Limit: 9, Accepted: true, Remaining: 4}, {Policy: "PER\xffIP", Limit: 5, Remaining: 2}, {Policy: "perIpp", Limit: 3, Accepted: true}},
			`"perIp";q=9, "perIpp";q=3`, `"perIp";r=4;t=0, "perIpp";r=0;t=0`},
		{"numbers too large", // RL-204
			[]ratelimit.Result{{Policy: "big", Limit: 1e16, Remaining: 1e16, Accepted: true}},
			`"big";q=999999999999999`, `"big";r=999999999999999;t=0`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlan(t, newSet(t, perIP, perUser), usersTarget, ratelimit.Named("perIp", "perUser"))
			require.Equal(t, []string{tc.policy}, p.PolicyField(tc.results))
			require.Equal(t, tc.policy, ratelimit.PolicyField(tc.results))
			require.Equal(t, tc.limit, string(ratelimit.AppendLimitField(nil, tc.results)))
		})
	}
}

func TestTheFieldOfAPlanIsSharedAndHasNoRoom(t *testing.T) {
	p := newPlan(t, newSet(t, perIP), usersTarget, ratelimit.Named("perIp"))
	results := ask(t, p, usersTarget, "")
	first, second := p.PolicyField(results), p.PolicyField(results)
	require.Same(t, &first[0], &second[0])
	require.Equal(t, 1, cap(first))
	require.Zero(t, testing.AllocsPerRun(10, func() { p.PolicyField(results) }))
	require.Nil(t, p.PolicyField(nil))
}

func TestRetryAfterIsTheLongestWaitOfTheRefusals(t *testing.T) {
	refused := func(wait time.Duration) ratelimit.Result { return ratelimit.Result{RetryAfter: wait} }
	accepted := ratelimit.Result{Accepted: true, ResetAfter: 99 * time.Second}
	for _, tc := range []struct {
		name    string
		results []ratelimit.Result
		want    int64
		ok      bool
	}{
		{"nothing was refused", []ratelimit.Result{accepted}, 0, false},
		{"the longest of several", []ratelimit.Result{refused(5 * time.Second), refused(30 * time.Second), accepted}, 30, true}, // RL-197
		{"rounded up", []ratelimit.Result{refused(1900 * time.Millisecond)}, 2, true},                                           // RL-195, peer 37
		{"a negative wait", []ratelimit.Result{refused(-5 * time.Second)}, 0, true},                                             // RL-245
		{"at least 1", []ratelimit.Result{refused(0)}, 1, true},                                                                 // RL-195
		{"unknown", []ratelimit.Result{refused(ratelimit.Unknown)}, 0, false},                                                   // AMB-15
		{"unknown and known", []ratelimit.Result{refused(ratelimit.Unknown), refused(5 * time.Second)}, 5, true},
		{"never", []ratelimit.Result{refused(5 * time.Second), refused(ratelimit.Never)}, 0, false}, // RL-322
	} {
		t.Run(tc.name, func(t *testing.T) {
			seconds, ok := ratelimit.RetryAfter(tc.results)
			require.Equal(t, tc.ok, ok)
			require.Equal(t, tc.want, seconds)
		})
	}
}

func TestAMissingIdentityIsWarnedOfOncePerPolicy(t *testing.T) { // RL-089
	var log bytes.Buffer
	s, err := ratelimit.NewSet([]ratelimit.Policy{perUser}, ratelimit.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	users := newPlan(t, s, usersTarget, ratelimit.Named("perUser"))
	export := newPlan(t, s, exportTarget, ratelimit.Named("perUser"),
		ratelimit.Policy{Name: "quota", Limit: 1, Interval: time.Minute, Key: ratelimit.Identity})
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { users.WarnNoIdentity(t.Context(), "*own.Auth") })
		group.Go(func() { export.WarnNoIdentity(t.Context(), "*own.Auth") })
	}
	group.Wait()
	require.Equal(t, 2, strings.Count(log.String(), "\n"))
	require.Equal(t, 1, strings.Count(log.String(), "policy=perUser authorization=*own.Auth"))
	require.Equal(t, 1, strings.Count(log.String(), "policy=quota authorization=*own.Auth"))
}
