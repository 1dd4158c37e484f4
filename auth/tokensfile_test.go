package auth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func hexOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// liveFile is a token file with a clock that a test moves.
type liveFile struct {
	t      *testing.T
	path   string
	log    bytes.Buffer
	clock  time.Time
	tokens *tokensFile
}

func newLiveFile(t *testing.T, content string) *liveFile {
	t.Helper()
	f := &liveFile{t: t, path: filepath.Join(t.TempDir(), "tokens.json")}
	f.write(content)
	f.tokens = TokensFile(f.path, slog.New(slog.NewTextHandler(&f.log, nil))).(*tokensFile)
	f.clock = f.tokens.looked
	f.tokens.now = func() time.Time { return f.clock }
	return f
}

// write puts a new file in place, as the documentation asks for.
func (f *liveFile) write(content string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(f.path+".new", []byte(content), 0o600))
	require.NoError(f.t, os.Rename(f.path+".new", f.path))
}

func (f *liveFile) pass(d time.Duration) { f.clock = f.clock.Add(d) }

func (f *liveFile) has(token string) bool {
	f.t.Helper()
	_, ok, err := f.tokens.Lookup(f.t.Context(), token)
	require.NoError(f.t, err)
	return ok
}

// warnings are those since the last call.
func (f *liveFile) warnings() int {
	defer f.log.Reset()
	return strings.Count(f.log.String(), "level=WARN")
}

func TestATokenFileKnowsItsTokens(t *testing.T) {
	f := newLiveFile(t, `[
		{"token": "my-token", "ips": "10.0.0.0/8"},
		{"token": "sha256:`+strings.ToUpper(hexOf("hashed"))+`", "ips": "*", "id": "ada", "scopes": ["reports:read"], "active": true},
		{"token": "gone", "ips": "*", "active": false}
	]`)
	require.NoError(t, f.tokens.Validate())
	ten, err := ParseIPRestriction("10.0.0.0/8")
	require.NoError(t, err)
	tests := []struct {
		name, token string
		want        Token
		ok          bool
	}{
		{"plain", "my-token", Token{IPs: ten}, true},
		{"by its digest", "hashed", Token{ID: "ada", IPs: AnyIP(), Scopes: []string{"reports:read"}}, true},
		{"inactive", "gone", Token{}, false},
		{"unknown", "other", Token{}, false},
		{"the digest itself", hexOf("hashed"), Token{}, false},
		{"the text of the file", "sha256:" + hexOf("hashed"), Token{}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			token, ok, err := f.tokens.Lookup(t.Context(), test.token)
			require.NoError(t, err)
			require.Equal(t, test.want, token)
			require.Equal(t, test.ok, ok)
		})
	}
	require.Zero(t, f.warnings())
}

func TestATokenFileThatCannotBeRead(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing.json")} {
		tokens := TokensFile(path, nil)
		require.ErrorContains(t, tokens.(*tokensFile).Validate(), "auth: read the token file: ")
		_, ok, err := tokens.Lookup(t.Context(), "x")
		require.ErrorContains(t, err, path)
		require.False(t, ok)
	}
}

func TestAChangedTokenFileIsReadAtMostOnceASecond(t *testing.T) {
	f := newLiveFile(t, `[{"token": "old", "ips": "*"}]`)
	f.write(`[{"token": "new", "ips": "*"}]`)
	require.True(t, f.has("old"))
	f.pass(999 * time.Millisecond)
	require.True(t, f.has("old"))
	f.pass(time.Millisecond)
	require.False(t, f.has("old"))
	require.True(t, f.has("new"))
	require.Zero(t, f.warnings())
}

