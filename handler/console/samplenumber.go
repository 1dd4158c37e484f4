package console

import (
	"encoding/json"
	"math"
	"strconv"
)

// numeric is the number next to zero.
func (n *node) numeric() (json.RawMessage, bool) {
	low, high := math.Inf(-1), math.Inf(1)
	for keyword, sign := range map[string]float64{"minimum": 1, "exclusiveMinimum": 1, "maximum": -1, "exclusiveMaximum": -1} {
		bound, ok := n.number(keyword)
		if !ok {
			continue
		}
		if n.isExclusive(keyword) {
			bound += sign * n.grain()
		}
		if sign > 0 {
			low = max(low, bound)
		} else {
			high = min(high, bound)
		}
	}
	value := min(max(0, low), high)
	step, stepped := n.number("multipleOf")
	if n.kind() == "integer" && (!stepped || step < 1) {
		step, stepped = 1, true
	}
	if stepped && step > 0 {
		if value > 0 {
			value = math.Ceil(value/step) * step
		} else {
			value = math.Floor(value/step) * step
		}
	}
	return written64(value), !math.IsInf(value, 0) && !math.IsNaN(value)
}

// isExclusive reports whether a bound is no value itself. In draft 4 another keyword
// says so.
func (n *node) isExclusive(keyword string) bool {
	of := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[keyword]
	return of == "" || string(n.keywords[of]) == "true"
}

// grain is how far behind an exclusive bound a value is.
func (n *node) grain() float64 {
	if step, ok := n.number("multipleOf"); ok && step > 0 {
		return step
	}
	if n.kind() == "integer" {
		return 1
	}
	from, hasFrom := n.number("exclusiveMinimum")
	to, hasTo := n.number("exclusiveMaximum")
	if width := to - from; hasFrom && hasTo && width > 0 && width <= 1 {
		return width / 2
	}
	return 0.5
}

func written64(number float64) json.RawMessage {
	return json.RawMessage(strconv.FormatFloat(number, 'f', -1, 64))
}
