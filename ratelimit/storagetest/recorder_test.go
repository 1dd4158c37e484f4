package storagetest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// recorder is a test that may fail without failing the test around it.
type recorder struct {
	testing.TB
	failure string
}

func (*recorder) Helper() {}

func (r *recorder) Fatal(args ...any) {
	r.failure = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) { r.Fatal(fmt.Sprintf(format, args...)) }

func (r *recorder) play(s ratelimit.Storage, o Options, run func(*play)) {
	played := make(chan struct{})
	go func() {
		defer close(played)
		p := newPlay(r, s, o)
		p.patience = 3 * time.Second // only faulty storages use it up
		run(p)
	}()
	<-played
}

// findings plays the scenarios whose names begin so, and returns what they
// report, by name.
func findings(t *testing.T, open func() ratelimit.Storage, o Options, prefix string) map[string]string {
	t.Helper()
	o = o.withDefaults()
	found, played := map[string]string{}, 0
	for _, s := range scenarios(o) {
		if !strings.HasPrefix(s.name, prefix) {
			continue
		}
		played++
		r := &recorder{TB: t}
		r.play(open(), o, s.run)
		if r.failure != "" {
			found[s.name] = r.failure
		}
	}
	if played == 0 {
		t.Fatalf("there is no scenario %q", prefix)
	}
	return found
}
