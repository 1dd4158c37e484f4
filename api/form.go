package api

import (
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
)

const (
	mediaForm      = "application/x-www-form-urlencoded"
	mediaMultipart = "multipart/form-data"

	// formMemory bounds what the files of a form take of the memory. The rest of
	// them goes to temporary files.
	formMemory = 1 << 20
)

type readForm struct {
	form *multipart.Form
	err  error
}

// FormFields are the fields and the files of a body that is a form, of either
// media type and with any method, read once. Without a body there are none. A
// body of another media type is an [Error] with the status 415, and one that
// breaks the syntax of its own with 400. Nobody changes the result. The files are
// removed when the request ends.
func (r *Request) FormFields() (*multipart.Form, error) {
	if r.form == nil {
		r.form = &readForm{form: &multipart.Form{}}
		form, err := r.readForm()
		if form != nil {
			r.form.form = form
		}
		r.form.err = err
	}
	return r.form.form, r.form.err
}

func (r *Request) readForm() (*multipart.Form, error) {
	if r.bodyless() {
		return nil, nil
	}
	accept := []string{mediaForm, mediaMultipart}
	if mediaType, err := r.mediaType(accept); err == nil && mediaType == mediaMultipart {
		return r.readMultipart()
	}
	data, _, err := r.Content(accept...)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	values, err := url.ParseQuery(string(data))
	if err != nil {
		return nil, brokenForm(err)
	}
	return &multipart.Form{Value: values}, nil
}

func (r *Request) readMultipart() (*multipart.Form, error) {
	if err := r.decoded(); err != nil {
		return nil, err
	}
	_, params, _ := mime.ParseMediaType(r.Header.Get("Content-Type")) // mediaType has read it
	if params["boundary"] == "" {
		return nil, brokenForm(http.ErrMissingBoundary)
	}
	form, err := multipart.NewReader(r.Body, params["boundary"]).ReadForm(formMemory)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, err
		}
		return nil, brokenForm(err)
	}
	r.MultipartForm = form // whose files the presenter removes, and the server where the request is its own
	return form, nil
}

func brokenForm(cause error) error {
	return Error{Status: http.StatusBadRequest, Err: cause, Fields: []FieldError{
		{In: string(InForm), Code: "syntax", Message: "The form cannot be read"},
	}}
}
