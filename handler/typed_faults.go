package handler

import (
	"net/http"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

// maxFaults bounds what one answer tells, so that a short request makes no long
// answer.
const maxFaults = 100

// faults collects the faults of one request. The zero value is ready to use.
type faults struct {
	list   []api.FieldError
	count  int // also of those that are not told
	source api.Source
	name   string
	report func(code, message string)
}

func (f *faults) add(source api.Source, name, code, message string) {
	switch source {
	case api.InFile:
		source = api.InForm
	case api.InRaw, api.InJSON, inMember:
		source = "body"
	}
	f.append(api.FieldError{In: string(source), Name: name, Code: code, Message: message})
}

func (f *faults) append(faults ...api.FieldError) {
	f.count += len(faults)
	f.list = append(f.list, faults[:min(len(faults), maxFaults-len(f.list))]...)
}

// addJSON adds the faults of a JSON body.
func (f *faults) addJSON(found []jsonvalue.Fault) {
	for _, fault := range found {
		f.add(api.InJSON, fault.Pointer, fault.Code, fault.Message)
	}
}

// merge takes the faults of an error that says nothing else. Any other error ends
// the request, so it is returned.
func (f *faults) merge(err error) error {
	if e, ok := api.AsError(err); ok && e.Status == http.StatusBadRequest && len(e.Fields) > 0 {
		f.append(e.Fields...)
		return nil
	}
	return err
}

// reporter is what rules report to for one value. It is good until the next call.
func (f *faults) reporter(source api.Source, name string) func(code, message string) {
	f.source, f.name = source, name
	if f.report == nil {
		f.report = func(code, message string) { f.add(f.source, f.name, code, message) }
	}
	return f.report
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return api.Invalid(f.list...)
}
