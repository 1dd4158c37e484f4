package main

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing/fstest"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

const maxCover = 512 << 10

// putCover is the picture itself as the body: curl -T cover.png.
type putCover struct {
	ISBN  isbn   `path:"isbn"`
	Image []byte `body:"raw" accept:"image/png,image/jpeg" validate:"required"`
}

func (s *shop) putCover(ctx context.Context, in putCover) (struct{}, error) {
	// What the client says of the type was looked at; now the picture is.
	mediaType := http.DetectContentType(in.Image)
	if mediaType != "image/png" && mediaType != "image/jpeg" {
		return struct{}{}, api.Invalid(api.FieldError{In: "body", Code: "image", Message: "This is neither a PNG nor a JPEG"})
	}
	return struct{}{}, s.store.setCover(ctx, in.ISBN, cover{mediaType, in.Image, s.now().UTC()}) // 204
}

// cover answers with ranges and conditions. Clients ask each time whether theirs
// is still the one.
func (s *shop) cover(ctx context.Context, in getBook) (api.Response, error) {
	c, err := s.store.cover(ctx, in.ISBN)
	if err != nil {
		return nil, err
	}
	name := string(in.ISBN) + "." + strings.TrimPrefix(c.MediaType, "image/")
	file := fstest.MapFS{name: {Data: c.Data, ModTime: c.Changed.Truncate(time.Second)}}
	sum := sha256.Sum256(c.Data)
	return api.WithHeader(api.File(file, name), http.Header{"Etag": {`"` + hex.EncodeToString(sum[:16]) + `"`}}), nil
}

// export sends all books as they come out of the database. The writer of CSV
// collects a few KiB for each piece. What goes wrong cuts the connection, so that
// nobody takes a part for the whole.
func (s *shop) export(context.Context, *api.Request) (api.Response, error) {
	return api.Stream("text/csv; charset=utf-8", func(ctx context.Context, w io.Writer) error {
		table := csv.NewWriter(w)
		if err := table.Write([]string{"isbn", "title", "authors", "year", "priceCents", "stock"}); err != nil {
			return err
		}
		if err := s.store.eachOfAllBooks(ctx, func(b book) error {
			return table.Write([]string{
				string(b.ISBN), b.Title, strings.Join(b.Authors, "; "), strconv.Itoa(b.Year),
				strconv.FormatInt(b.PriceCents, 10), strconv.FormatInt(b.Stock, 10),
			})
		}); err != nil {
			return err
		}
		table.Flush()
		return table.Error()
	}), nil
}
