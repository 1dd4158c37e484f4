package ratelimit_test

import (
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// BenchmarkOneDecisionInMemory is what a limit costs a request: alone, and in
// the gate of an endpoint.
func BenchmarkOneDecisionInMemory(b *testing.B) {
	policy := ratelimit.Policy{Name: "perIp", Limit: ratelimit.MaxLimit, Interval: time.Minute}
	alone, err := ratelimit.NewLimiter(policy, ratelimit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	set, err := ratelimit.NewSet([]ratelimit.Policy{policy}, ratelimit.Options{})
	if err != nil {
		b.Fatal(err)
	}
	plan, err := set.Plan(usersTarget, ratelimit.Named("perIp"))
	if err != nil {
		b.Fatal(err)
	}
	for name, l := range map[string]ratelimit.Limiter{"alone": alone, "plan": plan} {
		b.Run(name, func(b *testing.B) {
			rc, room := from("192.0.2.1"), make([]ratelimit.Result, 0, 1)
			rc.Now = noon
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Consume(b.Context(), rc, 1, room); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
