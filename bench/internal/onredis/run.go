// Package onredis compares decisions of limiters that count in Redis.
package onredis

import (
	"context"
	"fmt"

	"github.com/sallyport-go/sallyport/bench/internal/measure"
	"github.com/sallyport-go/sallyport/bench/internal/report"
	"github.com/sallyport-go/sallyport/ratelimit"
)

const text = `A redis-server of the comparison's own on the same machine, so it takes part in what is
measured; go-redis with 64 connections and the same options for everybody. *commands* and
*round trips* are those that the server counts for one decision of a caller who is alone,
those of scripts among the commands. Everything is admitted, no counter expires meanwhile,
and all of them are there before it begins.

*A chain* are a limit by address, one by user and one for all. Sallyport decides them in
one script; the peers have no chain and ask one after the other. ulule counts in fixed
windows, redis_rate and throttled in buckets. go-redis has two auto-pipeliners, *AutoPipeline*
and *AsyncAutoPipeline*, and settings for them: the best of each limiter counts.

*EVALSHA of "return 1"* is the least that a script can be, *EVALSHA of our script* what the
sliding window sends, with its reply not looked at.`

var (
	oneCaller   = situation{"one limit, one caller", 1, 1, 1}
	crowd       = situation{"one limit, 64 goroutines, 10,000 keys", 1, 64, 10_000}
	pipelined   = situation{"one limit, 64 goroutines, 10,000 keys, auto-pipelined", 1, 64, 10_000}
	chainCaller = situation{"chain of three, one caller", 3, 1, 1}
	chainCrowd  = situation{"chain of three, 64 goroutines, 10,000 keys", 3, 64, 10_000}
	chainPipe   = situation{"chain of three, 64 goroutines, 10,000 keys, auto-pipelined", 3, 64, 10_000}
)

var (
	sliding = ours(ratelimit.SlidingWindow)
	fixed   = ours(ratelimit.FixedWindow)
	bucket  = ours(ratelimit.TokenBucket)
)

// Run starts a server and compares.
func Run(ctx context.Context, p measure.Pace) (report.Section, error) {
	s := report.Section{Title: "Decisions on Redis", Text: text}
	server, err := start(ctx)
	if err != nil {
		return s, err
	}
	defer server.stop()
	s.Text += "\n\nredis-server " + server.version + "."
	all := map[string]measure.Results{}
	for _, one := range contests(p.Full) {
		results, counted, err := one.run(ctx, p, server, one.contestants)
		if err != nil {
			return s, fmt.Errorf("%s: %w", one.title, err)
		}
		all[one.title] = results
		s.Tables = append(s.Tables, table(one.title, results, counted))
		if one.title == chainCaller.title {
			trips := counted[sliding.name].reads
			s.Bars = append(s.Bars, report.AtMost("chain of three on Redis: round trips", fmt.Sprintf("%.2f", trips), "one", trips, 1))
		}
	}
	s.Bars = append(bars(all), s.Bars...)
	return s, nil
}

// contest is a situation with those who are in it.
type contest struct {
	situation
	contestants []contestant
}

// contests are all, or those that rows are about.
func contests(full bool) []contest {
	if !full {
		return []contest{
			{oneCaller, with(plain, bare, sliding)},
			{crowd, with(plain, bareScript, sliding)},
			{pipelined, faces(sliding, fixed, bucket, redisRate, ululeStore)},
			{chainCaller, with(plain, sliding, redisRate, ululeStore)},
			{chainCrowd, with(plain, sliding, redisRate, ululeStore)},
			{chainPipe, faces(sliding, redisRate, ululeStore)},
		}
	}
	one := []limiter{bare, bareScript, sliding, fixed, bucket, redisRate, ululeStore}
	three := []limiter{sliding, fixed, bucket, redisRate, ululeStore}
	return []contest{
		{oneCaller, with(plain, append(one, throttledStore)...)},
		{crowd, with(plain, one...)},
		{pipelined, append(faces(one...), with(several, one...)...)},
		{chainCaller, with(plain, append(three, throttledStore)...)},
		{chainCrowd, with(plain, three...)},
		{chainPipe, append(faces(three...), with(several, three...)...)},
	}
}

// faces are all limiters on both auto-pipeliners.
func faces(limiters ...limiter) []contestant {
	return append(with(deferred, limiters...), with(blocking, limiters...)...)
}

func table(title string, results measure.Results, counted map[string]traffic) report.Table {
	t := report.Table{Title: title, Columns: []string{"Limiter", "Decisions a second", "Time", "Least and most", "Commands", "Round trips", "Allocations"}}
	for _, r := range results {
		c := counted[r.Name]
		t.Add(r.Name, fmt.Sprintf("%.0f", 1e9/r.Nanos), report.Nanos(r.Nanos), report.Nanos(r.Least)+" – "+report.Nanos(r.Most),
			fmt.Sprintf("%.0f", c.commands), fmt.Sprintf("%.0f", c.reads), fmt.Sprintf("%.0f", r.Allocs))
	}
	return t
}

func bars(all map[string]measure.Results) (bars []report.Bar) {
	for _, row := range []struct {
		work  string
		in    situation
		ours  limiter
		peers []limiter
		bar   float64
	}{
		{"one decision on Redis, one caller", oneCaller, sliding, []limiter{bare}, 0.9},
		{"one decision on Redis, 64 callers", crowd, sliding, []limiter{bareScript}, 0.9},
		{"chain of three on Redis, one caller", chainCaller, sliding, []limiter{redisRate, ululeStore}, 2.5},
		{"chain of three on Redis, 64 callers", chainCrowd, sliding, []limiter{redisRate, ululeStore}, 2},
		{"chain of three on Redis, 64 callers, auto-pipelined", chainPipe, sliding, []limiter{redisRate, ululeStore}, 1.4},
		{"one decision on Redis, auto-pipelined, fixed window", pipelined, fixed, []limiter{ululeStore}, 0.95},
		{"one decision on Redis, auto-pipelined, sliding window", pipelined, sliding, []limiter{redisRate}, 1.1},
		{"one decision on Redis, auto-pipelined, token bucket", pipelined, bucket, []limiter{redisRate}, 1.1},
	} {
		results := all[row.in.title]
		us, best := results.Fastest(variants(results, row.ours)...), results.Fastest(variants(results, row.peers...)...)
		bars = append(bars, report.Faster(row.work, us.Nanos, best.Nanos, best.Name, us.Ratio(best), row.bar))
	}
	return bars
}

// variants are the names of the limiters with all clients that they were tried with.
func variants(results measure.Results, limiters ...limiter) (names []string) {
	for _, l := range limiters {
		for _, c := range []client{plain, deferred, blocking, several} {
			for _, r := range results {
				if r.Name == l.name+c.name {
					names = append(names, r.Name)
				}
			}
		}
	}
	return names
}
