package filestorage_test

import (
	"testing"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

// RL-107, RL-282
func TestStorage(t *testing.T) {
	var dir string
	open := func(t testing.TB) ratelimit.Storage {
		dir = t.TempDir()
		return filestorage.New(dir, filestorage.Options{})
	}
	second := func(testing.TB, ratelimit.Storage) ratelimit.Storage {
		return filestorage.New(dir, filestorage.Options{})
	}
	storagetest.Run(t, open, storagetest.Options{Steps: 2000, Counters: 2000, Second: second})
}

func TestStorageWithoutLock(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) ratelimit.Storage {
		return filestorage.New(t.TempDir(), filestorage.Options{NoLock: true})
	}, storagetest.Options{Steps: 500})
}
