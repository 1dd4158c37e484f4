package console

import (
	"strings"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// policyData is a limit as the form shows it and the gauges find it by its name.
type policyData struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Key       string `json:"key"`
	Limit     string `json:"-"` // "100 in 1m"
	Notes     string `json:"-"`
}

func policies(infos []ratelimit.PolicyInfo) []policyData {
	all := []policyData{} // for the page null is no list
	for _, p := range infos {
		d := policyData{Name: p.Name, Algorithm: words(p.Algorithm), Key: keyText(p.Keys)}
		var notes []string
		if p.PerCaller {
			notes = append(notes, "callers may have a limit of their own")
		}
		if p.Closed {
			notes = append(notes, "refuses while its storage is away")
		}
		d.Notes = strings.Join(notes, ", ")
		if p.Limit > 0 && p.Interval > 0 {
			d.Limit = limitText(p)
		}
		all = append(all, d)
	}
	return all
}

// words is a name such as "sliding-window" or "slidingWindow" in words.
func words(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '-' || r == '_':
			b.WriteByte(' ')
		case 'A' <= r && r <= 'Z' && b.Len() > 0:
			b.WriteByte(' ')
			b.WriteRune(r - 'A' + 'a')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// keyText says who shares a counter.
func keyText(keys []string) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		switch k {
		case "ip":
			k = "address"
		case "identity":
			k = "caller"
		case "custom":
			k = "key of its own"
		}
		texts[i] = k
	}
	if len(texts) == 0 {
		return ""
	}
	return "per " + strings.Join(texts, " and ")
}
