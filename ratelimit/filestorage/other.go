//go:build !unix && !windows

package filestorage

func isFull(error) bool { return false }

func isNoLock(error) bool { return false }
