package filestorage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Clear removes all counters, those of other processes that share the directory
// included, and nothing else that may be in their folders. Of a request at the
// same time, it is open which comes first. It stops with an error when ctx ends, a
// lock stays busy or a file cannot be removed; what it has removed until then
// stays so.
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
	leads, err := s.enter(ctx, slot, &question{})
	if !leads {
		return err
	}
	defer slot.line.handOver()
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
func (s *Storage) empty(ctx context.Context, path string) error {
	folder, err := openFolder(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unavailable(fmt.Errorf("clear: %w", err))
	}
	defer func() { _ = folder.Close() }()
	names, err := namesIn(folder)
	if err != nil {
		return unavailable(fmt.Errorf("clear: %w", err))
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !ours(name) {
			continue
		}
		if err := folder.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return unavailable(fmt.Errorf("clear: %w", err))
		}
	}
	return nil
}

func namesIn(folder *os.Root) ([]string, error) {
	list, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = list.Close() }() // it is only read
	return list.Readdirnames(-1)
}
