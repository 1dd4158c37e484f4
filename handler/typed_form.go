package handler

import (
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"reflect"
	"strings"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/rules"
)

// fileField is a field that takes the files of a form.
type fileField struct {
	field
	multi    bool
	listName string
	required bool
	maxSize  int64 // 0: that of the body alone
	accept   []string
	tooLarge string // the messages
	refused  string
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
	file.required = file.rules != nil && file.rules.Required()
	if text, ok := f.tags[tagMaxSize]; ok {
		if file.maxSize, err = size(text); err != nil {
			p.mistake(f.at, err)
		}
		file.tooLarge = "Expected a file of at most " + text
		if strings.Trim(text, "0123456789") == "" {
			file.tooLarge += " bytes"
		}
	}
	if text, ok := f.tags[tagAccept]; ok {
		file.accept = p.mediaTypes(f, text)
		file.refused = "Expected a file of the type " + strings.Join(file.accept, ", ")
	}
	p.plan.takesForm = true
	p.plan.files = append(p.plan.files, file)
}

// mediaTypes reads the tag accept: media types in lower case, or patterns of them.
func (p *planner) mediaTypes(f *field, text string) []string {
	types := list(text)
	for _, t := range types {
		major, minor, ok := strings.Cut(t, "/")
		parsed, params, err := mime.ParseMediaType(t)
		if !ok || err != nil || len(params) > 0 || parsed != t || major == "" || minor == "" ||
			major == "*" && minor != "*" || major != "*" && strings.Contains(major, "*") {
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
	for _, file := range files {
		if ff.maxSize > 0 && file.Size > ff.maxSize {
			f.add(ff.source, ff.name, tagMaxSize, ff.tooLarge)
			return
		}
		if ff.accept != nil && !ff.accepts(file) {
			f.add(ff.source, ff.name, tagAccept, ff.refused)
			return
		}
	}
	dst := in.FieldByIndex(ff.index)
	if ff.multi {
		dst.Set(reflect.ValueOf(files))
	} else {
		dst.Set(reflect.ValueOf(files[0]))
	}
	if ff.rules != nil {
		ff.rules.Check(dst, f.reporter(ff.source, ff.name))
	}
}

// accepts believes the Content-Type of the part, which is text/plain when there
// is none (RFC 7578, section 4.4).
func (ff *fileField) accepts(file *multipart.FileHeader) bool {
	header := file.Header.Get("Content-Type")
	if header == "" {
		header = "text/plain"
	}
	mediaType, _, err := mime.ParseMediaType(header)
	if err != nil {
		return false
	}
	for _, pattern := range ff.accept {
		before, after, wild := strings.Cut(pattern, "*")
		switch {
		case pattern == "*/*", pattern == mediaType:
			return true
		case wild && len(mediaType) > len(before)+len(after) &&
			strings.HasPrefix(mediaType, before) && strings.HasSuffix(mediaType, after):
			return true
		}
	}
	return false
}

func (ff *fileField) input() api.Input {
	return api.Input{
		In: api.InFile, Name: ff.name, Description: ff.tags[tagDescription],
		Required: ff.required, Multi: ff.multi, MediaTypes: ff.accept,
	}
}
