//go:build unix

package filestorage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// BenchmarkConsume counts the decisions of processes that share a directory,
// beside the bare steps that they consist of. A file system has most of the time:
// TMPDIR chooses it.
func BenchmarkConsume(b *testing.B) {
	for _, keys := range []int{1, 10_000} {
		for _, processes := range []int{1, 8} {
			for _, bare := range []bool{false, true} {
				b.Run(fmt.Sprintf("keys=%d/processes=%d/bare=%t", keys, processes, bare), func(b *testing.B) {
					j := job{
						Dir: b.TempDir(), Limit: ratelimit.MaxLimit, Now: now,
						Goroutines: 1, Each: (b.N + processes - 1) / processes, Keys: keys, Quiet: true, Bare: bare,
					}
					children := startAll(b, slices.Repeat([]job{j}, processes)...)
					b.ResetTimer()
					o := gather(b, children)
					b.StopTimer()
					require.Equal(b, outcome{Accepted: processes * j.Each}, o)
					b.ReportMetric(float64(o.Accepted)/b.Elapsed().Seconds(), "decisions/s")
				})
			}
		}
	}
}

// bare locks, reads, writes, renames and unlocks, and decides nothing. It has 64
// locks, too, and waits in the kernel.
func (j job) bare() func(i int) (ratelimit.Decision, error) {
	locks := map[string]*os.File{}
	content := make([]byte, 44)
	return func(i int) (d ratelimit.Decision, err error) {
		path := filepath.Join(j.Dir, string(j.key(i)))
		slot := fmt.Sprint("lock", i%j.Keys%64)
		lock := locks[slot]
		if lock == nil {
			if lock, err = os.OpenFile(filepath.Join(j.Dir, slot), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
				return d, err
			}
			locks[slot] = lock
		}
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
			return d, err
		}
		if _, err = os.ReadFile(path); err != nil && !os.IsNotExist(err) {
			return d, err
		}
		if err = os.WriteFile(path+".tmp", content, 0o600); err != nil {
			return d, err
		}
		if err = os.Rename(path+".tmp", path); err != nil {
			return d, err
		}
		return ratelimit.Decision{Accepted: true}, syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	}
}
