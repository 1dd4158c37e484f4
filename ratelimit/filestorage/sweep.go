package filestorage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// sweep is how far the removal of expired files has come in the folders of a
// slot. It goes round and round.
type sweep struct {
	round  int      // the folder is that of the slot with this number, 0 to 3
	looks  int      // at folders, in all
	folder *os.Root // nil: done with
	list   *os.File // of folder, open while there is more in it than names
	names  []string // that are still to be looked at
}

const (
	sweepFiles    = 2    // that one request looks at
	sweepWhenFull = 1024 // that one request looks at when the disk is full
	sweepNames    = 256  // that are read at once
	sweepAfter    = time.Minute
)

// sweep looks at some files of a slot, whose lock the caller has, and removes
// what has expired. What cannot be removed can stay: the next request that needs
// the directory finds out why.
func (s *Storage) sweep(slot *slot, now int64, files int) {
	w := &slot.sweep
	last := w.looks + folders/slots // once round is enough
	for ; files > 0; files-- {
		if len(w.names) == 0 && (w.list == nil && w.looks >= last || !s.nextNames(slot, files)) {
			return
		}
		name := w.names[0]
		w.names = w.names[1:]
		if s.garbage(w.folder, name, now) {
			_ = w.folder.Remove(name)
		}
		if len(w.names) == 0 && w.list == nil {
			w.close()
		}
	}
}

// nextNames reads on in the folder, or in the next one that holds anything. A
// small sweep looks at one folder.
func (s *Storage) nextNames(slot *slot, files int) bool {
	w := &slot.sweep
	looks := 1
	if files > sweepFiles {
		looks = folders/slots + 1
	}
	for ; looks > 0; looks-- {
		if w.list == nil && !s.nextFolder(slot) {
			continue
		}
		var err error
		w.names, err = w.list.Readdirnames(sweepNames)
		if err != nil || len(w.names) < sweepNames {
			_ = w.list.Close() // it was only read
			w.list = nil
		}
		if len(w.names) > 0 {
			return true
		}
		w.close()
	}
	return false
}

func (s *Storage) nextFolder(slot *slot) bool {
	w := &slot.sweep
	w.looks++
	w.round = (w.round + 1) % (folders / slots)
	root, err := openFolder(s.folder(slot.number + w.round*slots))
	if err != nil {
		return false // it may not have been made yet
	}
	list, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return false
	}
	w.folder, w.list = root, list
	return true
}

// close ends the look at a folder.
func (w *sweep) close() {
	if w.list != nil {
		_ = w.list.Close()
	}
	if w.folder != nil {
		_ = w.folder.Close()
	}
	w.folder, w.list, w.names = nil, nil, nil
}

var errNoFolder = errors.New("it is not a folder")

// openFolder opens a folder of counters to remove files in it, wherever its path
// leads later. It follows no symbolic link, in place of the folder or of the
// folder above: files that somebody else has elsewhere stay.
func openFolder(path string) (*os.Root, error) {
	above, err := openReal(filepath.Dir(path), os.Lstat, os.OpenRoot)
	if err != nil {
		return nil, err
	}
	defer func() { _ = above.Close() }()
	return openReal(filepath.Base(path), above.Lstat, above.OpenRoot)
}

// openReal opens a folder that is no link, neither before nor after.
func openReal(path string, lstat func(string) (fs.FileInfo, error), open func(string) (*os.Root, error)) (*os.Root, error) {
	info, err := lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNoFolder}
	}
	root, err := open(path)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		_ = root.Close()
		return nil, &fs.PathError{Op: "open", Path: path, Err: errNoFolder}
	}
	return root, nil
}

// ours tells that a name is one of those that a Storage gives: 62 hexadecimal
// digits, and more behind a point for a file that is being written.
func ours(name string) bool {
	digits, rest, isTemporary := strings.Cut(name, ".")
	if len(digits) != 62 || strings.Trim(digits, "0123456789abcdef") != "" {
		return false
	}
	return !isTemporary || strings.HasSuffix(rest, temporary)
}

// garbage tells that nobody needs a file any more. Who has written half a file
// was killed, or writes without the lock and is going to be done in a moment. A
// broken file, or one of another version, is kept for as long as any counter can
// last.
func (s *Storage) garbage(folder *os.Root, name string, now int64) bool {
	if !ours(name) {
		return false
	}
	if strings.HasSuffix(name, temporary) {
		return s.olderThan(folder, name, sweepAfter)
	}
	found, err := s.readFile(folder.OpenFile(name, os.O_RDONLY|openSafely, 0))
	if errors.Is(err, errBroken) {
		return s.olderThan(folder, name, ratelimit.MaxInterval)
	}
	return err == nil && found.expires <= now
}

// olderThan looks at the time of the last change of a file.
func (s *Storage) olderThan(folder *os.Root, name string, age time.Duration) bool {
	info, err := folder.Lstat(name)
	return err == nil && !info.IsDir() && s.system.now().Sub(info.ModTime()) > age
}
