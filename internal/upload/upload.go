// Package upload checks the files of a form.
package upload

import (
	"fmt"
	"mime/multipart"
	"strings"

	"github.com/sallyport-go/sallyport/internal/mediatype"
)

// Rules are what a file has to be. The zero Rules take every file.
type Rules struct {
	MaxSize    int64    // 0: any
	MediaTypes []string // patterns of package mediatype; nil: any
}

// Check reports each rule that one of the files breaks, once. The media type is
// what the client claims.
func (r Rules) Check(files []*multipart.FileHeader, report func(code, message string)) {
	var tooLong, refused bool
	for _, file := range files {
		tooLong = tooLong || r.MaxSize > 0 && file.Size > r.MaxSize
		refused = refused || r.MediaTypes != nil &&
			!mediatype.MatchAny(r.MediaTypes, mediatype.OfPart(file.Header.Get("Content-Type")))
	}
	if tooLong {
		report("size", "Expected a file of at most "+size(r.MaxSize))
	}
	if refused {
		report("media_type", "Expected a file of the type "+strings.Join(r.MediaTypes, ", "))
	}
}

// size is in the greatest unit that says it exactly.
func size(bytes int64) string {
	for i, unit := range []string{"GiB", "MiB", "KiB"} {
		if shift := 30 - 10*i; bytes >= 1<<shift && bytes%(1<<shift) == 0 {
			return fmt.Sprintf("%d %s", bytes>>shift, unit)
		}
	}
	if bytes == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", bytes)
}
