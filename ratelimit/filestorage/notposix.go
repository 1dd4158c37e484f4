//go:build !unix

package filestorage

import "io/fs"

const (
	openSafely = 0
	hasModes   = false
)

func isLink(error) bool { return false }

func owner(fs.FileInfo) (uid int, ok bool) { return 0, false }
