package sallyport

import (
	"strconv"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

var units = map[string]time.Duration{
	"millisecond": time.Millisecond,
	"second":      time.Second,
	"minute":      time.Minute,
	"hour":        time.Hour,
	"day":         24 * time.Hour,
	"week":        7 * 24 * time.Hour,
}

// interval reads a time from a second to 366 days.
func (r *fileReader) interval(v value) time.Duration {
	return r.duration(v, time.Second, ratelimit.MaxInterval, `write seconds or a count with a unit, second to week, such as "15 minutes": 1 second to 366 days`)
}

// maxBudget is far beyond what a client waits for.
const maxBudget = time.Minute

// shortInterval reads a time that may be shorter than a second.
func (r *fileReader) shortInterval(v value) time.Duration {
	return r.duration(v, time.Millisecond, maxBudget, `write seconds or a count with a unit, millisecond to minute, such as "50 milliseconds": up to 1 minute`)
}

func (r *fileReader) duration(v value, shortest, longest time.Duration, want string) time.Duration {
	if v.isText() || v.Tag == "!!int" {
		if d, ok := parseDuration(v.Value, shortest); ok && d <= longest {
			return d
		}
	}
	r.fault(v, "%s: %s", v, want)
	return 0
}

// parseDuration parses "90", which is seconds, "1 minute" and "15 minutes". No
// unit is shorter than shortest.
func parseDuration(text string, shortest time.Duration) (d time.Duration, ok bool) {
	count, name, found := strings.Cut(text, " ")
	if !found {
		name = "second"
	}
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != count {
		return 0, false
	}
	unit, known := units[strings.TrimSuffix(name, "s")]
	if !known || unit < shortest || n < 1 || n > int64(ratelimit.MaxInterval/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
