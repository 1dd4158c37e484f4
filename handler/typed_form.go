package handler

import (
	"errors"
	"fmt"
	"mime/multipart"
	"reflect"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/mediatype"
	"github.com/sallyport-go/sallyport/internal/rules"
	"github.com/sallyport-go/sallyport/internal/upload"
)

// fileField is a field that takes the files of a form.
type fileField struct {
	field
	multi    bool
	listName string
	required bool
	limits   upload.Rules
}

var (
	fileType  = reflect.TypeFor[*multipart.FileHeader]()
	filesType = reflect.TypeFor[[]*multipart.FileHeader]()
)

// addFile plans a file of a form, or several under one name.
func (p *planner) addFile(f *field) {
	file := &fileField{field: *f, multi: f.Type == filesType, listName: f.name + "[]"}
	if !file.multi && f.Type != fileType {
		p.mistake(f.at, errors.New("a file is a *multipart.FileHeader, or a list of them"))
		return
	}
	var err error
	if file.rules, err = rules.Compile(f.Type, f.tags[tagValidate]); err != nil {
		p.mistake(f.at, err)
	}
	file.required = file.rules.Required()
	if text, ok := f.tags[tagMaxSize]; ok {
		if file.limits.MaxSize, err = size(text); err != nil {
			p.mistake(f.at, err)
		}
	}
	if text, ok := f.tags[tagAccept]; ok {
		file.limits.MediaTypes = p.mediaTypes(f, text)
	}
	p.plan.takesForm = true
	p.plan.files = append(p.plan.files, file)
}

// mediaTypes reads the tag accept: media types in lower case, or patterns of them.
func (p *planner) mediaTypes(f *field, text string) []string {
	types := list(text)
	for _, t := range types {
		if !mediatype.Valid(t) {
			p.mistake(f.at, fmt.Errorf("accept %q is no media type in lower case and without parameters, such as image/png or image/*", t))
		}
	}
	return types
}

// bind sets the files that were sent.
func (ff *fileField) bind(in reflect.Value, form *multipart.Form, f *faults) {
	files := form.File[ff.name]
	if more := form.File[ff.listName]; ff.multi && len(more) > 0 {
		files = append(append([]*multipart.FileHeader(nil), files...), more...)
	}
	switch {
	case len(files) == 0:
		if ff.required {
			f.add(ff.source, ff.name, "required", fieldRequired)
		}
		return
	case len(files) > 1 && !ff.multi:
		f.add(ff.source, ff.name, "repeated", "Field was sent more than once")
		return
	}
	before, report := f.count, f.reporter(ff.source, ff.name)
	if ff.limits.Check(files, report); f.count > before {
		return
	}
	dst := in.FieldByIndex(ff.index)
	if ff.multi {
		dst.Set(reflect.ValueOf(files))
	} else {
		dst.Set(reflect.ValueOf(files[0]))
	}
	if ff.rules != nil {
		ff.rules.Check(dst, report)
	}
}

func (ff *fileField) input() api.Input {
	return api.Input{
		In: api.InFile, Name: ff.name, Description: ff.tags[tagDescription],
		Required: ff.required, Multi: ff.multi, MediaTypes: ff.limits.MediaTypes, MaxSize: ff.limits.MaxSize,
	}
}
