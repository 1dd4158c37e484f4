package apitest

import (
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/internal/ratefield"
	"github.com/sallyport-go/sallyport/internal/sfv"
)

// Limit is what an answer says about one policy in RateLimit-Policy and RateLimit.
// Times beyond what a Duration can hold are the longest one.
type Limit struct {
	Policy    string
	Quota     int64         // q
	Window    time.Duration // w; 0: it is not told
	Remaining int64         // r
	Reset     time.Duration // t; 0: it is not told
}

// Limits reads what an answer says about limits, in its order. Fields that break
// the draft's syntax fail the test.
func Limits(t testing.TB, h http.Header) []Limit {
	t.Helper()
	policies, err := ratefield.ParsePolicies(h.Values("RateLimit-Policy"))
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	members, err := ratefield.ParseLimits(h.Values("RateLimit"))
	if err != nil {
		t.Fatalf("apitest: %v", err)
	}
	limits := make([]Limit, len(policies))
	for i, p := range policies {
		limits[i] = Limit{Policy: p.Name, Quota: integer(p, "q"), Window: seconds(p, "w")}
		if j := slices.IndexFunc(members, func(m ratefield.Member) bool { return m.Name == p.Name }); j >= 0 {
			limits[i].Remaining, limits[i].Reset = integer(members[j], "r"), seconds(members[j], "t")
		}
	}
	return limits
}

func integer(m ratefield.Member, parameter string) int64 {
	n, _ := m.Params.Get(parameter).(sfv.Integer)
	return int64(n)
}

func seconds(m ratefield.Member, parameter string) time.Duration {
	return duration(integer(m, parameter))
}

// duration is the longest one for more seconds than it can hold.
func duration(seconds int64) time.Duration {
	if seconds > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds) * time.Second
}
