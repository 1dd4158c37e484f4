package filestorage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// errBusy is what tryLock says of a lock that somebody else has.
var errBusy = errors.New("the lock is busy")

// lock tries to lock the file of a slot for its leader. It returns false when
// somebody else has the lock, and true when the leader may go on: with the lock,
// or without one, after a warning, where there can be none. Every other fault is
// an outage.
func (s *Storage) lock(ctx context.Context, slot *slot) (done bool, err error) {
	failed := false
	for range 3 {
		err := s.tryFile(slot)
		switch {
		case err == nil || errors.Is(err, errBusy):
			// Whoever opens the path now must meet the file that is locked here.
			if slot.atPath() {
				if err != nil {
					slot.courtesy.meet()
					return false, nil //nolint:nilerr // a busy lock is no fault
				}
				slot.locked = true
				slot.freed()
				return true, nil
			}
			slot.closeFile()
		case slot.file != nil && !failed:
			failed = true // the fault may be that of the descriptor
			slot.closeFile()
		case noLocks(err):
			slot.closeFile()
			s.withoutLock(ctx, slot, err)
			slot.freed()
			return true, nil
		default:
			slot.closeFile()
			return false, unavailable(fmt.Errorf("lock: %w", err))
		}
	}
	return false, nil // somebody replaces the file all the time: look again later
}

// tryFile opens the lock file unless it is open, and locks it.
func (s *Storage) tryFile(slot *slot) error {
	if err := s.openLock(slot); err != nil {
		return err
	}
	return s.system.tryLock(slot.file)
}

// atPath tells that the path of the lock file still leads to the one that is
// open.
func (slot *slot) atPath() bool {
	info, err := os.Lstat(slot.path)
	return err == nil && os.SameFile(info, slot.info)
}

// freed forgets that the lock was busy.
func (slot *slot) freed() {
	slot.givenUp = time.Time{}
	slot.line.setStuck(false)
}

// noLocks tells that there can be no lock here, now and later, so that counting
// goes on without it. A fault that passes, such as too many open files, is none
// of these: it would stop exact counting without need.
func noLocks(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) ||
		errors.Is(err, errForeign) || errors.Is(err, errNotRegular) || isLink(err) || isNoLock(err)
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
	for range 2 { // somebody may remove it meanwhile
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
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
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|openSafely, s.lockMode()) //nolint:gosec // the name is a number
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
	if slot.file != nil {
		_ = slot.file.Close() // nothing was written to it
	}
	slot.file, slot.info = nil, nil
}
