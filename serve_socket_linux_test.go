package sallyport_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// A name that is no file, which only Linux has, needs no lock.
func TestServeAtANameOfLinux(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startServer(t, sallyport.Server{Addr: "unix:@" + filepath.Base(t.TempDir()) + "-sallyport-test"}, okPage)
	require.NoError(t, s.end())
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Empty(t, files)
}
