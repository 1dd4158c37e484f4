package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"mime/multipart"
	"testing/fstest"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

// putPicture takes one file of a form.
type putPicture struct {
	ID      string                `path:"id"`
	Picture *multipart.FileHeader `file:"picture" validate:"required" maxSize:"512KiB" accept:"image/png,image/jpeg"`
}

func (n *notes) putPicture(_ context.Context, in putPicture) (struct{}, error) {
	file, err := in.Picture.Open()
	if err != nil {
		return struct{}{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(file)
	if err != nil {
		return struct{}{}, err
	}
	if !n.setPicture(in.ID, data) {
		return struct{}{}, api.NotFound("note")
	}
	return struct{}{}, nil // 204
}

type getPicture struct {
	ID string `path:"id"`
}

func (n *notes) picture(_ context.Context, in getPicture) (api.Response, error) {
	data := n.pictureOf(in.ID)
	if data == nil {
		return nil, api.NotFound("picture")
	}
	files := fstest.MapFS{"picture.png": {Data: data}}
	return api.Attachment("note "+in.ID+".png", api.File(files, "picture.png")), nil
}

// export sends all notes row by row, however many there are.
func (n *notes) export(context.Context, *api.Request) (api.Response, error) {
	return api.Stream("text/csv; charset=utf-8", func(_ context.Context, w io.Writer) error {
		var rows bytes.Buffer
		table := csv.NewWriter(&rows)
		for _, note := range n.all() {
			if err := table.Write([]string{note.ID, note.Title}); err != nil {
				return err
			}
			table.Flush()
			if _, err := rows.WriteTo(w); err != nil { // each Write is sent at once
				return err
			}
		}
		return nil
	}), nil
}

// changes sends every new note to whoever listens, as server-sent events.
func (n *notes) changes(context.Context, *api.Request) (api.Response, error) {
	return api.Events(func(ctx context.Context, send func(api.Event) error) error {
		added, stop := n.listen()
		defer stop()
		if err := send(api.Event{Retry: 2 * time.Second}); err != nil {
			return err
		}
		for {
			select {
			case <-ctx.Done(): // the client or the server ends
				return nil
			case note := <-added:
				if err := send(api.Event{ID: note.ID, Name: "note", Data: note}); err != nil {
					return err
				}
			}
		}
	}), nil
}
