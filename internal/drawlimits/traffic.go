package main

import (
	"context"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The limit of all pictures, and the time that they show: two windows.
const (
	limit    = 10
	interval = time.Minute
	shown    = 2 * interval
)

// client sends a request at each of its times, counted from the left end of the
// picture, and does not care about the answers.
type client struct {
	name string
	at   []time.Duration
}

func clients() []client {
	return []client{
		{"bursts across the edge of two windows", every(500*time.Millisecond, interval-5*time.Second, interval+5*time.Second)},
		{"asks every seven seconds", every(7*time.Second, 0, shown)},
		{"asks every second", every(time.Second, 0, shown)},
	}
}

// every lists the times from one to another, which is not among them.
func every(step, from, to time.Duration) (times []time.Duration) {
	for at := from; at < to; at += step {
		times = append(times, at)
	}
	return times
}

// lane is a client with the answers that it got.
type lane struct {
	client
	accepted []bool
}

// heldClock stands still until it is set.
type heldClock struct{ now time.Time }

func (c *heldClock) Now() time.Time { return c.now }

// start is a multiple of the interval, so a window begins at the left end of
// the picture.
var start = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// observe lets an algorithm decide on all requests of all clients.
func observe(a ratelimit.BuiltIn) ([]lane, error) {
	var lanes []lane
	for _, c := range clients() {
		l, err := ask(a, c)
		if err != nil {
			return nil, err
		}
		lanes = append(lanes, l)
	}
	return lanes, nil
}

// ask sends the requests of one client, who has the counter alone.
func ask(a ratelimit.BuiltIn, c client) (lane, error) {
	clock := &heldClock{}
	policy := ratelimit.Policy{Name: "picture", Algorithm: a, Limit: limit, Interval: interval, Key: ratelimit.Endpoint}
	limiter, err := ratelimit.NewLimiter(policy, ratelimit.Options{Clock: clock})
	if err != nil {
		return lane{}, err
	}
	l := lane{client: c}
	for _, at := range c.at {
		clock.now = start.Add(at)
		results, err := limiter.Consume(context.Background(), &ratelimit.Context{}, 1, nil)
		if err != nil {
			return lane{}, err
		}
		l.accepted = append(l.accepted, results[0].Accepted)
	}
	return l, nil
}

// admitted counts the accepted requests in the time from, to, without to.
func (l lane) admitted(from, to time.Duration) (n int) {
	for i, at := range l.at {
		if from <= at && at < to && l.accepted[i] {
			n++
		}
	}
	return n
}

// busiest finds the interval in which most requests were accepted, the first of
// them when there are several.
func (l lane) busiest() (from time.Duration, most int) {
	for i, at := range l.at {
		if n := l.admitted(at, at+interval); l.accepted[i] && n > most {
			from, most = at, n
		}
	}
	return from, most
}
