package filestorage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// sweep is how far the removal of expired files has come in the folders of a
// slot. It goes round and round.
type sweep struct {
	round  int      // the folder is that of the slot with this number, 0 to 3
	folder *os.File // open while there is more in it than names; nil: done with
	names  []string // that are still to be looked at
}

const (
	sweepFiles = 2   // that one request looks at
	sweepNames = 256 // that are read at once
	sweepAfter = time.Minute
)

// sweep looks at a few files of a slot, whose lock the caller has, and removes
// what has expired. What cannot be removed can stay: the next request that needs
// the directory finds out why.
func (s *Storage) sweep(slot *slot, now int64) {
	w := &slot.sweep
	if len(w.names) == 0 {
		s.nextNames(slot)
	}
	for range min(sweepFiles, len(w.names)) {
		path := filepath.Join(s.folder(slot.number+w.round*slots), w.names[0])
		w.names = w.names[1:]
		if s.garbage(path, now) {
			_ = os.Remove(path)
		}
	}
}

// nextNames reads on in the folder, or in the next one.
func (s *Storage) nextNames(slot *slot) {
	w := &slot.sweep
	if w.folder == nil {
		w.round = (w.round + 1) % (folders / slots)
		f, err := os.Open(s.folder(slot.number + w.round*slots))
		if err != nil {
			return // it may not have been made yet
		}
		w.folder = f
	}
	names, err := w.folder.Readdirnames(sweepNames)
	w.names = names
	if err != nil || len(names) < sweepNames {
		_ = w.folder.Close() // it was only read
		w.folder = nil
	}
}

// garbage tells that nobody needs a file any more. A broken one is left to the
// request that finds it. Who has written half a file was killed, or writes
// without the lock and is going to be done in a moment.
func (s *Storage) garbage(path string, now int64) bool {
	if strings.HasSuffix(path, temporary) {
		info, err := os.Lstat(path)
		return err == nil && s.system.now().Sub(info.ModTime()) > sweepAfter
	}
	found, err := s.read(path)
	return err == nil && found.expires <= now
}

// Clear removes all counters, those of other processes that share the directory
// included. Of a request at the same time, it is open which comes first. It
// stops with an error when ctx ends, a lock stays busy or a file cannot be
// removed; what it has removed until then stays so.
func (s *Storage) Clear(ctx context.Context) error {
	if err := s.checkDir(); err != nil {
		return unavailable(err)
	}
	for i := range s.slots {
		if err := s.clear(ctx, &s.slots[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Storage) clear(ctx context.Context, slot *slot) error {
	if err := s.acquire(ctx, slot); err != nil {
		return err
	}
	defer s.release(slot)
	for number := slot.number; number < folders; number += slots {
		if err := s.empty(ctx, s.folder(number)); err != nil {
			return err
		}
	}
	return nil
}

// empty removes the files of a folder. It reads all names first, since a folder
// that changes while it is read may not show all of them.
func (s *Storage) empty(ctx context.Context, folder string) error {
	f, err := os.Open(folder) //nolint:gosec // one of 256 names
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	names, err := f.Readdirnames(-1)
	_ = f.Close() // it was only read
	if err != nil {
		return unavailable(err)
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(fmt.Errorf("clear: %w", err))
		}
	}
	return nil
}
