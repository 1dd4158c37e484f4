package ratelimit_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"time"

	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// byHour asks one of two limiters, which also know at which gate they answer.
type byHour struct{ day, night ratelimit.Limiter }

// Consume lets the limiter of the hour decide.
func (l byHour) Consume(ctx context.Context, rc *ratelimit.Context, cost int64, dst []ratelimit.Result) ([]ratelimit.Result, error) {
	if hour := rc.Now.UTC().Hour(); hour >= 6 && hour < 22 {
		return l.day.Consume(ctx, rc, cost, dst)
	}
	return l.night.Consume(ctx, rc, cost, dst)
}

// At night, exports are not limited as strictly. An endpoint takes such a limiter
// by Use, or by the name of a Policy with a Limiter.
func ExampleLimiter() {
	day, err := ratelimit.NewTokenBucket("day", 10, time.Hour, ratelimit.IP, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	night, err := ratelimit.NewTokenBucket("night", 1000, time.Hour, ratelimit.IP, ratelimit.Options{})
	if err != nil {
		log.Fatal(err)
	}
	exports := byHour{day, night}
	for _, hour := range []int{12, 23} {
		rc := &ratelimit.Context{
			Now:      time.Date(2026, time.November, 30, hour, 0, 0, 0, time.UTC),
			Request:  httptest.NewRequest("GET", "/", nil),
			Detector: ipdetector.RemoteAddr{},
		}
		results, err := exports.Consume(context.Background(), rc, 1, nil)
		fmt.Println(ratelimit.PolicyField(results), err)
	}
	// Output:
	// "day";q=10;w=3600 <nil>
	// "night";q=1000;w=3600 <nil>
}