func TestABrokenTokenFileKeepsTheTokens(t *testing.T) {
	f := newLiveFile(t, `[{"token": "old", "ips": "*"}]`)
	steps := []struct {
		name     string
		change   func()
		token    string // that is known then
		warnings int
	}{
		{"broken", func() { f.write(`[{"token": "new"`) }, "old", 1},
		{"still broken", func() {}, "old", 0},
		{"broken in another way", func() { f.write(`[{"token": "new"}]`) }, "old", 1},
		{"touched", func() { require.NoError(t, os.Chtimes(f.path, f.clock, f.clock)) }, "old", 0},
		{"gone", func() { require.NoError(t, os.Remove(f.path)) }, "old", 1},
		{"still gone", func() {}, "old", 0},
		{"repaired", func() { f.write(`[{"token": "new", "ips": "*"}]`) }, "new", 0},
		{"gone again", func() { require.NoError(t, os.Remove(f.path)) }, "new", 1},
	}
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			step.change()
			f.pass(time.Second)
			require.True(t, f.has(step.token))
			require.True(t, f.has(step.token))
			require.NotContains(t, f.log.String(), "token=")
			require.Equal(t, step.warnings, f.warnings())
		})
	}
}

func TestATokenFileThatIsBrokenAtStartMayBeRepaired(t *testing.T) {
	f := newLiveFile(t, "[")
	require.Error(t, f.tokens.Validate())
	f.write(`[{"token": "new", "ips": "*"}]`)
	f.pass(time.Second)
	require.True(t, f.has("new"))
}

// Two changes within the granularity of a file's time look alike.
func TestAChangeThatTheFileTimeDoesNotShow(t *testing.T) {
	f := newLiveFile(t, `[{"token": "old", "ips": "*"}]`)
	set := func(content string, at time.Time) {
		require.NoError(t, os.WriteFile(f.path, []byte(content), 0o600))
		require.NoError(t, os.Chtimes(f.path, at, at))
	}
	at := f.clock
	set(`[{"token": "abc", "ips": "*"}]`, at)
	f.pass(time.Second)
	require.True(t, f.has("abc"))
	set(`[{"token": "new", "ips": "*"}]`, at)
	f.pass(time.Second)
	require.True(t, f.has("new"))
}

// A file that has not changed for a while is not read again.
func TestATokenFileThatStaysIsNotRead(t *testing.T) {
	f := newLiveFile(t, `[{"token": "old", "ips": "*"}]`)
	f.pass(time.Minute)
	require.True(t, f.has("old"))
	info, err := os.Stat(f.path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(f.path, []byte(`[{"token": "new", "ips": "*"}]`), 0o600))
	require.NoError(t, os.Chtimes(f.path, info.ModTime(), info.ModTime()))
	f.pass(time.Minute)
	require.True(t, f.has("old"), "same file, size and time")
}

func TestATokenFileForEverybodyIsWarnedOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // the modes of files say nothing there
	}
	f := newLiveFile(t, `[]`)
	require.Zero(t, f.warnings())
	for mode, warnings := range map[os.FileMode]int{0o644: 1, 0o602: 1, 0o640: 0, 0o600: 0} {
		f.write(`["` + mode.String() + `"]`) // which is broken
		f.pass(time.Second)
		require.False(t, f.has("x"))
		f.warnings()
		require.NoError(t, os.WriteFile(f.path, []byte(`[]`), 0o600))
		require.NoError(t, os.Chmod(f.path, mode))
		f.pass(time.Second)
		require.False(t, f.has("x"))
		require.Equal(t, warnings, f.warnings(), mode)
	}
}

// Whoever looks up while the file is replaced sees the old tokens or the new.
func TestATokenFileIsReplacedWhileItIsUsed(t *testing.T) {
	f := newLiveFile(t, `[{"token": "a", "ips": "*"}, {"token": "b", "ips": "*"}]`)
	var mu sync.Mutex
	now := f.clock
	f.clock = f.tokens.looked
	f.tokens.now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if _, ok, err := f.tokens.Lookup(context.Background(), "a"); !ok || err != nil {
					t.Errorf("a: %t, %v", ok, err)
				}
			}
		})
	}
	for range 50 {
		f.write(`[{"token": "a", "ips": "*"}]`)
		f.write(`[{"token": "a", "ips": "*"}, {"token": "b", "ips": "*"}]`)
	}
	wg.Wait()
}
