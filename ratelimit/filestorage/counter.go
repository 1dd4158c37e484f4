package filestorage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// folders is the number of folders that the counters are spread over. A folder
// belongs to one slot, so the lock of a slot covers whole folders.
const folders = 256

// counter is where a counter has its file.
type counter struct {
	slot   *slot
	folder string
	file   string
}

func (s *Storage) counter(name string) counter {
	sum := sha256.Sum256([]byte(name))
	folder := s.folder(int(sum[0]))
	return counter{
		slot:   &s.slots[sum[0]%slots],
		folder: folder,
		file:   filepath.Join(folder, hex.EncodeToString(sum[1:])),
	}
}

// folder is the path of a folder of counters, 0 to 255.
func (s *Storage) folder(number int) string {
	return filepath.Join(s.dir, "counters", hex.EncodeToString([]byte{byte(number)}))
}

// load returns what is stored of a counter: nothing when there is no file that
// can be read.
func (s *Storage) load(ctx context.Context, c counter) (stored, error) {
	found, err := s.read(c.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return stored{}, nil
	case errors.Is(err, errBroken):
		s.broken.warn(ctx, "a rate limit counter cannot be read and starts afresh", slog.String("file", c.file), slog.Any("err", err))
		return stored{}, nil
	}
	return found, err
}

// read reads the file of a counter. What somebody may have put in its place is
// not read: it is broken.
func (s *Storage) read(path string) (stored, error) {
	return s.readFile(os.OpenFile(path, os.O_RDONLY|openSafely, 0)) //nolint:gosec // the path holds a hash and nothing that a client writes
}

// readFile reads and closes a file that was just opened.
func (s *Storage) readFile(f *os.File, err error) (stored, error) {
	if isLink(err) {
		return stored{}, fmt.Errorf("%w: a symbolic link", errBroken)
	}
	if err != nil {
		return stored{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if _, err := s.accept(f); err != nil {
		return stored{}, fmt.Errorf("%w: %w", errBroken, err)
	}
	var b [stateSize + 1]byte
	n, err := io.ReadFull(f, b[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return stored{}, err
	}
	return decode(b[:n])
}

// temporary is how the names of files and folders end that are being made.
const temporary = ".tmp"

// beside is a name that nobody else uses, for what will get the name path.
func beside(path, suffix string) string {
	return path + "." + strconv.FormatUint(rand.Uint64(), 36) + suffix //nolint:gosec // O_EXCL is what makes it safe
}

// save puts a new file in the place of the counter's. When the disk is full, it
// makes room first: nothing else would, as files are cleaned by those who save.
func (s *Storage) save(slot *slot, c counter, st stored, now int64) error {
	err := s.saveOnce(slot, c, st)
	if isFull(err) {
		s.sweep(slot, now, sweepWhenFull)
		err = s.saveOnce(slot, c, st)
	}
	return err
}

// saveOnce makes folders that are missing, also when somebody removes them
// meanwhile.
func (s *Storage) saveOnce(slot *slot, c counter, st stored) (err error) {
	for range 3 {
		if err = s.replace(slot, c.file, st.encode()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = s.makeFolder(c.folder); err != nil {
			return err
		}
	}
	return s.replace(slot, c.file, st.encode())
}

// replace writes beside the file and renames, if the lock is still one then. The
// name is one of many, because somebody without a lock may write at the same
// time.
func (s *Storage) replace(slot *slot, path string, content []byte) error {
	made := beside(path, temporary)
	f, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, s.fileMode()) //nolint:gosec // as in read
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil && slot.locked && !slot.atPath() {
		err = errLockLost
	}
	if err == nil {
		err = s.system.rename(made, path)
	}
	if err != nil && moveFolder(path) {
		err = s.system.rename(made, path)
	}
	if err != nil {
		_ = os.Remove(made) // the sweep finds what stays
	}
	return err
}

// moveFolder moves a folder away that has the name of a counter. It is not
// removed unless it is empty: somebody may want what is in it.
func moveFolder(path string) (moved bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	return os.Remove(path) == nil || os.Rename(path, beside(path, ".moved")) == nil
}
