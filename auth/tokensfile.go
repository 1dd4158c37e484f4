package auth

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// TokensFile is a repository of the tokens in a file, which is read again when it
// has changed. The file is JSON (RFC 8259), a list of objects:
//
//		[
//		  {"token": "my-token", "ips": "10.0.0.0/8"},
//		  {"token": "sha256:fece50d2...", "ips": "*", "id": "ada", "scopes": ["reports:read"], "active": false}
//		]
//
//	  - token is the token, or "sha256:" and its SHA-256 in hexadecimal, so that
//	    the file holds no secret: printf %s "$TOKEN" | sha256sum
//	  - ips is from where it may be used, as [ParseIPRestriction] reads it.
//	  - id, scopes and active may be left out: the ID and the Scopes of the
//	    [Token], and whether it is accepted, which it is.
//
// The file is looked at with a request, at most once a second, and one request
// reads it while the others go on with what was read before. A file that cannot
// be read or has mistakes changes nothing; it is logged as a warning, once for
// each change. So is a file that every user of the machine may read or write.
// Write the new file beside the old one and rename it.
//
// The warnings go to logger; nil is [slog.Default]. The file is read for the first
// time here. What is wrong with it then is reported when the presenter is built.
func TokensFile(path string, logger *slog.Logger) TokenRepository {
	f := &tokensFile{path: path, logger: logger, now: time.Now}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looked = f.now()
	f.atStart = f.loadLocked(context.Background())
	return f
}

type tokensFile struct {
	path    string
	logger  *slog.Logger
	now     func() time.Time
	atStart error
	table   atomic.Pointer[tokenTable] // nil: it was never read

	mu      sync.Mutex  // held while the file is looked at
	looked  time.Time   // when that was
	seen    os.FileInfo // of the file that was read
	readAt  time.Time   // when it was
	content digest      // of what was read
	warned  digest      // of the last mistake
}

const (
	lookEvery   = time.Second
	maxFile     = 64 << 20
	clockOfFile = 2 * time.Second // two changes within it may have one time (FAT)
)

func (f *tokensFile) Validate() error { return f.atStart }

func (f *tokensFile) Lookup(ctx context.Context, token string) (Token, bool, error) {
	f.look(ctx)
	table := f.table.Load()
	if table == nil {
		return Token{}, false, f.atStart
	}
	return table.Lookup(ctx, token)
}

// look loads the file when it is time and nobody else does.
func (f *tokensFile) look(ctx context.Context) {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()
	now := f.now()
	if since := now.Sub(f.looked); since >= 0 && since < lookEvery {
		return
	}
	f.looked = now
	if err := f.loadLocked(ctx); err != nil {
		if mistake := digestOf(err.Error()).with(f.content); !mistake.equal(f.warned) {
			f.warned = mistake
			f.warn(ctx, "the token file cannot be used, and the tokens read before stay", slog.Any("err", err))
		}
		return
	}
	f.warned = digest{}
}

// loadLocked reads the file if it may have changed.
func (f *tokensFile) loadLocked(ctx context.Context) error {
	info, err := os.Stat(f.path)
	if err == nil && f.unchangedLocked(info) {
		return nil
	}
	content, info, err := readFile(f.path)
	if err != nil {
		f.seen, f.content = nil, digest{}
		return fmt.Errorf("auth: read the token file: %w", err)
	}
	f.seen, f.readAt = info, f.now()
	read := digestOf(string(content))
	if read.equal(f.content) {
		return nil
	}
	f.content = read
	table, err := parseTokensFile(f.path, content)
	if err != nil {
		return err
	}
	f.table.Store(table)
	if info.Mode().Perm()&0o006 != 0 && runtime.GOOS != "windows" { // which has other rights
		f.warn(ctx, "every user of the machine may read or write the token file", slog.String("mode", info.Mode().String()))
	}
	return nil
}

// unchangedLocked takes a file that was read soon after its last change for
// changed, as the next change may not show in its time.
func (f *tokensFile) unchangedLocked(info os.FileInfo) bool {
	return f.seen != nil && os.SameFile(info, f.seen) && info.Size() == f.seen.Size() &&
		info.ModTime().Equal(f.seen.ModTime()) && f.readAt.Sub(f.seen.ModTime()) > clockOfFile
}

func (f *tokensFile) warn(ctx context.Context, message string, attrs ...slog.Attr) {
	safelog.Warn(ctx, f.logger, message, append(attrs, slog.String("file", f.path))...)
}

// readFile reads a regular file: one that never ends would hold up its reader.
func readFile(path string) (content []byte, info os.FileInfo, err error) {
	if info, err = os.Stat(path); err != nil { // a pipe is not even opened
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is no regular file", path)
	}
	file, err := os.Open(path) //nolint:gosec // the program names the file
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info, err = file.Stat(); err != nil {
		return nil, nil, err
	}
	content, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxFile)
	}
	return content, info, err
}
