package param

import (
	"fmt"
	"mime/multipart"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/api"
	uploads "github.com/sallyport-go/sallyport/internal/upload"
)

// Upload is a file of a multipart form, sent once. A field in which no file was
// chosen counts as not sent; an empty file is a file. It is optional unless
// Required is called. The file is removed when the request ends.
type Upload struct{ u *upload }

// Uploads are several files of a multipart form under one name, with brackets
// behind it or without. A single one is a list of one.
type Uploads struct{ u *upload }

type upload struct {
	name        string
	description string
	required    bool
	multi       bool
	bounded     bool
	limits      uploads.Rules

	once  sync.Once
	input api.Input
	err   error
}

// File is a file of a multipart form.
func File(name string) *Upload { return &Upload{&upload{name: name}} }

// Required makes it a fault that no file was sent.
func (f *Upload) Required() *Upload { f.u.required = true; return f }

// Description says what the file is for.
func (f *Upload) Description(text string) *Upload { f.u.description = text; return f }

// MaxSize is the greatest length of the file. The endpoint's MaxBody bounds the
// whole form before.
func (f *Upload) MaxSize(bytes int64) *Upload { f.u.setMaxSize(bytes); return f }

// MediaTypes are those that the file may have: "image/png", "image/*". They are
// held against the Content-Type of its part, text/plain without one (RFC 7578,
// section 4.4), which is a claim of the client that nothing here verifies: look at
// the content before you trust it.
func (f *Upload) MediaTypes(patterns ...string) *Upload { f.u.allow(patterns); return f }

// Multi makes it a parameter of several files. The Upload is not used any more.
func (f *Upload) Multi() *Uploads {
	f.u.multi = true
	return &Uploads{f.u}
}

// Get is the file, or nil when none was sent. It panics when the handler's
// description does not have the parameter.
func (f *Upload) Get(r *api.Request) *multipart.FileHeader {
	file, _ := api.ParamValue[*multipart.FileHeader](r, f.u.name)
	return file
}

// Input describes the parameter. The error joins the mistakes of the declaration.
func (f *Upload) Input() (api.Input, error) {
	if f == nil {
		return api.Input{}, errNil
	}
	return f.u.describe()
}

// Read finds the file in a request.
func (f *Upload) Read(r *api.Request) (any, error) {
	files, err := f.u.read(r)
	switch {
	case err != nil || len(files) == 0:
		return nil, err
	case len(files) > 1:
		return nil, f.u.fault("repeated", "Field was sent more than once")
	}
	return files[0], nil
}

// Required makes it a fault that no file was sent.
func (f *Uploads) Required() *Uploads { f.u.required = true; return f }

// Description says what the files are for.
func (f *Uploads) Description(text string) *Uploads { f.u.description = text; return f }

// MaxSize is the greatest length of each file; see [Upload.MaxSize].
func (f *Uploads) MaxSize(bytes int64) *Uploads { f.u.setMaxSize(bytes); return f }

// MediaTypes are those that each file may have; see [Upload.MediaTypes].
func (f *Uploads) MediaTypes(patterns ...string) *Uploads { f.u.allow(patterns); return f }

// Get are the files, or nil when none was sent. It panics when the handler's
// description does not have the parameter.
func (f *Uploads) Get(r *api.Request) []*multipart.FileHeader {
	files, _ := api.ParamValue[[]*multipart.FileHeader](r, f.u.name)
	return files
}

// Input describes the parameter. The error joins the mistakes of the declaration.
func (f *Uploads) Input() (api.Input, error) {
	if f == nil {
		return api.Input{}, errNil
	}
	return f.u.describe()
}

// Read finds the files in a request.
func (f *Uploads) Read(r *api.Request) (any, error) {
	files, err := f.u.read(r)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	return files, nil
}

func (u *upload) setMaxSize(bytes int64) { u.bounded, u.limits.MaxSize = true, bytes }

func (u *upload) allow(patterns []string) {
	for _, pattern := range patterns {
		u.limits.MediaTypes = append(u.limits.MediaTypes, strings.ToLower(pattern))
	}
}

func (u *upload) describe() (api.Input, error) {
	u.once.Do(func() {
		mistakes := mistakes{what: fmt.Sprintf("file parameter %q", u.name)}
		mistakes.add(checkName(api.InFile, u.name))
		mistakes.add(checkMediaTypes(u.limits.MediaTypes))
		if u.bounded && u.limits.MaxSize <= 0 {
			mistakes.addf("MaxSize(%d) would refuse every file", u.limits.MaxSize)
		}
		u.input = api.Input{
			In: api.InFile, Name: u.name, Description: u.description, Required: u.required, Multi: u.multi,
			MediaTypes: u.limits.MediaTypes, MaxSize: u.limits.MaxSize,
		}
		u.err = mistakes.err()
	})
	return u.input, u.err
}

// read are the files that were chosen, checked.
func (u *upload) read(r *api.Request) ([]*multipart.FileHeader, error) {
	if _, err := u.describe(); err != nil {
		return nil, err
	}
	form, err := r.FormFields()
	if err != nil {
		return nil, err
	}
	faults := faults{in: string(api.InForm), name: u.name}
	files := u.sent(form.File, &faults)
	if u.required && len(files) == 0 {
		faults.add("required", "Field is required")
	}
	u.limits.Check(files, faults.add)
	return files, faults.err()
}

// sent are the files under the name. A field for which none was chosen, which
// browsers send with an empty name of the file, is none to package mime/multipart.
func (u *upload) sent(form map[string][]*multipart.FileHeader, faults *faults) []*multipart.FileHeader {
	files := slices.Clone(form[u.name])
	if !u.multi {
		return files
	}
	files = append(files, form[u.name+"[]"]...)
	var named []element
	for key := range form {
		switch name, f := bracketed(key, u.name); {
		case f == nestedList:
			faults.add("nested", "Field contains nested values")
		case f == listElement && name != "":
			named = append(named, element{name: name})
		}
	}
	slices.SortFunc(named, byName)
	for _, e := range named {
		files = append(files, form[u.name+"["+e.name+"]"]...)
	}
	return files
}

func (u *upload) fault(code, message string) error {
	return api.Invalid(api.FieldError{In: string(api.InForm), Name: u.name, Code: code, Message: message})
}
