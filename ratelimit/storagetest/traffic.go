package storagetest

import (
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// traffic is a client that asks at a steady pace, and how often it gets through.
type traffic struct {
	name      string
	algorithm ratelimit.Algorithm
	limit     int64
	interval  time.Duration
	every     time.Duration
	requests  int
	accepted  int
}

// traffics are paces at which limiters have been seen to starve their clients,
// or to let too many through. The lifetimes are shorter than what a test on a
// slow machine may take, so they go by the time of the requests.
func traffics() []traffic {
	return []traffic{
		{"fixed window/requests do not prolong a window", ratelimit.FixedWindow, 10, 2 * sec, 500 * ms, 40, 40},
		{"fixed window/large limits", ratelimit.FixedWindow, 65_535, sec, 100 * ms, 20, 20},
		{"fixed window/twice its rate", ratelimit.FixedWindow, 10, 10 * sec, 500 * ms, 100, 50},
		{"sliding window/twice its rate", ratelimit.SlidingWindow, 10, 10 * sec, 500 * ms, 100, 46},
		{"sliding window/its rate", ratelimit.SlidingWindow, 10, 10 * sec, sec, 100, 91},
		{"token bucket/faster than one token", ratelimit.TokenBucket, 10, 10 * sec, 600 * ms, 101, 70},
		{"token bucket/faster than its interval", ratelimit.TokenBucket, 3, sec, 100 * ms, 31, 12},
		{"token bucket/large limits", ratelimit.TokenBucket, 65_535, sec, 100 * ms, 20, 20},
		{"minimum gap/faster than one in a gap", minimumGap{}, 60, minute, 300 * ms, 101, 26},
	}
}

func trafficScenarios() (all []scenario) {
	for _, traffic := range traffics() {
		all = append(all, scenario{"traffic/" + traffic.name, requestClock, traffic.play})
	}
	return append(all, scenario{"traffic/token bucket/two clocks in turn", requestClock, clocksInTurn})
}

func (traffic traffic) play(p *play) {
	p.t.Helper()
	got := 0
	for i := range traffic.requests {
		take := ratelimit.Take{
			Limit: traffic.limit, Interval: traffic.interval.Microseconds(), Cost: 1,
			Now: p.at(time.Duration(i) * traffic.every),
		}
		if d, _ := p.ask(request{"policy:key", traffic.algorithm, take}); d.Accepted {
			got++
		}
	}
	if got != traffic.accepted {
		p.t.Fatalf("%d of %d requests were accepted, not %d", got, traffic.requests, traffic.accepted)
	}
}

// clocksInTurn is what two servers ask whose clocks are ten seconds apart. A
// bucket that lets its time go back is refilled with every turn.
func clocksInTurn(p *play) {
	p.t.Helper()
	got := 0
	for i := range 1000 {
		take := ratelimit.Take{Limit: 5, Interval: (5 * sec).Microseconds(), Cost: 1, Now: p.at(10 * sec * time.Duration((i+1)%2))}
		if d, _ := p.ask(request{"policy:key", ratelimit.TokenBucket, take}); d.Accepted {
			got++
		}
	}
	if got != 5 {
		p.t.Fatalf("%d of 1000 requests were accepted, not 5: clocks 10s apart refill nothing", got)
	}
}
