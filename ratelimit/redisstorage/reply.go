package redisstorage

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// appendRequest packs one item as the scripts read it: the number of its step and
// four doubles, which hold every number of a Take exactly.
func appendRequest(buf []byte, step byte, t ratelimit.Take) []byte {
	buf = append(buf, step)
	for _, n := range [...]int64{t.Limit, t.Cost, t.Interval, t.Now} {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(float64(n)))
	}
	return buf
}

// perDecision is how many values a decision has in a reply.
const perDecision = 4

// appendDecisions reads a reply: four integers for each decision and, behind them,
// the error of the step that has failed. The error belongs to the next item.
func appendDecisions(dst []ratelimit.Decision, reply any, items []ratelimit.Item) ([]ratelimit.Decision, error) {
	values, ok := reply.([]any)
	if !ok {
		return dst, ratelimit.Bug(fmt.Errorf("a reply of type %T instead of a list", reply))
	}
	for i := range items {
		if len(values) == 0 && i > 0 {
			return dst, ratelimit.Bug(fmt.Errorf("algorithm %s: a reply with %d of %d decisions", items[i].Algorithm.Name(), i, len(items)))
		}
		d, err := decision(values)
		if err != nil {
			return dst, fmt.Errorf("algorithm %s: %w", items[i].Algorithm.Name(), err)
		}
		dst, values = append(dst, d), values[perDecision:]
		if !d.Accepted {
			break
		}
	}
	if len(values) > 0 {
		return dst, ratelimit.Bug(fmt.Errorf("a reply with %d values too many", len(values)))
	}
	return dst, nil
}

func decision(values []any) (d ratelimit.Decision, err error) {
	if len(values) == 1 {
		if failure := text(values[0]); failure != "" {
			return d, replyError(failure)
		}
	}
	var n [perDecision]int64
	for i := range n {
		if i >= len(values) {
			return d, ratelimit.Bug(fmt.Errorf("a reply of %d values instead of four integers", len(values)))
		}
		if n[i], err = integer(values[i]); err != nil {
			return d, ratelimit.Bug(err)
		}
	}
	d = ratelimit.Decision{Accepted: n[0] == 1, Remaining: n[1], ResetAfter: n[2], RetryAfter: n[3]}
	switch {
	case n[0] != 0 && n[0] != 1:
		return d, ratelimit.Bug(fmt.Errorf("accepted is %d instead of 0 or 1", n[0]))
	case d.Remaining < 0 || d.ResetAfter < 0 || d.Accepted != (d.RetryAfter == ratelimit.NoRetryMicros) || d.RetryAfter < ratelimit.NeverMicros:
		return d, ratelimit.Bug(fmt.Errorf("the reply %v is no decision", n))
	}
	return d, nil
}

// integer takes what clients make of an integer of Redis.
func integer(v any) (int64, error) {
	switch v := v.(type) {
	case int64: // what go-redis returns
		return v, nil
	case error:
		return 0, v
	}
	switch r := reflect.ValueOf(v); {
	case r.IsValid() && r.CanInt():
		return r.Int(), nil
	case r.IsValid() && r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint()), nil
	}
	n, err := strconv.ParseInt(text(v), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("a reply with %T %q instead of an integer", v, fmt.Sprint(v))
	}
	return n, nil
}

// text is the text of an error in a reply or of a string, "" for anything else.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case error:
		return v.Error()
	}
	return ""
}
