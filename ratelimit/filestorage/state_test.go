package filestorage

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
)

func FuzzDecode(f *testing.F) {
	f.Add(stored{ratelimit.State{1, 2, 3}, 4}.encode())
	f.Add(stored{ratelimit.State{math.MinInt64, -1, math.MaxInt64}, math.MaxInt64}.encode())
	f.Add([]byte(magic))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decode(b)
		if err != nil {
			require.Equal(t, stored{}, s)
			return
		}
		require.Equal(t, b, s.encode(), "a state has one form")
	})
}

// Whatever single byte has changed, and wherever a file ends, it is noticed.
func TestDecodeNoticesEveryChange(t *testing.T) {
	whole := stored{ratelimit.State{1, 2, 3}, 4}
	b := whole.encode()
	got, err := decode(b)
	require.NoError(t, err)
	require.Equal(t, whole, got)
	for i := range b {
		_, err := decode(b[:i])
		require.ErrorIs(t, err, errBroken)
		for bit := range 8 {
			changed := append([]byte(nil), b...)
			changed[i] ^= 1 << bit
			_, err := decode(changed)
			require.ErrorIs(t, err, errBroken)
		}
	}
	_, err = decode(append(b, 0))
	require.ErrorIs(t, err, errBroken)
}

// AMB-30
func TestBrokenState(t *testing.T) {
	whole := stored{ratelimit.State{noon.UnixMicro(), 5}, math.MaxInt64}.encode()
	for name, content := range map[string][]byte{
		"empty":           {},
		"half":            whole[:20],
		"longer":          append(whole[:len(whole):len(whole)], "more"...),
		"another version": append([]byte("sprl\x00\x00\x00\x02"), whole[len(magic):]...),
		"a wrong sum":     append(whole[:len(whole)-1:len(whole)-1], whole[len(whole)-1]+1),
		"something else":  []byte("<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			s, log := logged(t.TempDir(), Options{})
			c := fileOf(s)
			ask(t, s, "policy:key")
			require.NoError(t, os.WriteFile(c.file, content, 0o600))
			require.EqualValues(t, 9, ask(t, s, "policy:key"))
			require.Contains(t, log.String(), "level=WARN")
			require.Contains(t, log.String(), "cannot be read and starts afresh")
			require.Contains(t, log.String(), filepath.Base(c.file))
			require.EqualValues(t, 8, ask(t, s, "policy:key"), "it was overwritten")
		})
	}
}

func TestEnd(t *testing.T) {
	require.EqualValues(t, 7, end(3, 4))
	require.EqualValues(t, math.MaxInt64, end(3, math.MaxInt64))
}
