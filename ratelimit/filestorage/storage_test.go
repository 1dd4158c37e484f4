package filestorage_test

import (
	"testing"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
	"github.com/sallyport-go/sallyport/ratelimit/storagetest"
)

func open(t testing.TB) ratelimit.Storage {
	return filestorage.New(t.TempDir(), filestorage.Options{})
}

// RL-107, RL-282
func TestStorage(t *testing.T) {
	storagetest.Run(t, open, storagetest.Options{Steps: 2000})
}

func TestStorageWithoutLock(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) ratelimit.Storage {
		return filestorage.New(t.TempDir(), filestorage.Options{NoLock: true})
	}, storagetest.Options{Steps: 500})
}
