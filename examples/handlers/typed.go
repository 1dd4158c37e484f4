package main

import (
	"context"
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

// findNotes is what GET /api/v1/notes?tag=go&tag=http&page=2 takes.
type findNotes struct {
	Tags  []string  `query:"tag"`
	Page  int       `query:"page" default:"1" validate:"min=1"`
	Since time.Time `query:"since" format:"date"`
	Sort  string    `query:"sort" enum:"title,created" default:"created"`
}

func (n *notes) find(_ context.Context, in findNotes) ([]note, error) {
	return n.list(in.Tags, in.Since, in.Sort, in.Page), nil
}

// createNote is the JSON body of POST /api/v1/notes, and who has sent it.
type createNote struct {
	Caller api.Identity
	Title  string     `json:"title" validate:"required,min=1,max=100"`
	Tags   []string   `json:"tags" validate:"max=10,dive,min=1,max=20"`
	Due    *time.Time `json:"due"`
}

func (n *notes) create(_ context.Context, in createNote) (api.Reply[note], error) {
	created, err := n.add(note{Title: in.Title, Tags: in.Tags, Due: in.Due, Author: in.Caller.String()})
	if err != nil {
		return api.Reply[note]{}, err
	}
	return api.Created("/api/v1/notes/"+created.ID, created), nil
}

// changeNote tells apart what is missing, null and a value.
type changeNote struct {
	ID    string             `path:"id"`
	Title api.Opt[string]    `json:"title" validate:"min=1,max=100"`
	Due   api.Opt[time.Time] `json:"due"`
}

func (n *notes) change(_ context.Context, in changeNote) (note, error) {
	if in.Title.Null {
		return note{}, api.Invalid(api.FieldError{In: "body", Name: "title", Code: "null", Message: "A note keeps its title"})
	}
	changed, found := n.update(in.ID, func(old *note) {
		if title, ok := in.Title.Get(); ok {
			old.Title = title
		}
		if in.Due.Set {
			old.Due = nil
			if due, ok := in.Due.Get(); ok {
				old.Due = &due
			}
		}
	})
	if !found {
		return note{}, api.NotFound("note") // 404: There is no such note
	}
	return changed, nil
}

// errTitleTaken is answered 409 with its message. Any other error is a 500 whose
// text stays in the log.
var errTitleTaken = api.Error{Status: http.StatusConflict, Message: "There is a note of that title already"}
