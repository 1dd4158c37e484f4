package filestorage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fileMode is cut by the umask.
func (s *Storage) fileMode() fs.FileMode {
	if s.private {
		return 0o600
	}
	return 0o666
}

// lockMode gives access to those who may write in the directory of the locks,
// and to nobody else: who can open a lock file can hold its lock.
func (s *Storage) lockMode() fs.FileMode {
	if !hasModes {
		return s.fileMode()
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(s.lockDir); err == nil && !s.private {
		if info.Mode()&0o020 != 0 {
			mode |= 0o060
		}
		if info.Mode()&0o002 != 0 {
			mode |= 0o066
		}
	}
	return mode
}

// checkDir makes the default directory, and refuses it when it is not this
// user's alone. Nobody else can then put anything below it. A directory that the
// program has named is trusted.
func (s *Storage) checkDir() error {
	if !s.private {
		return nil
	}
	info, err := os.Lstat(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		info, err = os.Lstat(s.dir)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", s.dir)
	case s.foreign(info):
		return fmt.Errorf("%s belongs to another user", s.dir)
	case hasModes && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by other users: mode %o", s.dir, info.Mode().Perm())
	}
	return nil
}

// foreign tells that somebody else owns a file.
func (s *Storage) foreign(info fs.FileInfo) bool {
	uid, ok := s.system.owner(info)
	return ok && uid != os.Geteuid()
}

var (
	errNotRegular = errors.New("it is not a regular file")
	errForeign    = errors.New("it belongs to another user")
)

// accept looks at an open file, not at its path, which may lead elsewhere by
// now.
func (s *Storage) accept(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case s.private && s.foreign(info):
		return nil, errForeign
	}
	return info, nil
}

// makeFolder makes a folder below the directory, and what is missing above it.
// Folders below a directory that the program has named get its permissions: who
// may write there may write in them. The sticky bit is not among them, as nobody
// could replace the counters of another user.
func (s *Storage) makeFolder(path string) error {
	if s.private {
		if err := s.checkDir(); err != nil {
			return err
		}
		return os.MkdirAll(path, 0o700)
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil { //nolint:gosec // the umask decides, as for all files of the program
		return err
	}
	info, err := os.Stat(s.dir)
	if err != nil {
		return err
	}
	s.making.Lock()
	defer s.making.Unlock()
	for range 5 {
		// A folder that is still empty can be replaced by that of another process.
		err = s.inherit(path, info.Mode()&(fs.ModePerm|fs.ModeSetgid))
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return err
}

// inherit makes a folder beside its path and renames it when it has its mode:
// who is killed meanwhile leaves no folder that others cannot use.
func (s *Storage) inherit(path string, mode fs.FileMode) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	made := beside(path, temporary)
	err := os.Mkdir(made, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.inherit(filepath.Dir(path), mode); err == nil {
			err = os.Mkdir(made, 0o700)
		}
	}
	if err != nil {
		return err
	}
	if err = os.Chmod(made, mode); err == nil {
		err = s.system.rename(made, path)
	}
	if err == nil {
		return nil
	}
	_ = os.Remove(made) // it is empty
	if info, there := os.Stat(path); there == nil && info.IsDir() {
		return nil // somebody else was quicker
	}
	return err
}
