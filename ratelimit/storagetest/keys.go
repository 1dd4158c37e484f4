package storagetest

import (
	"strings"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// keys are names that have to be told apart by a storage that joins, escapes,
// cuts, folds or matches them. The longest ones make names of 512 bytes.
func keys() []string {
	longest := 512 - len(ratelimit.CounterName(nil, ratelimit.SlidingWindow, ratelimit.Take{Interval: day.Microseconds()}))
	long := strings.Repeat("x", longest-1)
	all := []string{
		"", " ", ":", "::", "policy", "policy:", "policy:a", "policy:a:", "policy:a:b", "policy::a", "olicy:a",
		"policy:a:fixedWindow", "policy:a:fixedWindow:86400", "policy:a:fixedWindow:86400:fixedWindow:86400",
		"policy:A", "POLICY:a", "policy:a ", " policy:a", "policy:a\t", "policy:a\n", "policy:a\r\n", "\npolicy:a",
		"policy:a|b", "policy:{a}", "policy:{a}b", "{policy:a}", "{}", "}{", "policy:*", "policy:?", "policy:[ab]", "*", "?",
		"policy:a\x00", "policy:a\x00b", "policy:\x00a", "\x00", "\x00\x00",
		"policy:\xff", "policy:\xfe", "policy:\xff\xff", "policy:\xc3", "policy:\xc3\xa9", "policy:e\xcc\x81", "policy:\xef\xbf\xbd",
		"policy:.", "policy:..", "../policy:a", "/", "//", "policy/a", "policy\\a", "policy:%00", "policy:%61", "policy:a%", "policy:_",
		"policy:'", "policy:\"", "policy:`", "policy:;", "policy:--", "policy:$1", "policy:\\0", "nil", "null", "0", "00",
		long + "y", long + "z", "y" + long, "z" + long, long,
	}
	for b := range 256 {
		all = append(all, "policy:byte:"+string([]byte{byte(b)}))
	}
	return all
}

// anyKeys charges every key by another cost and then looks what each was
// charged.
func anyKeys(p *play) {
	p.t.Helper()
	p.startAt(p.starts[0], day.Microseconds())
	for _, a := range builtIns() {
		for i, key := range keys() {
			p.ask(request{key, a, p.slowly(int64(i) + 1)})
		}
		for _, key := range keys() {
			p.ask(request{key, a, p.slowly(0)})
		}
	}
}
