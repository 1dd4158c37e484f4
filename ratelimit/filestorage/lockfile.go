package filestorage

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// errBusy is what tryLock says of a lock that somebody else has.
var errBusy = errors.New("the lock is busy")

// lock tries to lock the file of a slot, whose turn the caller has. It returns
// false when somebody else has the lock, and true when the caller may go on: with
// the lock, or without one, after a warning, where there can be none.
func (s *Storage) lock(ctx context.Context, slot *slot) bool {
	for range 3 {
		if err := s.openLock(slot); err != nil {
			s.withoutLock(ctx, slot, err)
			return true
		}
		err := s.system.tryLock(slot.file)
		if err != nil && !errors.Is(err, errBusy) {
			s.withoutLock(ctx, slot, err)
			return true
		}
		// Whoever opens the path now must meet the file that is locked here.
		if info, gone := os.Lstat(slot.path); gone == nil && os.SameFile(info, slot.info) {
			if err != nil {
				slot.courtesy.meet()
			}
			slot.locked = err == nil
			return slot.locked
		}
		slot.closeFile()
	}
	return false // somebody replaces the file all the time: look again later
}

func (s *Storage) withoutLock(ctx context.Context, slot *slot, err error) {
	s.noLock.warn(ctx, "rate limits are counted without a file lock, not exact between processes",
		slog.String("file", slot.path), slog.Any("err", err))
}

// openLock opens the lock file of a slot unless it is open.
func (s *Storage) openLock(slot *slot) error {
	if slot.file != nil {
		return nil
	}
	f, err := s.openOrCreate(slot.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.makeLockDir(); err == nil {
			f, err = s.openOrCreate(slot.path)
		}
	}
	if err != nil {
		return err
	}
	info, err := s.accept(f)
	if err != nil {
		_ = f.Close()
		return err
	}
	slot.file, slot.info = f, info
	return nil
}

// openOrCreate falls back to reading, which is enough to lock: the file of
// another user can mostly not be written.
func (s *Storage) openOrCreate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openSafely, s.fileMode()) //nolint:gosec // the name is a number
	if errors.Is(err, fs.ErrPermission) {
		if readOnly, err := os.OpenFile(path, os.O_RDONLY|openSafely, 0); err == nil { //nolint:gosec // as above
			return readOnly, nil
		}
	}
	return f, err
}

func (s *Storage) makeLockDir() error {
	if filepath.Dir(s.lockDir) == s.dir {
		return s.makeFolder(s.lockDir)
	}
	return os.MkdirAll(s.lockDir, 0o777) //nolint:gosec // the umask decides, as for all files of the program
}

// closeFile closes the lock file, which ends its lock.
func (slot *slot) closeFile() {
	_ = slot.file.Close() // nothing was written to it
	slot.file, slot.info = nil, nil
}
