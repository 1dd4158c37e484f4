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

	"github.com/sallyport-go/sallyport/ratelimit"
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

// load returns the state of a counter, or none when there is none that counts.
func (s *Storage) load(ctx context.Context, c counter, now int64) (ratelimit.State, error) {
	found, err := s.read(c.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ratelimit.State{}, nil
	case errors.Is(err, errBroken):
		s.broken.warn(ctx, "a rate limit counter cannot be read and starts afresh", slog.String("file", c.file), slog.Any("err", err))
		return ratelimit.State{}, nil
	case err != nil:
		return ratelimit.State{}, err
	case found.expires <= now:
		return ratelimit.State{}, nil
	}
	return found.state, nil
}

// read reads the file of a counter. What somebody may have put in its place is
// not read: it is broken.
func (s *Storage) read(path string) (stored, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openSafely, 0) //nolint:gosec // the path holds a hash and nothing that a client writes
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

// temporary is how the names of files end that are being written.
const temporary = ".tmp"

// save puts a new file in the place of the counter's. Folders that are missing
// are made, also when somebody removes them meanwhile.
func (s *Storage) save(c counter, st stored) (err error) {
	for range 3 {
		if err = s.replace(c.file, st.encode()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = s.makeFolder(c.folder); err != nil {
			return err
		}
	}
	return s.replace(c.file, st.encode())
}

// replace writes beside the file and renames. The name is one of many, because
// somebody without a lock may write at the same time.
func (s *Storage) replace(path string, content []byte) error {
	beside := path + "." + strconv.FormatUint(rand.Uint64(), 36) + temporary       //nolint:gosec // O_EXCL is what makes it safe
	f, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, s.fileMode()) //nolint:gosec // as in read
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(beside, path)
	}
	if err != nil {
		_ = os.Remove(beside) // the sweep finds what stays
	}
	return err
}
